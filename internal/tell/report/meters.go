package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// maxFlow is how many steps of a disk's streams are drawn.
const maxFlow = 600

// flowOf puts a disk's streams over time together: the lowest of their buffers and all their late
// frames in each step, of stepS seconds; nothing if they were not followed.
func flowOf(streams []analysis.StreamOutcome, disk string) (stepS float64, bufferS []float64,
	late []int) {
	var list []*analysis.StreamSeries
	steps := 0
	for _, of := range streams {
		if s := of.Series; of.Disk == disk && s != nil && s.StepS > 0 {
			list = append(list, s)
			stepS = s.StepS
			steps = max(steps, min(len(s.BufferS), len(s.Late)))
		}
	}
	by := max(1, (steps+maxFlow-1)/maxFlow) // steps joined to one
	for _, s := range list {
		for k := range min(len(s.BufferS), len(s.Late)) {
			if k/by == len(late) {
				bufferS = append(bufferS, s.BufferS[k])
				late = append(late, 0)
			}
			bufferS[k/by] = min(bufferS[k/by], s.BufferS[k])
			late[k/by] += s.Late[k]
		}
	}
	return stepS * float64(by), bufferS, late
}

// streamCharts are how full the streams' buffers were over time, and the frames that were dropped;
// none if the streams were not followed.
func (v *phaseView) streamCharts() []Block {
	buffer := v.overTime("buffer", "", Axis{Name: "lowest buffer of the streams, s"})
	dropped := v.overTime("dropped", "", Axis{Name: "dropped frames in a step, frames"})
	var lowest []float64
	sum := 0
	for i, l := range v.lanes {
		stepS, bufferS, late := flowOf(v.found.Streams, l.key.Name)
		level := ChartSeries{Kind: Line, Key: i, Name: "lowest buffer"}
		frames := ChartSeries{Kind: Line, Key: i, Name: "dropped frames"}
		for k, seconds := range bufferS {
			from, to := v.seconds(float64(k)*stepS), v.seconds(min(v.endS, float64(k+1)*stepS))
			if to <= from {
				continue
			}
			level.addLevel(from, to, Round(seconds, 3))
			frames.addLevel(from, to, float64(late[k]))
			lowest = append(lowest, seconds)
			sum += late[k]
			dropped.Y.Max = max(dropped.Y.Max, float64(late[k]))
		}
		buffer.add(level)
		dropped.add(frames)
	}
	if lowest == nil {
		return nil
	}
	buffer.Y.Max = slices.Max(lowest)
	buffer.Title = "The buffer sinks to " + unit.FormatSeconds(slices.Min(lowest))
	buffer.Caption = "The lowest buffer of each disk's streams. A stream whose buffer is empty " +
		"drops frames."
	size := v.found.Streams[0].BufferS
	for _, s := range v.found.Streams {
		if s.BufferS != size {
			size = 0 // no one height is half of all
		}
	}
	if size > 0 {
		buffer.Y.Max = max(buffer.Y.Max, size)
		buffer.Marks = []Mark{{At: Round(size/2, 3), Text: "half of the buffer", Key: None,
			Tone: Doubt}}
	}
	buffer.Y.Max = lineRoom * max(buffer.Y.Max, 1e-3)
	if sum == 0 {
		return []Block{buffer}
	}
	dropped.Title = unit.FormatCount(sum) + " frames are dropped"
	dropped.Caption = "All of each disk's streams together."
	dropped.Y.Max = math.Ceil(lineRoom * dropped.Y.Max)
	return []Block{buffer, dropped}
}

// minReadingS is the shortest time between two readings of a counter that makes a rate: the last
// may come right after the one before it.
const minReadingS = 0.2

// gaugeCharts are what the machine's own meters showed meanwhile: how warm each disk was, and what
// its device moved by its own counters, whoever asked for it. Each is nil if nothing was read.
func (v *phaseView) gaugeCharts() (temperature, device *Chart) {
	if v.traced == nil {
		return nil, nil
	}
	temperature = v.overTime("temperature", "", Axis{Name: "temperature, °C"})
	device = v.overTime("device", "What each disk counted", Axis{})
	var degrees, rates []float64
	// The first reading is from just before the release, and the last from just after the end.
	at := func(ns int64) float64 { return v.seconds(min(max(float64(ns)/1e9, 0), v.endS)) }
	for i, l := range v.lanes {
		warmth := ChartSeries{Kind: Line, Key: i, Name: "temperature"}
		counted := ChartSeries{Kind: Line, Key: i, Name: "moved by its own count"}
		var read, written []trace.Gauge
		for _, g := range v.traced.Gauges {
			switch {
			case g.Disk != l.key.Name:
			case g.Name == trace.Temperature:
				warmth.point(at(g.TNS), roundForChart(g.Value))
				degrees = append(degrees, g.Value)
			case g.Name == trace.DeviceRead:
				read = append(read, g)
			case g.Name == trace.DeviceWrite:
				written = append(written, g)
			}
		}
		for k := 1; k < len(written); k++ {
			from, to := written[k-1], written[k]
			bytes := to.Value - from.Value
			if len(read) == len(written) {
				bytes += read[k].Value - read[k-1].Value
			}
			if s := float64(to.TNS-from.TNS) / 1e9; s >= minReadingS && bytes >= 0 {
				rates = append(rates, bytes/s)
				counted.addLevel(at(from.TNS), at(to.TNS), v.rate(bytes/s))
			}
		}
		temperature.add(warmth)
		device.add(counted)
	}
	if degrees == nil {
		temperature = nil
	} else {
		low, high := slices.Min(degrees), slices.Max(degrees)
		temperature.Title = fmt.Sprintf("The disks are between %.0f and %.0f °C warm", low, high)
		temperature.Caption = "Temperature by each disk's own sensor."
		temperature.Y.Min, temperature.Y.Max = math.Floor(low)-2, math.Ceil(high)+2
	}
	if rates == nil {
		return temperature, nil
	}
	device.Y = v.rates("device", slices.Max(rates))
	device.Caption = "Read and written together, by each disk's own counters, whoever asked for it."
	return temperature, device
}
