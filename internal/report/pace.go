package report

import (
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
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

// doing is what a disk does in the phase, for its legend: "playing 4 x ProRes 422 HQ UHD 25p", "writing at up to 200 MB/s".
func (v *phaseView) doing(name string) string {
	w := workOf(v.found.Roles[name], v.found.Paced[name])
	return Clean(w.Verb().Ing + w.Listed())
}

// workOf is the work of a disk of a role.
func workOf(role trace.Role, w work.Work) work.Work {
	w.Op = role
	return w
}

// work is what a disk does, in a word of a table's.
func (v *phaseView) work(name string) string {
	if v.found.Paced[name].Probe > 0 {
		return "probe"
	}
	return workOf(v.found.Roles[name], v.found.Paced[name]).Verb().Several
}
