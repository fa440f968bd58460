package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// phaseView is a phase of a run laid out for its charts and tables.
type phaseView struct {
	*runDoc
	traced *trace.Phase // nil if the trace is not at hand
	found  *analysis.PhaseResult
	lanes  []lane // the working disks; none if the trace is not at hand
	many   bool   // more files than can be drawn one by one
	endS   float64
	top    float64 // the fastest file's rate
	largeB float64 // the largest file
	smallB float64
	sumB   float64 // the most that a disk moved
	perS   float64 // the finest parts of a second that are drawn
}

// lane is one disk's files but for the impossible ones, which the analysis reports, and what it
// says of them.
type lane struct {
	key   LegendKey
	op    trace.Role
	files []transfer
	stats analysis.DiskResult
}

// transfer is what moving one file took, in seconds since the phase's release and bytes per second.
type transfer struct {
	startS, endS float64
	bytes        float64
	rate         float64
	movedB       float64 // what its disk had moved before it
	number       float64 // among its disk's, from 1
	filler       bool    // keeps the disk busy for the others' sake and is no part of its work
}

// maxFiles is the most files of a phase that are drawn one by one.
const maxFiles = 5000

// view lays out the phase of that index.
func (r *runDoc) view(i int) *phaseView {
	v := &phaseView{runDoc: r, found: &r.a.Phases[i], perS: 1e9}
	if v.found.Series != nil {
		v.endS = v.found.Series.EndS
	}
	if r.run.Trace != nil {
		for _, p := range r.run.Trace.Phases {
			if p.Name == v.found.Name {
				v.traced, v.lanes = p, analysis.Each(p.Disks, v.newLane)
			}
		}
	}
	v.findBounds()
	if v.endS > 0 {
		v.perS = math.Pow10(min(9, max(0, int(math.Ceil(-math.Log10(v.endS/1e5))))))
	}
	return v
}

func (v *phaseView) newLane(d *trace.DiskRecord) lane {
	l := lane{key: v.key(d.Name), op: d.Op, stats: v.found.Disks[d.Name]}
	var movedB float64
	for i := range d.Files {
		f := &d.Files[i]
		if !f.Usable() {
			continue
		}
		bytes, seconds := float64(f.Bytes), float64(f.EndNS-f.StartNS)/1e9
		l.files = append(l.files, transfer{
			float64(f.StartNS) / 1e9, float64(f.EndNS) / 1e9, bytes, bytes / seconds, movedB,
			float64(f.Seq + 1), f.Filler,
		})
		if !f.Filler {
			movedB += bytes
		}
	}
	return l
}

// findBounds finds the bounds of the lanes' files.
func (v *phaseView) findBounds() {
	v.top, v.largeB, v.smallB, v.sumB = 0, 0, math.Inf(1), 0
	count := 0
	for _, l := range v.lanes {
		count += len(l.files)
		for _, f := range l.files {
			v.endS, v.top = max(v.endS, f.endS), max(v.top, f.rate)
			if !f.filler {
				v.sumB = max(v.sumB, f.movedB+f.bytes)
				v.largeB, v.smallB = max(v.largeB, f.bytes), min(v.smallB, f.bytes)
			}
		}
	}
	v.many = count > maxFiles
}

// ofFiles is the phase without the disks whose files are nobody's: stretches of streams, and of
// probes; and without fillers.
func (v *phaseView) ofFiles() *phaseView {
	w := *v
	w.lanes = nil
	for _, l := range v.lanes {
		if !v.found.Paced[l.key.Name].HasNoFiles() {
			w.lanes = append(w.lanes, l.withoutFillers())
		}
	}
	w.findBounds()
	return &w
}

// withoutFillers copies the files only if there are fillers among them: there may be millions.
func (l lane) withoutFillers() lane {
	first := 0
	for first < len(l.files) && !l.files[first].filler {
		first++
	}
	if first == len(l.files) {
		return l
	}
	files := slices.Clone(l.files[:first])
	for _, f := range l.files[first:] {
		if !f.filler {
			files = append(files, f)
		}
	}
	l.files = files
	return l
}

