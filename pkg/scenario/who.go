package scenario

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what in the phase: "C writes; A, B read", "A plays 4 x prores-422-hq-uhd-25; B writes at up to
// 200 MB/s".
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
		return listStreams(j.Streams)
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

// listStreams says what the streams of disks do: "play+ 4 x prores-422-hq-uhd-25".
func listStreams(specs []stream.Spec) string {
	text := "play+"
	if specs[0].Record {
		text = "record+"
	}
	for i, spec := range specs {
		if i > 0 {
			text += " and"
		}
		text += " " + spec.String()
	}
	return text
}
