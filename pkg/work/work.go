// Package work knows what one disk does in one phase, from the plan to the page: in which
// direction, files of which sizes in which order, how they are moved, and whether it goes as fast
// as it can. It alone answers whether two measurements are of the same work, so that they may be
// set beside one another: as a rate alone, as repeats, as two runs. It measures nothing, and where
// a disk is connected is no part of it. Start at Work.
package work

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
)

// Work is what a disk is asked for in a phase. Without a Mode it was not recorded: then it holds
// only what a trace shows anyway.
//
// A field with the tag key is a way of moving files that is compared by ==. Its tag is the key of
// a workload, of says which works have it, if not all do, zero what its zero is called, and unit
// that its bytes are told in MiB. With the tag paced it keeps a disk from going as fast as it can:
// see IsPaced. Fields stand in the order of traces that are kept; that of words is in rows.
type Work struct {
	// For a mix, Op is what it does more of; empty if the rest is unknown.
	Op    Role   `json:"op,omitempty"`
	Test  string `json:"test,omitempty"`  // Test is the one of a preset's tests.
	Sizes Sizes  `json:"sizes,omitzero"`  // Sizes are zero if unknown, or for streams and probes.
	Order string `json:"order,omitempty"` // Order is random, ascending, descending or listed.

	// Mode says whether it goes past the system's cache, direct, or through it, app.
	Mode string `json:"io,omitempty" key:"io"`
	// Block is bytes per request. Each request costs time of its own.
	Block int64 `json:"block,omitempty" key:"block" of:"blocks" unit:"binary" zero:"0 B"`
	// Depth counts requests in flight. A link is filled only by several, and a hub may serve by
	// them.
	Depth int `json:"depth,omitempty" key:"depth" of:"blocks"`
	// Access is sequential or random. No disk reads ahead at random.
	Access string `json:"access,omitempty" key:"access" of:"blocks"`
	// Flush is none, fsync or full: how much of the writing is in the time.
	Flush string `json:"flush,omitempty" key:"flush" of:"writes"`
	// Verify is off, stamps or full. Checks between files take time in the window.
	Verify string `json:"verify,omitempty" key:"verify"`
	// Preallocate says whether the file system looks for space within the time.
	Preallocate bool `json:"preallocate,omitempty" key:"preallocate" of:"writes"`
	// Footprint limits what lies on the disk. Old files removed meanwhile are work, and the disk
	// writes where it has just made room.
	Footprint int64 `json:"footprint,omitempty" key:"footprint" zero:"no limit"`
	// Fill is the share of the volume that was full before: a full disk has less of a fast cache.
	Fill float64 `json:"precondition,omitempty" key:"precondition"`
	// WarmUp is files that do not count, before the others: what a start costs and a fresh cache
	// gives.
	WarmUp int `json:"warm_up,omitempty" key:"warm_up"`

	OneFile bool          `json:"one_file,omitempty"` // Its files are passes over the same one.
	Cap     time.Duration `json:"cap_ns,omitempty"`   // Cap limits the time of a file.
	Rest    time.Duration `json:"rest_ns,omitempty"`  // Rest comes before each file but the first.

	// Think comes before each file but the first: the disk waits for its program.
	Think time.Duration `json:"think_ns,omitempty" key:"think" paced:"true"`
	// Pace is bytes per second at most; 0: as fast as it can.
	Pace float64 `json:"pace,omitempty"`
	// Reads is the share of reads in work that does both.
	Reads   float64       `json:"reads,omitempty"`
	Streams []stream.Spec `json:"streams,omitempty"` // Streams is what is played or recorded.
	// Probe is bytes of a single request at a time, which only measures latency.
	Probe int64         `json:"probe,omitempty"`
	Every time.Duration `json:"every_ns,omitempty"` // Every is from one such request to the next.

	Seen *Seen `json:"-"` // Seen is what the files say, if Sizes does not.
}

// The orders of files.
const (
	Random     = "random"     // Drawn sizes stay as they were drawn; listed ones are shuffled.
	Ascending  = "ascending"  // The smallest comes first.
	Descending = "descending" // The largest comes first.
	Listed     = "listed"     // Listed is as the list has them.
)

