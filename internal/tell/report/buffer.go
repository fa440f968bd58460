package report

import (
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// flow is all of a disk's streams over time: the lowest of their buffers and all their late frames in each step.
type flow struct {
	stepS   float64
	bufferS []float64
	late    []int
	lateSum int
}

// maxFlow is how many steps of a flow are drawn.
const maxFlow = 600

// flowOf puts a disk's streams together; nil if they were not followed.
func flowOf(streams []analysis.Stream, disk string) *flow {
	of := func(yield func(*analysis.StreamSeries) bool) {
		for i := range streams {
			if s := streams[i].Series; streams[i].Disk == disk && s != nil && s.StepS > 0 && !yield(s) {
				return
			}
		}
	}
	out, steps := &flow{}, 0
	for s := range of {
		out.stepS, steps = s.StepS, max(steps, min(len(s.BufferS), len(s.Late)))
	}
	if steps == 0 {
		return nil
	}
	by := (steps + maxFlow - 1) / maxFlow // steps joined to one
	out.stepS *= float64(by)
	out.bufferS, out.late = slices.Repeat([]float64{math.Inf(1)}, (steps+by-1)/by), make([]int, (steps+by-1)/by)
	for s := range of {
		for k := range min(len(s.BufferS), len(s.Late)) {
			out.bufferS[k/by] = min(out.bufferS[k/by], s.BufferS[k])
			out.late[k/by] += s.Late[k]
			out.lateSum += s.Late[k]
		}
	}
	return out
}

// streamPanels stand under the phase over time, on its axis: how full the streams' buffers were, and the late frames.
func (v *phaseView) streamPanels(keys []Key) []Panel {
	buffer, late := Panel{Height: 90}, Panel{Height: 70}
	full, top, stepS := 0.0, 0, 0.0
	var sums []string
	var below []int // late frames already drawn in each step
	for i, key := range keys {
		f := flowOf(v.found.Streams, key.Name)
		if f == nil {
			continue
		}
		level := Mark{Shape: Segment, Style: Line, Key: i, Name: "lowest buffer"}
		frames := Mark{Shape: Rectangle, Key: i, Name: "late frames"}
		for k, s := range f.bufferS {
			from, to, y := v.seconds(float64(k)*f.stepS), v.seconds(min(v.endS, float64(k+1)*f.stepS)), Round(s, 3)
			if to <= from {
				break
			}
			level.stairs(from, to, y)
			if k == len(below) {
				below = append(below, 0)
			}
			if n := f.late[k]; n > 0 {
				frames.Rows = append(frames.Rows, []float64{from, to, float64(below[k]), float64(below[k] + n)})
				below[k] += n
				top = max(top, below[k])
			}
		}
		full, stepS = max(full, slices.Max(f.bufferS)), max(stepS, f.stepS)
		buffer.Marks = append(buffer.Marks, level)
		if frames.Rows != nil {
			late.Marks, sums = append(late.Marks, frames), append(sums, key.Label+" "+unit.FormatCount(f.lateSum))
		}
	}
	if buffer.Marks == nil {
		return nil
	}
	size := v.found.Streams[0].BufferS
	if size > 0 && !slices.ContainsFunc(v.found.Streams, func(s analysis.Stream) bool { return s.BufferS != size }) {
		full = max(full, size)
		buffer.Marks = append(buffer.Marks, Mark{Shape: Rule, Style: Limit, Key: None, Text: "half of the buffer", Rows: [][]float64{{0, v.seconds(v.endS), Round(size/2, 3)}}})
	}
	buffer.Y = Axis{Name: "lowest buffer of the streams, s", Max: 1.08 * max(full, 1e-3)}
	if late.Marks == nil {
		return []Panel{buffer}
	}
	late.Y = Axis{Name: "late frames in " + unit.FormatSeconds(stepS) + " (in all: " + strings.Join(sums, ", ") + ")", Max: math.Ceil(1.08 * float64(top))}
	return []Panel{buffer, late}
}

// stairs adds a level that holds for a while, and the step up or down to it.
func (m *Mark) stairs(from, to, level float64) {
	if n := len(m.Rows); n > 0 {
		last := m.Rows[n-1]
		if last[3] == level {
			last[1] = to
			return
		}
		m.Rows = append(m.Rows, []float64{from, from, last[3], level})
	}
	m.Rows = append(m.Rows, []float64{from, to, level, level})
}
