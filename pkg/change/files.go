package change

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// testFiles drops cuts that may be no more than the order of the disk's files, which are draws,
// unless they show inside a file.
func (d *disk) testFiles() {
	if len(d.candidates) == 0 {
		return
	}
	shown := len(d.shown(d.cuts))
	if float64(shown) < max(shownShare*float64(len(d.cuts)), 1) && byChance([]row{{d.x, d.file}}) {
		d.cuts = d.shown(d.cuts)
		d.candidates = d.shown(d.candidates)
	}
	d.cuts = d.withoutLone(d.cuts)
	d.candidates = d.withoutLone(d.candidates)
}

// shown returns the cuts that show inside a file.
func (d *disk) shown(cuts []int) []int {
	var shown []int
	for k := range cuts {
		if d.showsInside(cuts, k) {
			shown = append(shown, cuts[k])
		}
	}
	return shown
}

// edges returns where the levels between cuts begin, and the end.
func (d *disk) edges(cuts []int) []int {
	return slices.Concat([]int{0}, cuts, []int{len(d.x)})
}

// showsInside reports whether one file that has bins on both sides of the k-th cut shows at least
// half of the change: the draw of a file cannot.
func (d *disk) showsInside(cuts []int, k int) bool {
	edges := d.edges(cuts)
	return d.showsIn(edges[k], edges[k+1], edges[k+2])
}

// showsIn reports the same of a change between three bins of x.
func (d *disk) showsIn(from, cut, to int) bool {
	change := stats.Median(d.x[cut:to]) - stats.Median(d.x[from:cut])
	for _, file := range []int{d.file[cut-1], d.file[cut], d.file[min(cut+1, len(d.x)-1)]} {
		var before, after []float64
		for i := max(from, cut-edgeBins); i < cut-1; i++ {
			if d.file[i] == file {
				before = append(before, d.x[i])
			}
		}
		for i := cut + 1; i < min(to, cut+edgeBins); i++ {
			if d.file[i] == file {
				after = append(after, d.x[i])
			}
		}
		if len(before) >= 2 && len(after) >= 2 &&
			(mean(after)-mean(before))*change > shownShare*change*change {
			return true
		}
	}
	return false
}

// byFew reports whether a few files may be what makes a change: on either side lie fewer than
// minSideFiles, counted as files of equal length, and no file shows the change.
func (d *disk) byFew(l *loading) bool {
	least := min(d.filesIn(l.beforeSpan), d.filesIn(l.afterSpan))
	return least < minSideFiles &&
		!d.showsIn(l.beforeSpan.from, l.afterSpan.from, l.afterSpan.to)
}

// filesIn returns how many files of equal length the bins of a side are worth.
func (d *disk) filesIn(s side) float64 {
	var squares float64
	for _, part := range (row{d.x[s.from:s.to], d.file[s.from:s.to]}).parts() {
		squares += square(float64(len(part)))
	}
	return square(float64(s.to-s.from)) / squares
}

// withoutLone drops levels that are a single file with neither end inside a file: even where there
// are levels, that is a draw of the file.
func (d *disk) withoutLone(cuts []int) []int {
	edges := d.edges(cuts)
	gone := map[int]bool{}
	shown := func(edge int) bool { // the k-th cut is the edge after the k-th level
		return 0 < edge && edge < len(edges)-1 && d.showsInside(cuts, edge-1)
	}
	for k := range len(edges) - 1 {
		from, to := edges[k], edges[k+1]
		if d.largestFile(from, to) < loneShare*float64(to-from) || shown(k) || shown(k+1) {
			continue
		}
		if k == 0 || k == len(cuts) { // the first level, or the last
			gone[from] = true
			gone[to] = true
			continue
		}
		before, level := mean(d.x[edges[k-1]:from]), mean(d.x[from:to])
		after := mean(d.x[to:edges[k+2]])
		first, second := math.Abs(level-before), math.Abs(after-level)
		back := math.Abs(after-before) < min(first, second)/2 // neither end is a change
		gone[from] = gone[from] || back || first < second
		gone[to] = gone[to] || back || first >= second
	}
	var kept []int
	for _, c := range cuts {
		if !gone[c] {
			kept = append(kept, c)
		}
	}
	return kept
}

