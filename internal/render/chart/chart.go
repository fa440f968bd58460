// Package chart holds the data behind the report's pictures, the same for the interactive page and for
// static files: what stands where, in seconds and bytes per second. It draws nothing (see html and plot)
// and judges nothing (see analysis). Start at NewTimeline.
package chart

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Timeline is one phase over time: each file's speed, all disks' total, and who was busy when.
type Timeline struct {
	Disks   []Lane
	Total   []Step // of all disks, ascending, without holes
	Windows []Span // the stretches of the overlap window
	EndS    float64
}

// Lane is one disk's part in a timeline.
type Lane struct {
	Disk  string
	Index int // in the run's list of disks: gives colour and symbol
	Op    scenario.Role
	Files []Segment
}

// Segment is one file: its span, and its rate over it.
type Segment struct {
	Span
	Seq   int
	Bytes int64
	Rate  float64 // bytes per second
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
	for _, disk := range phase.Disks {
		lane := Lane{Disk: disk.Name, Index: Index(run, disk.Name), Op: disk.Op}
		for _, file := range disk.Files {
			if file.EndNS <= file.StartNS || file.Bytes <= 0 {
				continue // reported by the analysis as impossible
			}
			seconds := float64(file.EndNS-file.StartNS) / 1e9
			lane.Files = append(lane.Files, Segment{
				Span:  Span{StartS: float64(file.StartNS) / 1e9, EndS: float64(file.EndNS) / 1e9},
				Seq:   file.Seq,
				Bytes: file.Bytes,
				Rate:  float64(file.Bytes) / seconds,
			})
			line.EndS = max(line.EndS, float64(file.EndNS)/1e9)
		}
		line.Disks = append(line.Disks, lane)
	}
	line.Total = total(phase, line.EndS)
	return line
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

// maxSteps is how many steps the total has at most: more than a screen shows of it.
const maxSteps = 400

// total is the sum of all disks' rates in steps of one width, by the bytes that moved in each.
func total(phase *trace.Phase, end float64) []Step {
	if end <= 0 {
		return nil
	}
	width := nice(end / maxSteps)
	moved := make([]float64, int(math.Ceil(end/width)))
	for _, disk := range phase.Disks {
		for _, file := range disk.Files {
			from, done := file.StartNS, int64(0)
			for _, sample := range file.Samples {
				spread(moved, width, from, sample.TNS, sample.Bytes-done)
				from, done = sample.TNS, sample.Bytes
			}
			spread(moved, width, from, file.EndNS, file.Bytes-done)
		}
	}
	steps := make([]Step, len(moved))
	for i, bytes := range moved {
		span := Span{float64(i) * width, min(float64(i+1)*width, end)}
		steps[i] = Step{Span: span, Rate: bytes / (span.EndS - span.StartS)}
	}
	return steps
}

// spread adds bytes moved evenly between two instants to the steps that they fall into.
func spread(moved []float64, width float64, fromNS, toNS, bytes int64) {
	if toNS <= fromNS || bytes <= 0 {
		return
	}
	from, to := float64(fromNS)/1e9, float64(toNS)/1e9
	rate := float64(bytes) / (to - from)
	for i := max(0, int(from/width)); i < len(moved); i++ {
		start, end := max(from, float64(i)*width), min(to, float64(i+1)*width)
		if end <= start {
			if float64(i)*width >= to {
				return
			}
			continue
		}
		moved[i] += rate * (end - start)
	}
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= x {
			return factor * power
		}
	}
	return 10 * power
}
