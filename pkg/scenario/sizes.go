package scenario

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/work"
)

// The distributions sizes are drawn from.
const (
	uniform    = work.Uniform
	logUniform = work.LogUniform // as many from 2 to 20 MB as from 200 MB to 2 GB
)

// grain is what drawn sizes are multiples of, in bytes, so that they can be moved past the cache whole.
const grain = 4096

// Sizes says how large a job's files are: those of a list, over and over, exactly as given; or drawn from a range.
// Drawn sizes are multiples of 4 KiB, unless the range holds none.
type Sizes struct {
	List         []int64
	Min, Max     int64
	Distribution string // uniform (also if empty) | log-uniform
}

// IsZero reports whether no sizes were given.
func (s Sizes) IsZero() bool { return s.List == nil && s.Max == 0 }

// value is a list of sizes, or a range.
func (s *Sizes) value() strictyaml.Value {
	list := strictyaml.Items[int64]{
		To:    &s.List,
		Item:  func(size *int64) strictyaml.Value { return strictyaml.Bytes(size, 1, maxFileSize) },
		Empty: "sizes is empty; list one, such as 1 GB, or delete the key",
	}
	span := strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "min", Need: true, Value: strictyaml.Bytes(&s.Min, 1, maxFileSize), About: "the smallest size"},
			{Name: "max", Need: true, Value: strictyaml.Bytes(&s.Max, 1, maxFileSize), About: "the largest size"},
			{Name: "distribution", Value: strictyaml.OneOf(&s.Distribution, uniform, logUniform).Default(uniform),
				About: "uniform: every size equally likely; log-uniform: as many from 2 to 20 MB as from 200 MB to 2 GB"},
		},
		Check: func(m *strictyaml.Mapping) {
			if at, ok := m.Get("max"); ok && s.Max > 0 && s.Max < s.Min {
				at.Errorf("max is less than min; swap them")
			}
		},
	}
	return strictyaml.MappingOr(span.Value(), list.Value()).First(func() { *s = Sizes{} })
}

// sizesOf is the sizes of a job's files in the order of transfer.
//
// Drawn sizes depend on the seed and the disk alone: a disk moves the same files in every phase that does not override them (as many
// of them as the phase has), so that phases differ only by their pattern, and files written for
// one read phase serve the next. A shuffled list has an order of its own in each phase.
func (w Workload) sizesOf(phase, disk string, files int) []int64 {
	w = w.resolved()
	sizes := make([]int64, files)
	if list := w.Sizes.List; list != nil {
		for i := range sizes {
			sizes[i] = list[i%len(list)]
		}
		if w.Order == orderRandom {
			shuffle(newStream(w.Seed, "order", phase, disk), sizes)
		}
	} else {
		r := newStream(w.Seed, "sizes", disk)
		for i := range sizes {
			sizes[i] = w.Sizes.draw(r)
		}
	}
	switch w.Order {
	case orderAscending:
		slices.Sort(sizes)
	case orderDescending:
		slices.SortFunc(sizes, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	return sizes
}

// source is where so many files of the workload take their sizes from: of a longer list its beginning.
func (w Workload) source(files int) work.Sizes {
	s := work.Sizes(w.Sizes)
	s.List = s.List[:min(len(s.List), files)]
	return s
}

// draw takes the next size from the range.
func (s Sizes) draw(r *rand.PCG) int64 {
	unit := int64(grain)
	least, most := (s.Min+unit-1)/unit, s.Max/unit
	if least > most {
		unit, least, most = 1, s.Min, s.Max
	}
	if s.Distribution == logUniform {
		// Every value between two whole numbers is rounded down, so the range is that of the numbers' lower edges.
		from, to := math.Log(float64(least)), math.Log(float64(most+1))
		fraction := float64(r.Uint64()>>11) / (1 << 53)
		return unit * min(max(int64(math.Exp(from+fraction*(to-from))), least), most)
	}
	return unit * (least + below(r, most-least+1))
}
