package work

import (
	"math"
	"slices"
)

// Seen is what the files of work that was not recorded show of it.
type Seen struct {
	sorted []int64 // bytes
	order  string  // ascending, descending; empty: neither
	slice  int64   // nanoseconds that every file takes, of a log that counts bytes by time; 0: they differ
}

const (
	// ordered is how many different sizes show an order: that many of them stand in one by chance in 1 of 360 cases.
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

// See looks at the sizes of files, in the order of their transfer, and the shortest and the longest time of one, in nanoseconds.
func See(sizes []int64, smallest, largest int64) *Seen {
	s := &Seen{sorted: sample(sizes)}
	up, down := true, true
	for i := 1; i < len(sizes); i++ {
		up, down = up && sizes[i] >= sizes[i-1], down && sizes[i] <= sizes[i-1]
	}
	slices.Sort(s.sorted)
	different := 1
	for i := 1; i < len(s.sorted) && different < ordered; i++ {
		if s.sorted[i] != s.sorted[i-1] {
			different++
		}
	}
	switch {
	case different < ordered:
	case up:
		s.order = Ascending
	case down:
		s.order = Descending
	}
	if len(sizes) > 1 && float64(largest) <= evenly*float64(smallest) {
		s.slice = smallest
	}
	return s
}

// sample is some of the sizes, spread over all of the time by steps of the golden ratio, so that no regularity of a list
// falls in with theirs (Weyl's equidistribution).
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

// Range is the smallest, the middle and the largest size; zeros without files.
func (s *Seen) Range() (smallest, median, largest int64) {
	if s == nil || len(s.sorted) == 0 {
		return 0, 0, 0
	}
	return s.sorted[0], s.sorted[len(s.sorted)/2], s.sorted[len(s.sorted)-1]
}

// alike reports whether files are of about the same sizes. Slices of one length in time always are: their bytes are a rate.
// Else both are, except for a factor, as drawn from one range by the two-sample test of Kolmogorov and Smirnov (Smirnov,
// "Table for Estimating the Goodness of Fit of Empirical Distributions", Annals of Mathematical Statistics 19, 1948), and
// their ranges meet, which decides if files are too few for the test.
func (s *Seen) alike(o *Seen) bool {
	if s == nil || o == nil || len(s.sorted) == 0 || len(o.sorted) == 0 {
		return s == nil && o == nil
	}
	if s.slice > 0 && o.slice > 0 && float64(max(s.slice, o.slice)) <= evenly*float64(min(s.slice, o.slice)) {
		return true
	}
	a, b := s.sorted, o.sorted
	n, m := float64(len(a)), float64(len(b))
	chance := math.Sqrt(-math.Log(unlike/2) / 2 * (n + m) / (n * m))
	return a[0] <= about*b[len(b)-1] && b[0] <= about*a[len(a)-1] && smaller(a, b) <= chance && smaller(b, a) <= chance
}

// smaller is by how much the share of sizes up to any one in a is above that of sizes up to about as much in b.
func smaller(a, b []int64) float64 {
	largest, k := 0.0, 0
	for i := range a {
		for k < len(b) && b[k] <= about*a[i] {
			k++
		}
		largest = max(largest, float64(i+1)/float64(len(a))-float64(k)/float64(len(b)))
	}
	return largest
}
