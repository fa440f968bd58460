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
}

// maxFlow is how many steps of a flow are drawn.
const maxFlow = 600

// flowOf puts a disk's streams together; nil if they were not followed.
func flowOf(streams []analysis.Stream, disk string) *flow {
	var out *flow
	for i := range streams {
		s := streams[i].Series
		if streams[i].Disk != disk || s == nil || s.StepS <= 0 {
			continue
		}
		if out == nil {
			out = &flow{stepS: s.StepS}
		}
		for k := range min(len(s.BufferS), len(s.Late)) {
			if k == len(out.bufferS) {
				out.bufferS, out.late = append(out.bufferS, s.BufferS[k]), append(out.late, 0)
			}
			out.bufferS[k] = min(out.bufferS[k], s.BufferS[k])
			out.late[k] += s.Late[k]
		}
	}
	if out == nil || len(out.bufferS) == 0 {
		return nil
	}
	return out.coarser((len(out.bufferS) + maxFlow - 1) / maxFlow)
}

// coarser joins so many steps to one.
func (f *flow) coarser(by int) *flow {
	out := &flow{stepS: f.stepS * float64(by)}
	for part := range slices.Chunk(f.bufferS, by) {
		out.bufferS = append(out.bufferS, slices.Min(part))
	}
	for part := range slices.Chunk(f.late, by) {
		sum := 0
		for _, n := range part {
			sum += n
		}
		out.late = append(out.late, sum)
	}
	return out
}

// lateText is how many frames were late in all.
func (f *flow) lateText() string {
	sum := 0
	for _, n := range f.late {
		sum += n
	}
	return unit.FormatCount(sum)
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
			late.Marks, sums = append(late.Marks, frames), append(sums, key.Label+" "+f.lateText())
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
