package doctor

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	laneTries = 5
	// lanesLow: four requests in flight are not much slower than one unless the file system makes them so: one that fills
	// each gap with zeros writes twice.
	lanesLow = 0.6
)

// laneRates are the rates of new files, with one request in flight and with four, in bytes per second.
type laneRates struct{ one, four []float64 }

// judgeLanes checks whether a new file is written as fast in four lanes as in one: a file system that fills each gap with
// zeros, or allows one writer at a time, makes it slower.
func judgeLanes(r laneRates) trace.Check {
	one, four := slices.Max(r.one), slices.Max(r.four) // other programs can only make them slower
	measured := fmt.Sprintf("a new file with one request in flight %s, with four %s (best of %d)", unit.FormatRate(one), unit.FormatRate(four), len(r.one))
	if four < lanesLow*one {
		return warn(measured, "The file system slows down several requests to a new file: rates are its own, not the disk's.", "set `depth: 1`, or use another file system")
	}
	return pass(measured, "Several requests at a time cost nothing.")
}

// lanes alternates between new files, so that a change meanwhile affects both.
func (t *trial) lanes() (r laneRates, err error) {
	size := max(t.size/4/largeBlock*largeBlock, largeBlock)
	for range laneTries {
		for _, l := range [...]struct {
			lanes int
			rates *[]float64
		}{{1, &r.one}, {depth, &r.four}} {
			m, err := t.move("lanes", trace.Write, job{size: size, block: 1 << 20, lanes: l.lanes})
			if err != nil {
				return r, err
			}
			*l.rates = append(*l.rates, m.rate())
		}
	}
	return r, nil
}
