package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// part is a phase of one run, with what its rates are read from.
type part struct {
	found  *analysis.Phase
	traced *trace.Phase
	window []overlap.Interval
	curves map[string]*overlap.Curve // of the working disks
}

func newPart(r Run, name string) part {
	found, traced := r.phase(name)
	p := part{found: found, traced: traced, window: windowOf(found), curves: map[string]*overlap.Curve{}}
	for _, d := range traced.Disks {
		p.curves[d.Name] = overlap.NewCurve(d)
	}
	return p
}

// windowOf is the time in which all disks of the phase were active.
func windowOf(p *analysis.Phase) []overlap.Interval {
	if p.Overlap == nil {
		return nil
	}
	window := make([]overlap.Interval, len(p.Overlap.Spans))
	for i, span := range p.Overlap.Spans {
		window[i] = overlap.Interval{StartNS: ns(span[0]), EndNS: ns(span[1])}
	}
	return window
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// flow is the rate that some disks have together in a time in which all are active.
func (p part) flow(disks []string, time []overlap.Interval) stats.Flow {
	flows := make([]stats.Flow, len(disks))
	for i, disk := range disks {
		flows[i] = p.curves[disk].Flow(time)
	}
	return stats.Total(flows)
}

// doubt says why a flow shows too little, empty where it does not.
func doubt(f stats.Flow) string {
	switch {
	case f.Length < overlap.ShortS:
		return fmt.Sprintf("only %.1f s were measured", f.Length)
	case f.Doubt() == stats.TooShort:
		return fmt.Sprintf("the progress is known at no more than %d moments", f.Known+1)
	case f.Doubt() == stats.TooFew:
		return "one or two files took almost all of the time, so how files differ cannot be seen"
	default:
		return ""
	}
}

// file is a transfer that lies in the window.
type file struct {
	place int // among the disk's files, those outside the window included
	bytes int64
	rate  float64 // its logarithm
}

// files are the disk's files that lie in the window and share no time with another of theirs.
func (p part) files(disk string) []file {
	var files []file
	for _, d := range p.traced.Disks {
		if d.Name != disk {
			continue
		}
		place := -1
		ended := int64(math.MinInt64)
		for i := range d.Files {
			f := &d.Files[i]
			if f.Filler || !f.Usable() {
				continue
			}
			place++
			alone := f.StartNS >= ended && (i+1 == len(d.Files) || d.Files[i+1].StartNS >= f.EndNS)
			ended = max(ended, f.EndNS)
			within := func(v overlap.Interval) bool { return v.StartNS <= f.StartNS && f.EndNS <= v.EndNS }
			if alone && slices.ContainsFunc(p.window, within) {
				files = append(files, file{place, f.Bytes, math.Log(float64(f.Bytes) / float64(f.EndNS-f.StartNS) * 1e9)})
			}
		}
	}
	return files
}
