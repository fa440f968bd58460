package change

import (
	"math"

	"github.com/hubbench/hubbench/pkg/stats"
)

// dropExcursions leaves the bins of bursts and dips that last for a second or two out of a disk's
// series, and cuts as close as that to where it begins or finishes: real disks show such all the
// time. Those that come regularly stay, for they may be a swing, and so do those that begin and end
// with what another disk did.
func (p *phase) dropExcursions(d *disk) {
	const rounds = 3 // what is left may show more
	for range rounds {
		found := p.excursions(d)
		if len(found) == 0 || p.regular(d, found) {
			break
		}
		d.leaveOut(found)
		d.choose()
		d.testFiles()
	}
	d.cuts = p.awayFromEnds(d, d.cuts)
	d.candidates = p.awayFromEnds(d, d.candidates)
}

// excursions lists short stretches of x between cuts with alike levels on either side.
func (p *phase) excursions(d *disk) (found [][2]int) {
	edges := d.edges(d.candidates)
	for k := 1; k+1 < len(edges)-1; k++ {
		from := edges[k]
		before := mean(d.x[edges[k-1]:from])
		for l := k + 1; l < len(edges)-1; l++ {
			to := edges[l]
			if float64(to-from) >= p.s(excursionS) {
				break
			}
			change := math.Abs(mean(d.x[edges[l]:edges[l+1]]) - before)
			off := math.Abs(mean(d.x[from:to]) - before)
			if change < min(sameLevel, off/2) && !p.explained(d, d.bins[from], d.bins[to]) {
				// What a bin beside it has of it would be a level of its own.
				found = append(found, [2]int{max(0, from-besideBins), min(len(d.x), to+besideBins)})
				k = l
				break
			}
		}
	}
	return found
}

// explained reports whether other disks began or ceased to move at both moments.
func (p *phase) explained(d *disk, from, to int) bool {
	begins, ends := false, false
	for _, k := range p.known {
		if k.disk != d {
			begins = begins || math.Abs(k.at-float64(from)) <= p.s(togetherS)
			ends = ends || math.Abs(k.at-float64(to)) <= p.s(togetherS)
		}
	}
	return begins && ends
}

// regular reports whether so many excursions come after so even times that they are a swing.
func (p *phase) regular(d *disk, found [][2]int) bool {
	var periods []float64
	for i := range len(found) - 1 {
		periods = append(periods, float64(d.bins[found[i+1][0]]-d.bins[found[i][0]]))
	}
	if len(found) < minRegular {
		return false
	}
	median := stats.Median(periods)
	off := 0.0
	for _, s := range periods {
		if math.Abs(s/median-1) > maxPeriodError {
			off++
		}
	}
	return off <= maxIrregular*float64(len(periods))
}

// leaveOut takes stretches out of the disk's series.
func (d *disk) leaveOut(stretches [][2]int) {
	out := *d
	out.bins, out.x, out.file = nil, nil, nil
	out.before = make([]int, len(d.before))
	for i := range d.x {
		gone := false
		for _, v := range stretches {
			gone = gone || v[0] <= i && i < v[1]
		}
		if !gone {
			out.bins = append(out.bins, d.bins[i])
			out.x = append(out.x, d.x[i])
			out.file = append(out.file, d.file[i])
		}
	}
	k := 0
	for i := range out.before {
		out.before[i] = k
		if k < len(out.bins) && out.bins[k] == i {
			k++
		}
	}
	*d = out
}

// awayFromEnds drops cuts just after the disk begins, or before it finishes, unless another disk's
// start or end may be what made them.
func (p *phase) awayFromEnds(d *disk, cuts []int) (kept []int) {
	for _, c := range cuts {
		at := float64(d.bins[c])
		apart := math.Inf(1)
		for _, v := range d.on {
			apart = min(apart, math.Abs(at-v.from), math.Abs(at-v.to))
		}
		follows := false
		for _, k := range p.known {
			lag := at - k.at
			follows = follows || k.disk != d && -p.s(leadS) <= lag && lag <= p.s(startS)
		}
		if apart >= p.s(excursionS) || follows && apart >= p.s(minLastS) {
			kept = append(kept, c)
		}
	}
	return kept
}
