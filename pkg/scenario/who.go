package scenario

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what in the phase: "C writes; A, B read", "A plays 4 streams; B writes at up to 200 MB/s".
func (p Phase) Who() string {
	var works []string
	disks := map[string][]string{}
	for _, j := range p.Jobs {
		work := j.work()
		if disks[work] == nil {
			works = append(works, work)
		}
		disks[work] = append(disks[work], j.Disk)
	}
	var parts []string
	for _, work := range works {
		parts = append(parts, strings.Join(disks[work], ", ")+" "+conjugate(work, len(disks[work])))
	}
	return strings.Join(parts, "; ")
}

// work is what the job does, as of several disks; verbs end in +.
func (j Job) work() string {
	var text string
	switch {
	case len(j.Streams) > 0:
		return countStreams(j.Streams)
	case j.Probe > 0:
		return "answer+ " + unit.FormatBlock(j.IO.Block) + " at a time"
	case j.Reads > 0:
		text = fmt.Sprintf("read+ and write+ %.0f/%.0f", 100*j.Reads, 100*(1-j.Reads))
	default:
		text = string(j.Role) + "+"
	}
	if j.Pace > 0 {
		text += " at up to " + unit.FormatBytes(int64(j.Pace)) + "/s"
	}
	return text
}

// conjugate puts the verbs of a work into the form that goes with a number of disks.
func conjugate(work string, disks int) string {
	ending := ""
	if disks == 1 {
		ending = "s"
	}
	return strings.ReplaceAll(work, "+", ending)
}

// countStreams says what the streams of disks do: "play+ 4 streams".
func countStreams(specs []stream.Spec) string {
	count, verb := 0, "play+"
	for _, spec := range specs {
		count += spec.Count
		if spec.Record {
			verb = "record+"
		}
	}
	if count == 1 {
		return verb + " 1 stream"
	}
	return fmt.Sprintf("%s %d streams", verb, count)
}