// largestFile returns the most bins that one file has in a stretch.
func (d *disk) largestFile(from, to int) float64 {
	count := map[int]int{}
	largest := 0
	for _, f := range d.file[from:to] {
		count[f]++
		largest = max(largest, count[f])
	}
	return float64(largest)
}

// row is a series of one disk, and the file of each of its bins.
type row struct {
	y    []float64
	file []int
}

// parts returns the row file by file.
func (r row) parts() [][]float64 {
	var parts [][]float64
	from := 0
	for i := 1; i <= len(r.y); i++ {
		if i == len(r.y) || r.file[i] != r.file[i-1] {
			parts = append(parts, r.y[from:i])
			from = i
		}
	}
	return parts
}

// byChance reports whether the files of some disks, each disk's in an order of its own, would show
// levels in their sum as good as the true order does.
func byChance(rows []row) bool {
	parts := make([][][]float64, len(rows))
	for i, r := range rows {
		parts[i] = r.parts()
		if len(parts[i]) < minFiles {
			return false // too few to tell
		}
	}
	unit := max(1, len(rows[0].y)/maxUnits)
	if len(rows) > 1 {
		unit = max(unit, minSumUnit)
	} else {
		parts[0] = joined(rows[0].y, parts[0], unit)
	}
	means, weights := unitMeans(parts, unit)
	steps := differences(means)
	for i, s := range steps {
		steps[i] = math.Abs(s)
	}
	// Differences of neighbours have two errors each; 1.05 makes up for the median of few.
	deviation := max(stats.NormalMAD*stats.Median(steps)*1.05/math.Sqrt2, minUnitSD)
	price := orderPrice * square(deviation) * mean(weights) * math.Log(float64(len(means)))
	found := levelGain(means, weights, price)
	rnd := rand.New(rand.NewPCG(1, uint64(len(means)))) // the same each time
	for range orders {
		for _, of := range parts {
			rnd.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		}
		if means, weights = unitMeans(parts, unit); levelGain(means, weights, price) >= found {
			return true
		}
	}
	return false
}

// joined puts neighbouring files together until each is as long as a unit.
func joined(y []float64, parts [][]float64, unit int) [][]float64 {
	ends := []int{0}
	end := 0
	for _, part := range parts {
		if end += len(part); end-ends[len(ends)-1] >= unit {
			ends = append(ends, end)
		}
	}
	ends[len(ends)-1] = len(y)
	var out [][]float64
	for i := range len(ends) - 1 {
		out = append(out, y[ends[i]:ends[i+1]])
	}
	return out
}

// unitMeans returns the means of one disk's files, or those of the sum of several disks over units
// of time, and how many bins each has.
func unitMeans(parts [][][]float64, unit int) (means, weights []float64) {
	if len(parts) == 1 {
		for _, part := range parts[0] {
			means = append(means, mean(part))
			weights = append(weights, float64(len(part)))
		}
		return means, weights
	}
	sum := slices.Concat(parts[0]...)
	for _, of := range parts[1:] {
		i := 0
		for _, part := range of {
			for _, v := range part {
				sum[i] += v
				i++
			}
		}
	}
	for from := 0; from < len(sum); from += unit {
		to := min(from+unit, len(sum))
		means = append(means, mean(sum[from:to]))
		weights = append(weights, float64(to-from))
	}
	return means, weights
}

// levelGain returns what the best levels of weighted means save against one level, if each pays a
// price (optimal partition: Jackson and others, "An Algorithm for Optimal Partitioning of Data on
// an Interval", IEEE Signal Processing Letters 12, 2005).
func levelGain(means, weights []float64, price float64) float64 {
	n := len(means)
	sums, total, cost := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	cost[0] = -price
	for to := 1; to <= n; to++ {
		total[to] = total[to-1] + weights[to-1]
		sums[to] = sums[to-1] + weights[to-1]*means[to-1]
		best := math.Inf(1)
		for from := range to {
			if c := cost[from] - square(sums[to]-sums[from])/(total[to]-total[from]); c < best {
				best = c
			}
		}
		cost[to] = best + price
	}
	return -square(sums[n])/total[n] - cost[n]
}
