package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// gaugeFigure is what the machine's own meters showed meanwhile: how warm each disk was, and what its device moved by its
// own counters, whoever asked for it.
func gaugeFigure(v *phaseView) *Figure {
	f := &Figure{ID: "gauges", Title: "The disks' own meters", Wide: true, Keys: v.laneKeys(), X: Axis{Name: "time", Unit: Seconds, Max: v.endS}}
	warm, moved := Panel{Height: 90}, Panel{Height: 90}
	low, high, top := math.Inf(1), math.Inf(-1), 0.0
	for i, key := range f.Keys {
		line := Mark{Shape: Segment, Style: Line, Key: i, Name: "temperature"}
		counter := Mark{Shape: Segment, Style: Line, Key: i, Name: "moved by its own count"}
		warmth := v.gauges(key.Name, trace.Temperature)
		for k, g := range warmth {
			low, high = min(low, g.Value), max(high, g.Value)
			next := warmth[min(k+1, len(warmth)-1)]
			line.Rows = append(line.Rows, []float64{v.seconds(v.within(g.TNS)), v.seconds(v.within(next.TNS)), Round(g.Value, 4), Round(next.Value, 4)})
		}
		read, written := v.gauges(key.Name, trace.DeviceRead), v.gauges(key.Name, trace.DeviceWrite)
		for k := 1; k < len(written); k++ {
			lastNS, nowNS := written[k-1].TNS, written[k].TNS
			bytes := written[k].Value - written[k-1].Value
			if k < len(read) && len(read) == len(written) {
				bytes += read[k].Value - read[k-1].Value
			}
			// The last reading may come right after the one before it: too short a time for a rate.
			if seconds := float64(nowNS-lastNS) / 1e9; seconds >= minReadingS && bytes >= 0 {
				top = max(top, bytes/seconds)
				from, level := v.seconds(v.within(lastNS)), v.rate(bytes/seconds)
				counter.stairs(from, v.seconds(v.within(nowNS)), level)
			}
		}
		if counter.Rows != nil {
			moved.Marks = append(moved.Marks, counter)
		}
		if line.Rows != nil {
			warm.Marks = append(warm.Marks, line)
		}
	}
	if moved.Marks != nil {
		f.Text = "Read and written together, by each disk's own counters, whoever asked for it."
		moved.Y = v.rates("device", top)
		f.Panels = append(f.Panels, moved)
	}
	if warm.Marks != nil {
		f.Title = fmt.Sprintf("The disks are between %.0f and %.0f °C warm", low, high)
		f.Text = strings.TrimSpace("Temperature by each disk's own sensor. " + f.Text)
		warm.Y = Axis{Name: "temperature, °C", Min: math.Floor(low) - 2, Max: math.Ceil(high) + 2}
		f.Panels = append([]Panel{warm}, f.Panels...)
	}
	if f.Panels == nil {
		return nil
	}
	return f
}

// minReadingS is the shortest time between two readings of a counter that makes a rate.
const minReadingS = 0.2

// gauges are a disk's readings of a name in the phase; none if the trace is not at hand.
func (v *phaseView) gauges(disk, name string) []trace.Gauge {
	var out []trace.Gauge
	if v.run.Trace != nil {
		for _, p := range v.run.Trace.Phases {
			for _, g := range p.Gauges {
				if p.Name == v.found.Phase && g.Disk == disk && g.Name == name {
					out = append(out, g)
				}
			}
		}
	}
	return out
}

// within is a time in seconds, moved into the phase: the first reading is from just before the release, and the last from
// just after the end.
func (v *phaseView) within(ns int64) float64 { return min(max(float64(ns)/1e9, 0), v.endS) }
