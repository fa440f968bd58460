// Package chart holds the data behind the report's pictures, the same for the interactive page and for
// static files: what stands where, in seconds and bytes per second. It draws nothing (see html and plot)
// and judges nothing (see analysis). Start at NewTimeline.
package chart

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Timeline is one phase over time: each file's speed, all disks' total, and who was busy when.
type Timeline struct {
	Disks   []Lane
	Total   []Step // of all disks, ascending, without holes
	Windows []Span // the stretches of the overlap window
	EndS    float64
}

// Lane is one disk's part in a timeline: every file, or where they are too many to tell apart (see MaxFiles)
// bands, the files that stand out of them, and the stretches with a file in transfer.
type Lane struct {
	Disk     string
	Index    int // in the run's list of disks: gives colour and symbol
	Op       trace.Role
	N        int // files
	Files    []Segment
	Bands    []Band
	Outliers []Segment
	Busy     []Span
}

// MaxFiles is the most files of a phase that are drawn one by one.
const MaxFiles = 5000

// Segment is one file: its span, and its rate over it.
type Segment struct {
	Span
	Seq    int
	Bytes  int64
	Rate   float64 // bytes per second
	Filler bool    // keeps the disk busy for the others' sake and is no part of its work
}

// Span is a stretch of time in seconds since the phase's release.
type Span struct{ StartS, EndS float64 }

// Step is a rate that holds over a span.
type Step struct {
	Span
	Rate float64 // bytes per second
}

// NewTimeline lays out a phase. The analysis says where the overlap window lies.
func NewTimeline(run *trace.Run, phase *trace.Phase, found *analysis.Phase) *Timeline {
	line := &Timeline{Windows: Windows(found)}
	count := 0
	for _, disk := range phase.Disks {
		lane := Lane{Disk: disk.Name, Index: Index(run, disk.Name), Op: disk.Op, Files: segments(disk)}
		lane.N = len(lane.Files)
		count += lane.N
		for _, file := range lane.Files {
			line.EndS = max(line.EndS, file.EndS)
		}
		line.Disks = append(line.Disks, lane)
	}
	line.Total = total(phase, line.EndS)
	if count > MaxFiles {
		line.condense()
	}
	return line
}

// segments are the disk's files but for the impossible ones, which the analysis reports.
func segments(disk *trace.DiskTrace) []Segment {
	out := make([]Segment, 0, len(disk.Files))
	for i := range disk.Files {
		file := &disk.Files[i]
		if !file.Usable() {
			continue
		}
		out = append(out, Segment{
			Span:   Span{StartS: float64(file.StartNS) / 1e9, EndS: float64(file.EndNS) / 1e9},
			Seq:    file.Seq,
			Bytes:  file.Bytes,
			Rate:   float64(file.Bytes) / (float64(file.EndNS-file.StartNS) / 1e9),
			Filler: file.Filler,
		})
	}
	return out
}

// Index is the disk's place in the run's list, or 0 where the list lacks it.
func Index(run *trace.Run, disk string) int {
	return max(0, slices.IndexFunc(run.Disks, func(d trace.Disk) bool { return d.Name == disk }))
}

// Windows are the stages in which every working disk was active, neighbours joined.
func Windows(phase *analysis.Phase) []Span {
	if phase == nil || phase.Overlap == nil {
		return nil
	}
	var spans []Span
	for _, stage := range phase.Stages {
		if len(stage.Active) < len(phase.Overlap.Disks) {
			continue
		}
		if n := len(spans); n > 0 && stage.StartS-spans[n-1].EndS < 1e-9 {
			spans[n-1].EndS = stage.EndS
			continue
		}
		spans = append(spans, Span{stage.StartS, stage.EndS})
	}
	if spans == nil {
		spans = []Span{{phase.Overlap.StartS, phase.Overlap.EndS}}
	}
	return spans
}
