package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

// streamPanels stand under the phase over time, on its axis: how full the streams' buffers were, and the late frames.
func (v *phaseView) streamPanels(keys []Key) []Panel {
	buffer, late := Panel{Height: 90}, Panel{Height: 70}
	full, top, longest := 0.0, 0, 0.0
	var sums []string
	var below []int // late frames already drawn in each step
	for i, key := range keys {
		stepS, bufferS, lateIn := flowOf(v.found.Streams, key.Name)
		if bufferS == nil {
			continue
		}
		level := OldMark{Shape: Segment, Style: Bare, Key: i, Name: "lowest buffer"}
		frames := OldMark{Shape: Rectangle, Key: i, Name: "late frames"}
		sum := 0
		for k, s := range bufferS {
			sum += lateIn[k]
			from, to := v.seconds(float64(k)*stepS), v.seconds(min(v.endS, float64(k+1)*stepS))
			if to <= from {
				continue
			}
			level.stairs(from, to, Round(s, 3))
			if k == len(below) {
				below = append(below, 0)
			}
			if n := lateIn[k]; n > 0 {
				frames.row(from, to, float64(below[k]), float64(below[k]+n))
				below[k] += n
				top = max(top, below[k])
			}
		}
		full, longest = max(full, slices.Max(bufferS)), max(longest, stepS)
		buffer.mark(level)
		if frames.Rows != nil {
			late.mark(frames)
			sums = append(sums, key.Label+" "+unit.FormatCount(sum))
		}
	}
	if buffer.Marks == nil {
		return nil
	}
	size := v.found.Streams[0].BufferS
	if size > 0 && !slices.ContainsFunc(v.found.Streams, func(s analysis.Stream) bool { return s.BufferS != size }) {
		full = max(full, size)
		half := OldMark{Shape: Rule, Style: Limit, Key: None, Text: "half of the buffer"}
		buffer.mark(half, 0, v.seconds(v.endS), Round(size/2, 3))
	}
	buffer.Y = Axis{Name: "lowest buffer of the streams, s", Max: 1.08 * max(full, 1e-3)}
	if late.Marks == nil {
		return []Panel{buffer}
	}
	late.Y = Axis{
		Name: "late frames in " + unit.FormatSeconds(longest) + " (in all: " + strings.Join(sums, ", ") + ")",
		Max:  math.Ceil(1.08 * float64(top)),
	}
	return []Panel{buffer, late}
}

// minReadingS is the shortest time between two readings of a counter that makes a rate: the last may come right
// after the one before it.
const minReadingS = 0.2

// gaugeFigure is what the machine's own meters showed meanwhile: how warm each disk was, and what its device moved
// by its own counters, whoever asked for it.
func gaugeFigure(v *phaseView) *Figure {
	if v.traced == nil {
		return nil
	}
	f := v.overTime("gauges", "The disks' own meters")
	warm, moved := Panel{Height: 90}, Panel{Height: 90}
	low, high, top := math.Inf(1), math.Inf(-1), 0.0
	// The first reading is from just before the release, and the last from just after the end.
	at := func(ns int64) float64 { return v.seconds(min(max(float64(ns)/1e9, 0), v.endS)) }
	for i, key := range f.Keys {
		readings := map[string][]trace.Gauge{}
		for _, g := range v.traced.Gauges {
			if g.Disk == key.Name {
				readings[g.Name] = append(readings[g.Name], g)
			}
		}
		line := OldMark{Shape: Segment, Style: Bare, Key: i, Name: "temperature"}
		warmth := readings[trace.Temperature]
		for k, g := range warmth {
			low, high = min(low, g.Value), max(high, g.Value)
			next := warmth[min(k+1, len(warmth)-1)]
			line.row(at(g.TNS), at(next.TNS), Round(g.Value, 4), Round(next.Value, 4))
		}
		counter := OldMark{Shape: Segment, Style: Bare, Key: i, Name: "moved by its own count"}
		read, written := readings[trace.DeviceRead], readings[trace.DeviceWrite]
		for k := 1; k < len(written); k++ {
			bytes := written[k].Value - written[k-1].Value
			if len(read) == len(written) {
				bytes += read[k].Value - read[k-1].Value
			}
			if s := float64(written[k].TNS-written[k-1].TNS) / 1e9; s >= minReadingS && bytes >= 0 {
				top = max(top, bytes/s)
				counter.stairs(at(written[k-1].TNS), at(written[k].TNS), v.rate(bytes/s))
			}
		}
		if counter.Rows != nil {
			moved.mark(counter)
		}
		if line.Rows != nil {
			warm.mark(line)
		}
	}
	if warm.Marks != nil {
		f.Title = fmt.Sprintf("The disks are between %.0f and %.0f °C warm", low, high)
		f.Text = "Temperature by each disk's own sensor."
		warm.Y = Axis{Name: "temperature, °C", Min: math.Floor(low) - 2, Max: math.Ceil(high) + 2}
		f.Panels = append(f.Panels, warm)
	}
	if moved.Marks != nil {
		f.Text = strings.TrimSpace(f.Text + " Read and written together, by each disk's own counters, whoever asked for it.")
		moved.Y = v.rates("device", top)
		f.Panels = append(f.Panels, moved)
	}
	return pick(f.Panels == nil, nil, f)
}
