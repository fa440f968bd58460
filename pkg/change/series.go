package change

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/stats"
)

// phase is all disks over one grid of time. Moments within it are in bins.
type phase struct {
	binS   float64
	n      int
	disks  []*disk
	drifts []drift
	known  []moment
	// Where what all disks have in common changes: at the full price of a cut, and at a lower one.
	sumCuts, sumCandidates []int
	events                 []*event
	tried                  map[[2]*event]bool
}

// disk is one disk's rates in bins of time.
type disk struct {
	*ledger.History
	number     int // in phase.disks
	on, stalls []span
	rate       []float64 // bytes per second, of each bin of the phase
	bins       []int     // those in which it works and moves
	before     []int     // how many of these there are before each bin of the phase, and the end
	x          []float64 // the logarithms of the rates in these bins
	file       []int     // the file that each of them lies in
	drift      bool      // a slope was taken out of x
	excursions []excursion

	score      float64
	byFile     bool  // noise that is new in each file explains more than one with a memory
	cuts       []int // bins of x, at the full price of a cut
	candidates []int // at a lower price
	noise
}

// span is from a moment to another, in bins.
type span struct{ from, to float64 }

func newPhase(disks []*ledger.History) *phase {
	p := &phase{tried: map[[2]*event]bool{}}
	endNS := int64(0)
	for _, d := range disks {
		if len(d.Active) > 0 {
			endNS = max(endNS, d.EndNS())
		}
	}
	p.binS = max(binS, float64(endNS)/1e9/maxBins)
	p.n = int(float64(endNS) / 1e9 / p.binS)
	for _, d := range disks {
		if len(d.Active) == 0 {
			continue
		}
		if of := p.newDisk(d); len(of.x) >= minDiskBins {
			of.number = len(p.disks)
			p.disks = append(p.disks, of)
		}
	}
	return p
}

// at returns a moment in bins.
func (p *phase) at(ns int64) float64 { return float64(ns) / 1e9 / p.binS }

// ns returns when a moment is.
func (p *phase) ns(at float64) int64 { return int64(math.Round(at * p.binS * 1e9)) }

// s returns a length of time in bins.
func (p *phase) s(seconds float64) float64 { return seconds / p.binS }

func (p *phase) newDisk(h *ledger.History) *disk {
	d := &disk{History: h, rate: make([]float64, p.n)}
	for _, v := range h.Active {
		d.on = append(d.on, span{p.at(v.StartNS), p.at(v.EndNS)})
	}
	for _, v := range h.Stalls {
		d.stalls = append(d.stalls, span{p.at(v.StartNS), p.at(v.EndNS)})
	}
	bytes := h.Curve.At(0)
	for i := range d.rate {
		done := h.Curve.At(p.ns(float64(i + 1)))
		d.rate[i] = float64(done-bytes) / p.binS
		bytes = done
	}
	works := d.works()
	d.before = make([]int, p.n+1)
	files := h.Trace.Files
	for i, ok := range works {
		d.before[i] = len(d.x)
		if !ok {
			continue
		}
		middle := p.ns(float64(i) + 0.5)
		file := sort.Search(len(files), func(k int) bool { return files[k].StartNS >= middle })
		d.bins = append(d.bins, i)
		d.x = append(d.x, math.Log(max(d.rate[i], 1)))
		d.file = append(d.file, file-1)
	}
	d.before[p.n] = len(d.x)
	return d
}

// works reports in which bins the disk works all the time, and moves.
func (d *disk) works() []bool {
	const slack = 1e-6
	works := make([]bool, len(d.rate))
	var rates []float64
	for _, v := range d.on {
		last := min(int(v.to+slack), len(works))
		for i := max(0, int(math.Ceil(v.from-slack))); i < last; i++ {
			works[i] = true
			rates = append(rates, d.rate[i])
		}
	}
	slices.Sort(rates)
	still := 0.0
	if len(rates) > 0 {
		still = stillShare * stats.Quantile(rates, 0.75)
	}
	for from := 0; from < len(works); from++ {
		to := from
		for to < len(works) && works[to] && d.rate[to] < still {
			to++
		}
		if to-from >= stillBins {
			for i := max(from-1, 0); i < min(to+1, len(works)); i++ {
				works[i] = false
			}
		}
		from = max(from, to)
	}
	for i := range works {
		works[i] = works[i] && d.rate[i] > 0
	}
	for _, v := range d.stalls {
		for i := max(0, int(v.from)); i < min(int(math.Ceil(v.to)), len(works)); i++ {
			works[i] = false
		}
	}
	return works
}

// moment is when a disk begins or ceases to move bytes.
type moment struct {
	at     float64
	disk   *disk
	begins bool
	rate   float64 // of the disk then
	stall  bool    // an end or a beginning of a standstill
}

// findKnown lists the moments that need no date of their own.
func (p *phase) findKnown() {
	first := math.Inf(1)
	for _, d := range p.disks {
		first = min(first, d.on[0].from)
	}
	width := p.s(edgeRateS)
	for _, d := range p.disks {
		for _, v := range d.on {
			if v.from > first+p.s(togetherS) {
				began := d.medianRate(v.from, min(v.to, v.from+width))
				p.known = append(p.known, moment{v.from, d, true, began, false})
			}
			ended := d.medianRate(max(v.from, v.to-width), v.to)
			p.known = append(p.known, moment{v.to, d, false, ended, false})
		}
		for _, v := range d.stalls {
			ceased, resumed := d.medianRate(v.from-width, v.from), d.medianRate(v.to, v.to+width)
			p.known = append(p.known, moment{v.from, d, false, ceased, true})
			p.known = append(p.known, moment{v.to, d, true, resumed, true})
		}
	}
	slices.SortStableFunc(p.known, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
}

// medianRate returns the disk's median rate from one moment to another, 0 if no bin lies between.
func (d *disk) medianRate(from, to float64) float64 {
	first := max(0, int(from)+1)
	last := min(int(to), len(d.rate))
	if first >= last {
		return 0
	}
	return stats.Median(d.rate[first:last])
}
