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

// temperatureChart is how warm each disk was by its own sensor; nil if nothing was read.
func (v *phaseView) temperatureChart() *Chart {
	if v.traced == nil {
		return nil
	}
	c := v.overTime("temperature", "", Axis{Name: "temperature, °C"})
	c.Caption = "Temperature by each disk's own sensor."
	low, high := math.Inf(1), math.Inf(-1)
	for i, l := range v.lanes {
		warmth := ChartSeries{Kind: Line, Key: i, Name: "temperature"}
		for _, g := range v.traced.Gauges {
			if g.Disk != l.key.Name || g.Name != trace.Temperature {
				continue
			}
			// The first reading is from just before the release, the last from just after the end.
			at := v.seconds(min(max(float64(g.TNS)/1e9, 0), v.endS))
			warmth.point(at, roundForChart(g.Value))
			low = min(low, g.Value)
			high = max(high, g.Value)
		}
		c.add(warmth)
	}
	if low > high {
		return nil
	}
	c.Title = fmt.Sprintf("The disks are between %.0f and %.0f °C warm", low, high)
	c.Y.Min = math.Floor(low) - 2
	c.Y.Max = math.Ceil(high) + 2
	return c
}
