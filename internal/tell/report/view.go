package report

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// phaseView is a phase laid out for its figures and tables.
type phaseView struct {
	run    *Run
	traced *trace.Phase // nil if the trace is not at hand
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
	files []trace.File
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
	if run.Trace != nil {
		at := slices.IndexFunc(run.Trace.Phases, func(p *trace.Phase) bool { return p.Name == found.Name })
		if at >= 0 {
			v.traced = run.Trace.Phases[at]
			v.lanes = say.Each(v.traced.Disks, v.lane)
		}
	}
	v.measure()
	finest := v.endS / 1e5 // when no single file is drawn
	if !v.many {           // else a twentieth of the shortest file
		finest = v.endS / 1e4
		for _, l := range v.lanes {
			for f := range l.all() {
				finest = min(finest, (f.endS-f.startS)/20)
			}
		}
	}
	v.perS = 1e9
	if finest > 0 {
		v.perS = math.Pow10(min(9, max(0, int(math.Ceil(-math.Log10(finest))))))
	}
	return v
}

// lane is a disk's files but for the impossible ones, which the analysis reports.
func (v *phaseView) lane(d *trace.DiskRecord) lane {
	l := lane{key: v.key(d.Name), op: d.Op, stats: v.found.Disks[d.Name], files: d.Files}
	l.drop(func(f trace.File) bool { return !f.Usable() })
	return l
}

// drop leaves files out of the lane. There may be millions: they are copied only if there are any to leave out.
func (l *lane) drop(out func(trace.File) bool) {
	if slices.ContainsFunc(l.files, out) {
		l.files = slices.DeleteFunc(slices.Clone(l.files), out)
	}
}

// at is a file of the lane.
func (l *lane) at(i int) file {
	f := &l.files[i]
	bytes, took := float64(f.Bytes), float64(f.EndNS-f.StartNS)/1e9
	return file{float64(f.StartNS) / 1e9, float64(f.EndNS) / 1e9, bytes, bytes / took, f.Seq, f.Filler}
}

// all are the lane's files.
func (l *lane) all() iter.Seq[file] {
	return func(yield func(file) bool) {
		for i := range l.files {
			if !yield(l.at(i)) {
				return
			}
		}
	}
}

