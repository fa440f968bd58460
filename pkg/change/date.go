package change

import "math"

// dateOf returns when some disks changed together: the bin that suits all of them best, with the
// first and the last that cost no more than 2 nats. What is new in a file is common to its bins, so
// that files are no dates (generalized least squares).
func (p *phase) dateOf(e *event, disks []int) (at, first, last int) {
	middle := e.bin
	if len(disks) == 1 {
		middle = e.date(disks[0])
	}
	reach := int(math.Round(p.s(maxDateS)))
	cost := make([]float64, 2*reach+1)
	for _, i := range disks {
		p.dateCosts(e, p.disks[i], middle, cost)
	}
	best := 0
	for k, c := range cost {
		if c < cost[best] {
			best = k
		}
	}
	first, last = best, best
	for k, c := range cost {
		if c <= cost[best]+dateNats {
			first = min(first, k)
			last = max(last, k)
		}
	}
	return middle - reach + best, middle - reach + first, middle - reach + last
}

// dateCosts adds what each date about a middle costs one disk.
func (p *phase) dateCosts(e *event, d *disk, middle int, cost []float64) {
	const impossible = 1e3
	within := int(p.s(dateWindowS))
	from, to := max(0, middle-within), min(p.n, middle+within)
	for _, o := range p.events {
		if at := o.cells[d.number]; o != e && at != none {
			if at < middle {
				from = max(from, at)
			} else if at > middle {
				to = min(to, at)
			}
		}
	}
	first, end := d.before[from], d.before[to]
	g := newFileSums(d, first, end)
	for k := range cost {
		at := middle - len(cost)/2 + k
		cut := end
		if at < p.n {
			cut = min(max(d.before[max(at, 0)], first), end)
		}
		if cut-first < minSideBins || end-cut < minSideBins {
			cost[k] += impossible
			continue
		}
		cost[k] += g.misfit(cut - first)
	}
}

// fileSums is a stretch of a disk's series with the covariance that its files give it.
type fileSums struct {
	y        []float64
	file     []int // numbered from 0
	weight   []float64
	variance float64
}

func newFileSums(d *disk, first, end int) *fileSums {
	g := &fileSums{y: d.x[first:end]}
	var sizes []float64
	for i := first; i < end; i++ {
		if i == first || d.file[i] != d.file[i-1] {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
		g.file = append(g.file, len(sizes)-1)
	}
	var squares float64
	for _, n := range sizes {
		squares += n * n
	}
	ofFiles := square(d.fileSD)
	g.variance = 1
	if len(g.y) > 0 {
		const least = 4e-4
		g.variance = max(d.longRun-ofFiles*squares/float64(len(g.y)), 0.2*d.longRun, least)
	}
	for _, n := range sizes {
		g.weight = append(g.weight, ofFiles/(g.variance+n*ofFiles))
	}
	return g
}

// misfit returns half of the weighted squares that levels before and after a bin leave.
func (g *fileSums) misfit(cut int) float64 {
	n := len(g.weight)
	before, after, values := make([]float64, n), make([]float64, n), make([]float64, n)
	var yy, yBefore, yAfter float64
	for i, y := range g.y {
		f := g.file[i]
		values[f] += y
		yy += y * y
		if i < cut {
			before[f]++
			yBefore += y
		} else {
			after[f]++
			yAfter += y
		}
	}
	bb, aa, ab := float64(cut), float64(len(g.y)-cut), 0.0
	for f, w := range g.weight {
		bb -= w * before[f] * before[f]
		aa -= w * after[f] * after[f]
		ab -= w * before[f] * after[f]
		yy -= w * values[f] * values[f]
		yBefore -= w * values[f] * before[f]
		yAfter -= w * values[f] * after[f]
	}
	fitted := (aa*yBefore*yBefore - 2*ab*yBefore*yAfter + bb*yAfter*yAfter) / (aa*bb - ab*ab)
	return (yy - fitted) / 2 / g.variance
}
