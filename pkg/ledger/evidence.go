package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// prune merges neighbouring levels that differ by less than a person would point at, the closest first.
func (q *sequence) prune(cuts []int) []int {
	cuts = slices.Clone(cuts)
	for len(cuts) > 0 {
		edges := append(append([]int{0}, cuts...), len(q.y))
		closest, least := -1, q.MinChange
		for i := range cuts {
			before := stats.Median(q.y[edges[i]:edges[i+1]])
			after := stats.Median(q.y[edges[i+1]:edges[i+2]])
			if d := math.Abs(after - before); d < least {
				closest, least = i, d
			}
		}
		if closest < 0 {
			break
		}
		cuts = slices.Delete(cuts, closest, closest+1)
	}
	return cuts
}

// significant drops cuts that the noise about the levels could make, the least certain first, unless the rate
// jumps there as nowhere else: slow noise cannot jump.
func (q *sequence) significant(cuts []int) []int {
	cuts = slices.Clone(cuts)
	for len(cuts) > 0 {
		edges := append(append([]int{0}, cuts...), len(q.y))
		var levels [][]float64
		for i := range len(edges) - 1 {
			levels = append(levels, q.y[edges[i]:edges[i+1]])
		}
		noise := stats.EstimateNoise(levels)
		noise.Nugget = max(noise.Nugget, q.MinNoise*q.MinNoise)
		free := freeOf(len(q.y), noise)
		weakest, largest := -1, q.Chance
		for i, c := range cuts {
			change := math.Abs(q.mean(c, edges[i+2]) - q.mean(edges[i], c))
			z := change / math.Sqrt(noise.DifferenceVariance(c-edges[i], edges[i+2]-c))
			if chance := 2 * stats.StudentTail(z, free); chance > largest && !q.jumps(c, cuts) {
				weakest, largest = i, chance
			}
		}
		if weakest < 0 {
			break
		}
		cuts = slices.Delete(cuts, weakest, weakest+1)
	}
	return cuts
}

// jumps reports whether the rate jumps at a cut as nowhere else but at cuts.
func (q *sequence) jumps(at int, cuts []int) bool {
	const width = 3 // bins on either side of the one in which the jump may be
	jump := func(i int) float64 {
		if i < width || i+width+1 > len(q.y) {
			return 0
		}
		return math.Abs(q.mean(i+1, i+1+width) - q.mean(i-width, i))
	}
	var here, elsewhere float64
	for i := range q.y {
		near := func(c int) bool { return i-c <= 2*width && c-i <= 2*width }
		switch {
		case near(at):
			here = max(here, jump(i))
		case !slices.ContainsFunc(cuts, near):
			elsewhere = max(elsewhere, jump(i))
		}
	}
	return here > q.StandsOut*elsewhere
}

// evident drops cuts that single files explain: a change that shows inside no file needs several files
// on either side, as the times of files have heavy tails. Levels that are alike count together.
func (q *sequence) evident(cuts []int) []int {
	cuts = slices.Clone(cuts)
	if n := len(cuts); n > 0 && len(q.y)-cuts[n-1] < q.bins(q.FirstS) && !q.seen(cuts, n) {
		cuts = cuts[:n-1]
	}
	if len(cuts) > 0 && cuts[0] < q.bins(q.FirstS) && !q.seen(cuts, 0) {
		cuts = cuts[1:]
	}
	for {
		edges := append(append([]int{0}, cuts...), len(q.y))
		levels, files := make([]float64, len(edges)-1), make([]float64, len(edges)-1)
		for i := range levels {
			levels[i] = stats.Median(q.y[edges[i]:edges[i+1]])
			files[i] = q.filesIn(edges[i], edges[i+1])
		}
		alike := func(level float64) (count float64) {
			for i, other := range levels {
				if math.Abs(other-level) < q.MinChange {
					count += files[i]
				}
			}
			return count
		}
		weakest, least := -1, math.Inf(1)
		for i := range cuts {
			change := math.Abs(levels[i+1] - levels[i])
			if change < least && min(alike(levels[i]), alike(levels[i+1])) < q.MinFiles && !q.insideFile(cuts, i) &&
				!q.apart(edges[i], cuts[i], edges[i+2]) {
				weakest, least = i, change
			}
		}
		if weakest < 0 {
			return cuts
		}
		cuts = slices.Delete(cuts, weakest, weakest+1)
	}
}

// apart reports whether all files of one level are slower than all of the next, and so many that chance would
// hardly have them lie in that order at any of the places (the exact rank test of Wilcoxon, "Individual Comparisons
// by Ranking Methods", Biometrics Bulletin 1, 1945, at its extreme).
func (q *sequence) apart(from, cut, to int) bool {
	before, after := q.fileMeans(from, cut), q.fileMeans(cut, to)
	n, k := float64(len(before)), float64(len(after))
	if n == 0 || k == 0 || slices.Max(before)+q.MinChange > slices.Min(after) && slices.Max(after)+q.MinChange > slices.Min(before) {
		return false
	}
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return math.Log(n+k)-(lg(n+k)-lg(n)-lg(k)) < math.Log(q.InOrder)
}

// fileMeans lists the mean of each file that has more than a bin in a range.
func (q *sequence) fileMeans(from, to int) (means []float64) {
	for i := from; i < to; {
		j := min(q.fileEnd[i], to)
		if j > i+1 {
			means = append(means, q.mean(i, j))
		}
		i = j
	}
	return means
}

// seen reports whether the series has a level like that at an index elsewhere too.
func (q *sequence) seen(cuts []int, at int) bool {
	edges := append(append([]int{0}, cuts...), len(q.y))
	level := q.mean(edges[at], edges[at+1])
	for i := range len(edges) - 1 {
		if i != at && math.Abs(q.mean(edges[i], edges[i+1])-level) < q.MinChange {
			return true
		}
	}
	return false
}

// filesIn is how many files of equal length a range is worth.
func (q *sequence) filesIn(from, to int) float64 {
	var squares float64
	for i := from; i < to; {
		j := min(q.fileEnd[i], to)
		squares += square(float64(j - i))
		i = j
	}
	return square(float64(to-from)) / squares
}

// insideFile reports whether half of a change or more shows inside a file.
func (q *sequence) insideFile(cuts []int, i int) bool {
	c, from, to := cuts[i], 0, len(q.y)
	if i > 0 {
		from = cuts[i-1]
	}
	if i+1 < len(cuts) {
		to = cuts[i+1]
	}
	change := stats.Median(q.y[c:to]) - stats.Median(q.y[from:c])
	for _, f := range []int{q.file[c-1], q.file[c], q.file[min(c+1, len(q.y)-1)]} {
		var before, after []float64
		for k := max(from, c-q.bins(q.InsideS)); k < c; k++ {
			if q.file[k] == f {
				before = append(before, q.y[k])
			}
		}
		for k := c + 1; k < min(to, c+q.bins(q.InsideS)); k++ {
			if q.file[k] == f {
				after = append(after, q.y[k])
			}
		}
		if len(before) == 0 || len(after) == 0 {
			continue
		}
		blur := q.quick * math.Sqrt(1/float64(len(before))+1/float64(len(after)))
		shown := (stats.Mean(after) - stats.Mean(before)) / change
		if shown > q.Shown && q.Clear*blur < math.Abs(change) {
			return true
		}
	}
	return false
}