// ModeApp moves whole files, in one call each: there are no blocks.
const ModeApp = "app"

// HasNoFiles reports whether the disk has no files to move: it plays, records or is probed for as
// long as others work.
func (w Work) HasNoFiles() bool { return len(w.Streams) > 0 || w.Probe > 0 }

// Declared reports whether the work was recorded by the program that did it.
func (w Work) Declared() bool { return w.Mode != "" }

func (w *Work) writes() bool { return w.Op == Write || w.Reads > 0 }

// Same reports whether rates of both mean the same, except for where the disk is connected and what
// goes on beside it.
func (w Work) Same(o Work) bool { return w.SameBut(o) }

// SameBut is Same whatever the work differs by in some keys.
func (w Work) SameBut(o Work, keys ...Key) bool {
	return !slices.ContainsFunc(w.Differs(o), func(k Key) bool { return !slices.Contains(keys, k) })
}

// Role is what a disk does in a phase, in plans, traces and models alike; as an event's `op` it is
// only ever Read or Write.
type Role string

// The three roles, as they stand in scenario files and traces.
const (
	Read  Role = "read"
	Write Role = "write"
	Idle  Role = "idle"
)

// Letter returns the role's letter in a pattern: R, W or -.
func (r Role) Letter() byte {
	switch r {
	case Read:
		return 'R'
	case Write:
		return 'W'
	default:
		return '-'
	}
}

// Paced holds, by disk, the works that are limited or read and write at once.
type Paced map[string]Work

// PacedOf selects them; nil if there are none.
func PacedOf(all map[string]Work) Paced {
	var paced Paced
	for disk, w := range all {
		if w.IsPaced() || w.Reads > 0 {
			if paced == nil {
				paced = Paced{}
			}
			paced[disk] = w
		}
	}
	return paced
}

// Sizes is where the sizes of files come from: a list, repeated, or a range that they are drawn
// from.
type Sizes struct {
	List []int64 `json:"list,omitempty"`
	Min  int64   `json:"min,omitempty"`
	Max  int64   `json:"max,omitempty"`
	// Distribution is uniform (also if empty) or log-uniform.
	Distribution string `json:"distribution,omitempty"`
}

// The distributions sizes are drawn from.
const (
	Uniform    = "uniform"
	LogUniform = "log-uniform"
)

// IsZero reports whether nothing is set.
func (s Sizes) IsZero() bool {
	return len(s.List) == 0 && s.Min == 0 && s.Max == 0 && s.Distribution == ""
}

// one returns the size of all files, if they have one; else 0.
func (s Sizes) one() int64 {
	switch {
	case len(s.List) > 0 && slices.Min(s.List) == slices.Max(s.List):
		return s.List[0]
	case len(s.List) == 0 && s.Min == s.Max:
		return s.Max
	}
	return 0
}

// same reports whether files of both are as large, and equally often so.
func (s Sizes) same(o Sizes) bool {
	switch {
	case s.one() > 0 || o.one() > 0:
		return s.one() == o.one()
	case len(s.List)+len(o.List) == 0:
		return s.Min == o.Min && s.Max == o.Max &&
			(s.Distribution == LogUniform) == (o.Distribution == LogUniform)
	case len(s.List) == 0 || len(o.List) == 0:
		return false
	}
	times := map[int64]int{}
	for _, size := range s.List {
		times[size] += len(o.List)
	}
	for _, size := range o.List {
		times[size] -= len(s.List)
	}
	maps.DeleteFunc(times, func(_ int64, left int) bool { return left == 0 })
	return len(times) == 0
}

// sameSizes reports whether files are of the same sizes: by what was recorded, else by what was
// seen.
func (w *Work) sameSizes(o *Work) bool {
	if !w.Sizes.IsZero() && !o.Sizes.IsZero() {
		return w.Sizes.same(o.Sizes)
	}
	return w.Sizes.IsZero() == o.Sizes.IsZero() && w.Seen.sameSizes(o.Seen)
}

