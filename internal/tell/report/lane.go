package report

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// phaseView is a phase laid out for its figures and tables.
type phaseView struct {
	run    *Run
	found  *analysis.Phase
	scale  Scale
	keys   []Key  // of the run's disks
	lanes  []lane // the working disks; none if the trace is not at hand
	many   bool   // more files than can be drawn one by one
	endS   float64
	top    float64 // the fastest file's rate
	largeB float64 // the largest file
	smallB float64
	sumB   float64 // the most that a disk moved
	perS   float64 // the finest parts of a second that are drawn
}

// lane is one disk's files, and what the analysis says of them.
type lane struct {
	key   Key
	op    trace.Role
	files []file
	stats analysis.Disk
}

// file is one transfer, in seconds since the phase's release and bytes per second.
type file struct {
	startS, endS float64
	bytes        float64
	rate         float64
	seq          int
	filler       bool // keeps the disk busy for the others' sake and is no part of its work
}

// maxFiles is the most files of a phase that are drawn one by one.
const maxFiles = 5000

func newPhaseView(run *Run, keys []Key, found *analysis.Phase, scale Scale) *phaseView {
	v := &phaseView{run: run, found: found, scale: scale, keys: keys, smallB: math.Inf(1)}
	if found.Series != nil {
		v.endS = found.Series.EndS
	}
	defer v.setFinest()
	if run.Trace == nil {
		return v
	}
	for _, traced := range run.Trace.Phases {
		for _, d := range traced.Disks {
			if traced.Name == found.Phase {
				v.lanes = append(v.lanes, lane{key: v.key(d.Name), op: d.Op, stats: found.Disks[d.Name], files: files(d)})
			}
		}
	}
	v.measure()
	return v
}

// measure finds the bounds of the lanes' files.
func (v *phaseView) measure() {
	v.top, v.largeB, v.smallB, v.sumB = 0, 0, math.Inf(1), 0
	count := 0
	for _, l := range v.lanes {
		sum := 0.0
		for _, f := range l.files {
			v.endS, v.top = max(v.endS, f.endS), max(v.top, f.rate)
			if !f.filler {
				sum += f.bytes
				v.largeB, v.smallB = max(v.largeB, f.bytes), min(v.smallB, f.bytes)
			}
		}
		v.sumB = max(v.sumB, sum)
		count += len(l.files)
	}
	v.many = count > maxFiles
}

// ofFiles is the phase without the disks whose files are nobody's: stretches of streams, and of probes; and without fillers.
func (v *phaseView) ofFiles() *phaseView {
	w := *v
	w.lanes = nil
	for _, l := range v.lanes {
		if !v.found.Paced[l.key.Name].Accompanies() {
			l.files = slices.DeleteFunc(slices.Clone(l.files), func(f file) bool { return f.filler })
			w.lanes = append(w.lanes, l)
		}
	}
	w.measure()
	return &w
}

// files are the disk's but for the impossible ones, which the analysis reports.
func files(d *trace.DiskTrace) []file {
	out := make([]file, 0, len(d.Files))
	for i := range d.Files {
		f := &d.Files[i]
		if took := float64(f.EndNS-f.StartNS) / 1e9; f.Usable() {
			out = append(out, file{float64(f.StartNS) / 1e9, float64(f.EndNS) / 1e9, float64(f.Bytes), float64(f.Bytes) / took, f.Seq, f.Filler})
		}
	}
	return out
}

// key is the disk of that name, with what it does in this phase.
func (v *phaseView) key(name string) Key {
	key := Key{Name: name, Label: name}
	if i := keyOf(v.keys, name); i >= 0 {
		key = v.keys[i]
	}
	key.Does = v.doing(name)
	return key
}

// working are the phase's working disks in the run's order.
func (v *phaseView) working() []Key {
	var out []Key
	for _, key := range v.keys {
		if role := v.found.Roles[key.Name]; role == trace.Read || role == trace.Write {
			out = append(out, v.key(key.Name))
		}
	}
	return out
}

// laneKeys are the keys of a figure of files: a mark's key is its lane's number.
func (v *phaseView) laneKeys() []Key {
	var keys []Key
	for _, l := range v.lanes {
		keys = append(keys, l.key)
	}
	return keys
}

// setFinest finds how finely instants can be told apart in the phase's figures: a twentieth of the shortest file.
func (v *phaseView) setFinest() {
	finest := v.endS / 1e5 // when no single file is drawn
	if !v.many {
		finest = v.endS / 1e4
		for _, l := range v.lanes {
			for _, f := range l.files {
				finest = min(finest, (f.endS-f.startS)/20)
			}
		}
	}
	v.perS = 1e9
	if finest > 0 {
		v.perS = math.Pow10(min(9, max(0, int(math.Ceil(-math.Log10(finest))))))
	}
}

// seconds rounds an instant to what can be told apart.
func (v *phaseView) seconds(s float64) float64 { return math.Round(s*v.perS) / v.perS }

// rate is one in the document's unit, as fine as a screen shows.
func (v *phaseView) rate(r float64) float64 { return Round(r/v.scale.Size, 4) }

// ownPace stands where a comparison of rates would mislead: the disk does no more than its work asks for.
const ownPace = "own pace"

// ownPaceNote says what that means.
const ownPaceNote = "Own pace: the disk moves what its streams, its pace or its probe ask for, which says nothing of what it could."

// limited reports whether the disk's rate is that of its work.
func (v *phaseView) limited(name string) bool { return v.found.Paced[name].Limited() }

// free are the phase's working disks that go as fast as they can.
func (v *phaseView) free() []Key {
	return slices.DeleteFunc(v.working(), func(k Key) bool { return v.limited(k.Name) })
}

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