// key is the disk of that name, with what it does in this phase: "playing 4 x ProRes 422 HQ UHD
// 25p", "writing at up to 200 MB/s".
func (v *phaseView) key(name string) LegendKey {
	key := LegendKey{Name: name, Label: name}
	if i := v.keyOf(name); i >= 0 {
		key = v.Keys[i]
	}
	does := workOf(v.found, name)
	key.Does = Clean(does.Verb().Ing + does.Listed())
	return key
}

// working are the phase's working disks in the run's order.
func (v *phaseView) working() []LegendKey {
	var out []LegendKey
	for _, key := range v.Keys {
		if active(v.found.Roles[key.Name]) {
			out = append(out, v.key(key.Name))
		}
	}
	return out
}

// laneKeys are the keys of a chart of files: a series' key is its lane's number.
func (v *phaseView) laneKeys() []LegendKey {
	return analysis.Each(v.lanes, func(l lane) LegendKey { return l.key })
}

// seconds rounds an instant to what can be told apart.
func (v *phaseView) seconds(s float64) float64 { return math.Round(s*v.perS) / v.perS }

// rate is one in the document's unit, as fine as a screen shows.
func (v *phaseView) rate(r float64) float64 { return roundForChart(r / v.Size) }

// ownPace stands where a comparison of rates would mislead: the disk does no more than its work
// asks for.
const ownPace = "own pace"

// ownPaceNote says what that means.
const ownPaceNote = "Own pace: the disk moves what its streams, its pace, its pauses or its " +
	"probe ask for, which says nothing of what it could."

// limited reports whether the disk's rate is that of its work.
func (v *phaseView) limited(name string) bool { return v.found.Paced[name].IsPaced() }

// workOf is the work of a disk in a phase.
func workOf(p *analysis.PhaseResult, disk string) work.Work {
	w := p.Paced[disk]
	w.Op = p.Roles[disk]
	return w
}

const (
	minBuckets  = 100
	maxBuckets  = 1200 // about the pixels of a screen
	perBucket   = 20   // files
	maxOutliers = 200  // maximum number of outliers in a phase
)

// bucket is the files of a part of an axis in short: their bytes over their time, and the middle
// nine tenths of their rates. It has no seconds if no file is in it.
type bucket struct {
	rates          []float64 // in order
	bytes, seconds float64
	mean           float64
	low, high      float64
	x              float64 // the middle of the part, from 0 to 1
}

// placing says from where to where a file lies on an axis, from 0 to 1.
type placing func(f transfer) (from, to float64)

// buckets cuts an axis into parts of some twenty files each, or more if that would make more parts
// than a screen can show. A file is of the part in which its middle lies.
func (l *lane) buckets(place placing) []bucket {
	out := make([]bucket, min(maxBuckets, max(minBuckets, len(l.files)/perBucket)))
	for _, f := range l.files {
		b := &out[index(f, place, len(out))]
		b.rates = append(b.rates, f.rate)
		b.bytes += f.bytes
		b.seconds += f.endS - f.startS
	}
	for i := range out {
		b := &out[i]
		if n := len(b.rates); n > 0 {
			slices.Sort(b.rates)
			b.mean, b.low, b.high = b.bytes/b.seconds, b.rates[n/20], b.rates[n-1-n/20]
			b.x = (float64(i) + 0.5) / float64(len(out))
		}
	}
	return out
}

func index(f transfer, place placing, n int) int {
	from, to := place(f)
	return min(n-1, max(0, int((from+to)/2*float64(n))))
}

// outliers are a lane's files outside its buckets, those first that are furthest from the mean.
func (l *lane) outliers(buckets []bucket, place placing) []transfer {
	far := func(f transfer) float64 { // a logarithm of the ratio; 0 inside the bucket
		b := &buckets[index(f, place, len(buckets))]
		if b.low <= f.rate && f.rate <= b.high {
			return 0
		}
		return math.Abs(math.Log(f.rate / b.mean))
	}
	var out []transfer
	for _, f := range l.files {
		if far(f) != 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b transfer) int { return cmp.Compare(far(b), far(a)) })
	return out
}
