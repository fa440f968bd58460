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

// flowOf puts a disk's streams over time together: the lowest of their buffers and all their late frames in each
// step, of stepS seconds; nothing if they were not followed.
func flowOf(streams []analysis.Stream, disk string) (stepS float64, bufferS []float64, late []int) {
	var list []*analysis.StreamSeries
	steps := 0
	for _, of := range streams {
		if s := of.Series; of.Disk == disk && s != nil && s.StepS > 0 {
			list, stepS, steps = append(list, s), s.StepS, max(steps, min(len(s.BufferS), len(s.Late)))
		}
	}
	if steps == 0 {
		return 0, nil, nil
	}
	by := (steps + maxFlow - 1) / maxFlow // steps joined to one
	bufferS, late = slices.Repeat([]float64{math.Inf(1)}, (steps+by-1)/by), make([]int, (steps+by-1)/by)
	for _, s := range list {
		for k := range min(len(s.BufferS), len(s.Late)) {
			bufferS[k/by] = min(bufferS[k/by], s.BufferS[k])
			late[k/by] += s.Late[k]
		}
	}
	return stepS * float64(by), bufferS, late
}

// streamCharts are how full the streams' buffers were over time, and the frames that were dropped; none if the streams
// were not followed.
func (v *phaseView) streamCharts() []Block {
	buffer := v.overTime("buffer", "", Axis{Name: "lowest buffer of the streams, s"})
	dropped := v.overTime("dropped", "", Axis{Name: "dropped frames in a step, frames"})
	emptiest, sum := math.Inf(1), 0
	for i, l := range v.lanes {
		stepS, bufferS, late := flowOf(v.found.Streams, l.key.Name)
		level := Series{Kind: Line, Key: i, Name: "lowest buffer"}
		frames := Series{Kind: Line, Key: i, Name: "dropped frames"}
		for k, seconds := range bufferS {
			from, to := v.seconds(float64(k)*stepS), v.seconds(min(v.endS, float64(k+1)*stepS))
			if to <= from {
				continue
			}
			level.hold(from, to, Round(seconds, 3))
			frames.hold(from, to, float64(late[k]))
			emptiest, sum = min(emptiest, seconds), sum+late[k]
			buffer.Y.Max, dropped.Y.Max = max(buffer.Y.Max, seconds), max(dropped.Y.Max, float64(late[k]))
		}
		buffer.add(level)
		dropped.add(frames)
	}
	if buffer.Series == nil {
		return nil
	}
	buffer.Title = "The buffer sinks to " + unit.FormatSeconds(emptiest)
	buffer.Caption = "The lowest buffer of each disk's streams. A stream whose buffer is empty drops frames."
	size := v.found.Streams[0].BufferS
	if size > 0 && !slices.ContainsFunc(v.found.Streams, func(s analysis.Stream) bool { return s.BufferS != size }) {
		buffer.Y.Max = max(buffer.Y.Max, size)
		buffer.Marks = []Mark{{At: Round(size/2, 3), Text: "half of the buffer", Key: None, Tone: Doubt}}
	}
	buffer.Y.Max = 1.08 * max(buffer.Y.Max, 1e-3)
	if sum == 0 {
		return []Block{buffer}
	}
	dropped.Title = unit.FormatCount(sum) + " frames are dropped"
	dropped.Caption = "All of each disk's streams together."
	dropped.Y.Max = math.Ceil(1.08 * dropped.Y.Max)
	return []Block{buffer, dropped}
}

// minReadingS is the shortest time between two readings of a counter that makes a rate: the last may come right
// after the one before it.
const minReadingS = 0.2

// gaugeCharts are what the machine's own meters showed meanwhile: how warm each disk was, and what its device moved
// by its own counters, whoever asked for it.
func (v *phaseView) gaugeCharts() (temperature, device *Chart) {
	if v.traced == nil {
		return nil, nil
	}
	temperature = v.overTime("temperature", "", Axis{Name: "temperature, °C", Min: math.Inf(1), Max: math.Inf(-1)})
	device = v.overTime("device", "What each disk counted", Axis{})
	top := 0.0
	// The first reading is from just before the release, and the last from just after the end.
	at := func(ns int64) float64 { return v.seconds(min(max(float64(ns)/1e9, 0), v.endS)) }
	for i, l := range v.lanes {
		readings := map[string][]trace.Gauge{}
		for _, g := range v.traced.Gauges {
			if g.Disk == l.key.Name {
				readings[g.Name] = append(readings[g.Name], g)
			}
		}
		warmth := Series{Kind: Line, Key: i, Name: "temperature"}
		for _, g := range readings[trace.Temperature] {
			warmth.point(at(g.TNS), Round(g.Value, 4))
			temperature.Y.Min, temperature.Y.Max = min(temperature.Y.Min, g.Value), max(temperature.Y.Max, g.Value)
		}
		temperature.add(warmth)
		counted := Series{Kind: Line, Key: i, Name: "moved by its own count"}
		read, written := readings[trace.DeviceRead], readings[trace.DeviceWrite]
		for k := 1; k < len(written); k++ {
			bytes := written[k].Value - written[k-1].Value
			if len(read) == len(written) {
				bytes += read[k].Value - read[k-1].Value
			}
			if s := float64(written[k].TNS-written[k-1].TNS) / 1e9; s >= minReadingS && bytes >= 0 {
				top = max(top, bytes/s)
				counted.hold(at(written[k-1].TNS), at(written[k].TNS), v.rate(bytes/s))
			}
		}
		device.add(counted)
	}
	if y := &temperature.Y; temperature.Series == nil {
		temperature = nil
	} else {
		temperature.Title = fmt.Sprintf("The disks are between %.0f and %.0f °C warm", y.Min, y.Max)
		temperature.Caption = "Temperature by each disk's own sensor."
		y.Min, y.Max = math.Floor(y.Min)-2, math.Ceil(y.Max)+2
	}
	if device.Series == nil {
		return temperature, nil
	}
	device.Y = v.rates("device", top)
	device.Caption = "Read and written together, by each disk's own counters, whoever asked for it."
	return temperature, device
}