// measure finds the bounds of the lanes' files.
func (v *phaseView) measure() {
	v.top, v.largeB, v.smallB, v.sumB = 0, 0, math.Inf(1), 0
	count := 0
	for _, l := range v.lanes {
		sum := 0.0
		for f := range l.all() {
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

// ofFiles is the phase without the disks whose files are nobody's: stretches of streams, and of probes; and without
// fillers.
func (v *phaseView) ofFiles() *phaseView {
	w := *v
	w.lanes = nil
	for _, l := range v.lanes {
		if v.found.Paced[l.key.Name].Accompanies() {
			continue
		}
		l.drop(func(f trace.File) bool { return f.Filler })
		w.lanes = append(w.lanes, l)
	}
	w.measure()
	return &w
}

// key is the disk of that name, with what it does in this phase: "playing 4 x ProRes 422 HQ UHD 25p", "writing at up to
// 200 MB/s".
func (v *phaseView) key(name string) Key {
	key := Key{Name: name, Label: name}
	if i := keyOf(v.keys, name); i >= 0 {
		key = v.keys[i]
	}
	does := v.workOf(name)
	key.Does = Clean(does.Verb().Ing + does.Listed())
	return key
}

func (v *phaseView) label(disk string) string { return labelOf(v.keys, disk) }

// working are the phase's working disks in the run's order.
func (v *phaseView) working() []Key {
	var out []Key
	for _, key := range v.keys {
		if active(v.found.Roles[key.Name]) {
			out = append(out, v.key(key.Name))
		}
	}
	return out
}

// laneKeys are the keys of a figure of files: a mark's key is its lane's number.
func (v *phaseView) laneKeys() []Key {
	return say.Each(v.lanes, func(l lane) Key { return l.key })
}

// seconds rounds an instant to what can be told apart.
func (v *phaseView) seconds(s float64) float64 { return math.Round(s*v.perS) / v.perS }

// rate is one in the document's unit, as fine as a screen shows.
func (v *phaseView) rate(r float64) float64 { return Round(r/v.scale.Size, 4) }

// ownPace stands where a comparison of rates would mislead: the disk does no more than its work asks for.
const ownPace = "own pace"

// ownPaceNote says what that means.
const ownPaceNote = "Own pace: the disk moves what its streams, its pace, its pauses or its probe " +
	"ask for, which says nothing of what it could."

// limited reports whether the disk's rate is that of its work.
func (v *phaseView) limited(name string) bool { return v.found.Paced[name].Limited() }

// workOf is the work of a disk in the phase.
func (v *phaseView) workOf(name string) work.Work {
	return workOf(v.found.Roles[name], v.found.Paced[name])
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
	return v.workOf(name).Verb().Several
}

const (
	maxBands    = 1200 // about the pixels of a screen
	maxOutliers = 200  // of a phase
)

// band is the files of a part of the axis in short: their mean rate and the middle nine tenths of them, each file
// weighted by how much of the part it takes.
type band struct{ from, to, mean, p05, p95 float64 }

// bands cuts the axis from 0 to end into equal parts of some twenty files each, or more if that would make more
// parts than a screen can show. Parts without a file are left out. The files lie on the axis in their order, so that
// those of a few parts are held at a time.
func (l *lane) bands(end float64, place func(f file) (from, to float64)) []band {
	if end <= 0 || len(l.files) == 0 {
		return nil
	}
	count := min(maxBands, max(100, len(l.files)/20))
	width := end / float64(count)
	type share struct{ rate, weight float64 }
	parts, spare := make([][]share, count), []share(nil)
	var out []band
	sumUp := func(i int) {
		part := parts[i]
		slices.SortFunc(part, func(a, b share) int { return cmp.Compare(a.rate, b.rate) })
		sum, weight := 0.0, 0.0
		for _, s := range part {
			sum, weight = sum+s.rate*s.weight, weight+s.weight
		}
		quantile := func(p float64) float64 {
			left := p * weight
			at := slices.IndexFunc(part, func(s share) bool { left -= s.weight; return left <= 0 })
			return part[pick(at < 0, len(part)-1, at)].rate
		}
		if len(part) > 0 {
			from, to := float64(i)*width, float64(i+1)*width
			out = append(out, band{from, to, sum / weight, quantile(0.05), quantile(0.95)})
		}
		parts[i], spare = nil, part[:0]
	}
	next := 0 // part to sum up
	for f := range l.all() {
		from, to := place(f)
		first := max(0, int(from/width))
		for ; next < min(first, count); next++ {
			sumUp(next)
		}
		for i := first; i < count; i++ {
			weight := min(to, float64(i+1)*width) - max(from, float64(i)*width)
			if weight <= 0 {
				break
			}
			if parts[i] == nil {
				parts[i], spare = spare, nil
			}
			parts[i] = append(parts[i], share{f.rate, weight})
		}
	}
	for ; next < count; next++ {
		sumUp(next)
	}
	return out
}

// outliers are the files of all lanes that lie furthest from their disk's bands, by lane and in order; none if there
// are no bands.
func outliers(lanes []lane, all [][]band) [][]file {
	if all == nil {
		return nil
	}
	type outlier struct {
		lane int
		file file
		far  float64 // how far from its band's mean, as a logarithm of the ratio
	}
	var candidates []outlier
	furthest := func() {
		slices.SortFunc(candidates, func(a, b outlier) int {
			return cmp.Or(cmp.Compare(b.far, a.far), cmp.Compare(a.file.startS, b.file.startS), cmp.Compare(a.lane, b.lane))
		})
		candidates = candidates[:min(len(candidates), maxOutliers)]
	}
	for i, l := range lanes {
		for f := range l.all() {
			at, found := slices.BinarySearchFunc(all[i], (f.startS+f.endS)/2, func(b band, t float64) int {
				return pick(b.to < t, -1, pick(b.from > t, 1, 0))
			})
			if b := all[i]; found && (f.rate < b[at].p05 || f.rate > b[at].p95) {
				candidates = append(candidates, outlier{i, f, math.Abs(math.Log(f.rate / b[at].mean))})
			}
			if len(candidates) > 50*maxOutliers {
				furthest()
			}
		}
	}
	furthest()
	out := make([][]file, len(lanes))
	for _, c := range candidates {
		out[c.lane] = append(out[c.lane], c.file)
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b file) int { return cmp.Compare(a.startS, b.startS) })
	}
	return out
}