// order returns the order of the files as far as it matters: of files of one size there is none,
// and drawn ones come as they were drawn whatever it is called.
func (w *Work) order() string {
	switch {
	case w.Sizes.IsZero() && w.Seen != nil:
		return w.Seen.order
	case w.Sizes.one() > 0:
		return ""
	case len(w.Sizes.List) == 0 && w.Order == Listed:
		return Random
	}
	return w.Order
}

// Seen is what the files of work that was not recorded show of it.
type Seen struct {
	sorted []int64 // bytes
	order  string  // order is ascending, descending, or empty for neither.
	// slice is the nanoseconds of every file of a log that counts bytes by time; 0 if they differ.
	slice int64
}

const (
	// ordered is how many different sizes show an order: that many of them stand in one by chance
	// in 1 of 360 cases.
	ordered = 6
	// evenly is how far the times of files may lie apart that are slices of time.
	evenly = 1.02
	// about is how many times as large files may be as others of about the same size.
	about = 2
	// enough is how many sizes make a sample.
	enough = 5000
	// unlike is the chance by which sizes drawn from one range are mistaken for those of another.
	unlike = 0.001
)

// See looks at the sizes of files, in the order of their transfer, and the shortest and the longest
// time of one, in nanoseconds.
func See(sizes []int64, smallest, largest int64) *Seen {
	s := &Seen{sorted: sample(sizes)}
	slices.Sort(s.sorted)
	switch different := slices.Compact(slices.Clone(s.sorted)); {
	case len(different) < ordered:
	case slices.IsSorted(sizes):
		s.order = Ascending
	case slices.IsSortedFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) }):
		s.order = Descending
	}
	if len(sizes) > 1 && float64(largest) <= evenly*float64(smallest) {
		s.slice = smallest
	}
	return s
}

// sample returns some of the sizes, spread over all of the time by steps of the golden ratio, so
// that no regularity of a list falls in with theirs (Weyl's equidistribution).
func sample(sizes []int64) []int64 {
	if len(sizes) <= enough {
		return slices.Clone(sizes)
	}
	some := make([]int64, enough)
	for i := range some {
		_, at := math.Modf(float64(i) * math.Phi)
		some[i] = sizes[int(at*float64(len(sizes)))]
	}
	return some
}

// Range returns the smallest, the middle and the largest size; zeros without files.
func (s *Seen) Range() (smallest, median, largest int64) {
	if s == nil || len(s.sorted) == 0 {
		return 0, 0, 0
	}
	return s.sorted[0], s.sorted[len(s.sorted)/2], s.sorted[len(s.sorted)-1]
}

// sameSizes reports whether files are of about the same sizes. Slices of one length in time always
// are: their bytes are a rate. Else both are, except for a factor, as drawn from one range by the
// two-sample test of Kolmogorov and Smirnov (Smirnov, "Table for Estimating the Goodness of Fit of
// Empirical Distributions", Annals of Mathematical Statistics 19, 1948), and their ranges meet,
// which decides if files are too few for the test.
func (s *Seen) sameSizes(o *Seen) bool {
	if s == nil || o == nil || len(s.sorted) == 0 || len(o.sorted) == 0 {
		return s == nil && o == nil
	}
	if s.slice > 0 && o.slice > 0 &&
		float64(max(s.slice, o.slice)) <= evenly*float64(min(s.slice, o.slice)) {
		return true
	}
	a := s.sorted
	b := o.sorted
	n := float64(len(a))
	m := float64(len(b))
	chance := math.Sqrt(-math.Log(unlike/2) / 2 * (n + m) / (n * m))
	return a[0] <= about*b[len(b)-1] && b[0] <= about*a[len(a)-1] && smaller(a, b) <= chance &&
		smaller(b, a) <= chance
}

// smaller is by how much the share of sizes up to any one in a is above that of sizes up to about
// as much in b.
func smaller(a, b []int64) float64 {
	largest := 0.0
	k := 0
	for i := range a {
		for k < len(b) && b[k] <= about*a[i] {
			k++
		}
		largest = max(largest, float64(i+1)/float64(len(a))-float64(k)/float64(len(b)))
	}
	return largest
}
