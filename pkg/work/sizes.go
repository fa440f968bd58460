package work

import (
	"slices"
)

// Sizes is where the sizes of files come from: a list, repeated, or a range that they are drawn from.
type Sizes struct {
	List         []int64 `json:"list,omitempty"`
	Min          int64   `json:"min,omitempty"`
	Max          int64   `json:"max,omitempty"`
	Distribution string  `json:"distribution,omitempty"` // uniform (also if empty) | log-uniform
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

// one is the size of all files, if they have one; else 0.
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
		return s.Min == o.Min && s.Max == o.Max && (s.Distribution == LogUniform) == (o.Distribution == LogUniform)
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
	for _, left := range times {
		if left != 0 {
			return false
		}
	}
	return true
}

// sameSizes reports whether files are of the same sizes: by what was recorded, else by what was seen.
func (w *Work) sameSizes(o *Work) bool {
	if !w.Sizes.IsZero() && !o.Sizes.IsZero() {
		return w.Sizes.same(o.Sizes)
	}
	return w.Sizes.IsZero() == o.Sizes.IsZero() && w.Seen.alike(o.Seen)
}

// order is the order of the files as far as it matters: of files of one size there is none, and drawn ones come as they were
// drawn whatever it is called.
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
