package scenario

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what in the phase: "C writes; A, B read", "A plays 4 streams; B writes at up to 200 MB/s".
func (p Phase) Who() string {
	var works []doing
	disks := map[doing][]string{}
	for _, j := range p.Jobs {
		work := j.doing()
		if disks[work] == nil {
			works = append(works, work)
		}
		disks[work] = append(disks[work], j.Disk)
	}
	var parts []string
	for _, work := range works {
		text := work.several
		if len(disks[work]) == 1 {
			text = work.one
		}
		parts = append(parts, strings.Join(disks[work], ", ")+" "+text)
	}
	return strings.Join(parts, "; ")
}

// doing is what one disk does, and what several do.
type doing struct{ one, several string }

// with is the same with more words behind it.
func (d doing) with(words string) doing { return doing{d.one + words, d.several + words} }

// verb is a regular verb of what disks do.
func verb(word string) doing { return doing{word + "s", word} }

func (j Job) doing() doing {
	var work doing
	switch {
	case len(j.Streams) > 0:
		return streaming(j.Streams)
	case j.Probe > 0:
		return doing{"is", "are"}.with(" probed by " + unit.FormatBlock(j.IO.Block))
	case j.Reads > 0:
		work = doing{"reads and writes", "read and write"}.with(fmt.Sprintf(" %.0f/%.0f", 100*j.Reads, 100*(1-j.Reads)))
	default:
		work = verb(string(j.Role))
	}
	if j.Pace > 0 {
		work = work.with(" at up to " + unit.FormatBytes(int64(j.Pace)) + "/s")
	}
	return work
}

// streaming says what streams do: "plays 4 streams".
func streaming(specs []stream.Spec) doing {
	count, does := 0, "play"
	for _, spec := range specs {
		count += spec.Count
		if spec.Record {
			does = "record"
		}
	}
	if count == 1 {
		return verb(does).with(" 1 stream")
	}
	return verb(does).with(fmt.Sprintf(" %d streams", count))
}
