package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// ownPace stands where a comparison of rates would mislead: the disk does no more than its work asks for.
const ownPace = "own pace"

// ownPaceNote says what that means.
const ownPaceNote = "Own pace: the disk moves what its streams, its pace or its probe ask for, which says nothing of what it could."

// limited reports whether the disk's rate is that of its work.
func (v *phaseView) limited(name string) bool { return v.found.Paced[name].Limited() }

// hasLimited reports whether any of the phase's disks works at a pace of its own.
func hasLimited(found *analysis.Phase) bool {
	for name := range found.Disks {
		if found.Paced[name].Limited() {
			return true
		}
	}
	return false
}

// limitedAmong is how many of the overlap's disks do.
func (v *phaseView) limitedAmong(o *analysis.Overlap) int {
	n := 0
	for name := range o.Disks {
		if v.limited(name) {
			n++
		}
	}
	return n
}

// plays reports whether the disk's files are stretches of streams or of a probe: no files of anyone's.
func plays(p work.Work) bool { return len(p.Streams) > 0 || p.Probe > 0 }

// doing is what a disk does in the phase, for its legend: "playing 4 × prores-422-hq-uhd-25", "writing, 200 MB/s at most".
func (v *phaseView) doing(name string) string {
	role := verb(v.found.Roles[name])
	p := v.found.Paced[name]
	switch {
	case len(p.Streams) > 0:
		var parts []string
		for _, s := range p.Streams {
			parts = append(parts, pick(s.Record, "recording ", "playing ")+streamsOf(s.Count, s.Kind))
		}
		return strings.Join(parts, ", ")
	case p.Probe > 0:
		return "probe, " + blockText(p.Probe) + " at a time"
	case p.Pace > 0:
		return role + ", " + unit.FormatRate(p.Pace) + " at most"
	case p.Reads > 0:
		return fmt.Sprintf("%s reads, %s writes", percent(p.Reads), percent(1-p.Reads))
	}
	return role
}

// work is what a disk does, in a word of a table's.
func (v *phaseView) work(name string) string {
	p := v.found.Paced[name]
	switch {
	case slices.ContainsFunc(p.Streams, func(s stream.Spec) bool { return !s.Record }):
		return "play"
	case len(p.Streams) > 0:
		return "record"
	case p.Probe > 0:
		return "probe"
	case p.Reads > 0:
		return "read, write"
	}
	return string(v.found.Roles[name])
}

// blockText is the size of a request, in the powers of two that it is given in where it is one.
func blockText(bytes int64) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprint(bytes>>20) + " MiB"
	case bytes%(1<<10) == 0:
		return fmt.Sprint(bytes>>10) + " KiB"
	}
	return unit.FormatBytes(bytes)
}

// streamsOf is some streams of one kind.
func streamsOf(count int, kind string) string { return fmt.Sprintf("%d × %s", count, Clean(kind)) }

// act is what disks do: of one disk, and of several.
type act struct{ one, many string }

// with is the same with more words behind it.
func (a act) with(words string) act { return act{a.one + words, a.many + words} }

// actOf is what a disk does in a phase: "writes at 1.5 GB/s at most".
func actOf(role trace.Role, p work.Work) act {
	a := actions(role, p)
	if p.Pace > 0 && a != (act{}) {
		return a.with(" at " + unit.FormatRate(p.Pace) + " at most")
	}
	return a
}

// actions are what a disk does, however fast.
func actions(role trace.Role, p work.Work) act {
	count := func(record bool) (n int) {
		for _, s := range p.Streams {
			if s.Record == record {
				n += s.Count
			}
		}
		return n
	}
	played, recorded := count(false), count(true)
	switch {
	case played > 0 && recorded > 0:
		return act{fmt.Sprintf("plays %d and records %s", played, plural(recorded, "stream")), fmt.Sprintf("play %d and record %s each", played, plural(recorded, "stream"))}
	case played > 0:
		return act{"plays " + plural(played, "stream"), "play " + plural(played, "stream") + " each"}
	case recorded > 0:
		return act{"records " + plural(recorded, "stream"), "record " + plural(recorded, "stream") + " each"}
	case p.Probe > 0:
		return act{"is probed", "are probed"}
	case p.Reads > 0:
		return act{"reads and writes", "read and write"}.with(fmt.Sprintf(" %.0f/%.0f", 100*p.Reads, 100*(1-p.Reads)))
	case role == trace.Read:
		return act{"reads", "read"}
	case role == trace.Write:
		return act{"writes", "write"}
	}
	return act{}
}
