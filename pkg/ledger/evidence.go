package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// drop drops cuts for as long as there is one to drop, which is named by the edges of the levels
// that are left.
func (q *sequence) drop(cuts []int, next func(edges []int) int) []int {
	cuts = slices.Clone(cuts)
	for len(cuts) > 0 {
		i := next(q.edges(cuts))
		if i < 0 {
			break
		}
		cuts = slices.Delete(cuts, i, i+1)
	}
	return cuts
}

// mergeClose merges neighbouring levels that differ by less than a person would point at, the
// closest first.
func (q *sequence) mergeClose(cuts []int) []int {
	return q.drop(cuts, func(edges []int) int {
		closest := -1
		least := MinChange
		for i := range len(edges) - 2 {
			before := stats.Median(q.y[edges[i]:edges[i+1]])
			after := stats.Median(q.y[edges[i+1]:edges[i+2]])
			if d := math.Abs(after - before); d < least {
				closest = i
				least = d
			}
		}
		return closest
	})
}

// dropInsignificant drops cuts that the noise about the levels could make, the least certain first,
// unless the rate jumps there as nowhere else: slow noise cannot jump.
func (q *sequence) dropInsignificant(cuts []int) []int {
	return q.drop(cuts, func(edges []int) int {
		noise := q.noiseOf(edges)
		_, degrees := noise.ofMean(q, [2]int{0, len(q.y)})
		degrees = max(1, degrees-float64(len(edges)-1))
		weakest := -1
		largest := q.falseChangeRate
		for i, c := range edges[1 : len(edges)-1] {
			change := math.Abs(q.mean(c, edges[i+2]) - q.mean(edges[i], c))
			before, _ := noise.ofMean(q, [2]int{edges[i], c})
			after, _ := noise.ofMean(q, [2]int{c, edges[i+2]})
			falseRate := 2 * stats.StudentTail(change/math.Sqrt(before+after), degrees)
			if falseRate > largest && !q.jumps(c, edges) {
				weakest = i
				largest = falseRate
			}
		}
		return weakest
	})
}

// jumps reports whether the rate jumps near a bin more than anywhere else but at edges, and by more
// than the differences of neighbouring bins add up to by chance. A jump is the difference between
// the means of some bins on either side of one, which may hold the jump itself.
func (q *sequence) jumps(at int, edges []int) bool {
	var here, elsewhere float64
	end := edges[len(edges)-1]
	for i := jumpWidth; i+jumpWidth < end; i++ {
		jump := math.Abs(q.mean(i+1, i+1+jumpWidth) - q.mean(i-jumpWidth, i))
		near := func(e int) bool { return i-e <= 2*jumpWidth && e-i <= 2*jumpWidth }
		switch {
		case near(at):
			here = max(here, jump)
		case !slices.ContainsFunc(edges[1:len(edges)-1], near):
			elsewhere = max(elsewhere, jump)
		}
	}
	return here > max(minJumpRatio*elsewhere, minNoiseRatio*q.sampleNoise*math.Sqrt(2*jumpWidth))
}

// dropUnseen drops cuts that single files explain: a change that shows inside no file needs several
// files on either side, as the times of files have heavy tails. Levels that are alike count
// together.
func (q *sequence) dropUnseen(cuts []int) []int {
	if n := len(cuts); n > 0 && len(q.y)-cuts[n-1] < q.bins(minEndLevelS) &&
		!q.levelRecurs(cuts, n) && !q.roseAfterNeighbour(cuts) {
		cuts = cuts[:n-1]
	}
	if len(cuts) > 0 && cuts[0] < q.bins(minEndLevelS) && !q.levelRecurs(cuts, 0) {
		cuts = cuts[1:]
	}
	return q.drop(cuts, func(edges []int) int {
		levels, files := make([]float64, len(edges)-1), make([]float64, len(edges)-1)
		for i := range levels {
			levels[i] = stats.Median(q.y[edges[i]:edges[i+1]])
			files[i] = q.filesIn([2]int{edges[i], edges[i+1]})
		}
		near := func(i, k int) bool { return math.Abs(levels[i]-levels[k]) < MinChange }
		filesAt := func(i int) (count float64) {
			for k := range levels {
				if near(i, k) {
					count += files[k]
				}
			}
			return count
		}
		// A change that shows inside a file is shown wherever the rate goes back or forth alike:
		// that file had both levels, so no single file makes them.
		inside := func(i int) bool {
			for k := range len(edges) - 2 {
				if (near(i, k) && near(i+1, k+1) || near(i, k+1) && near(i+1, k)) &&
					q.showsInFile(edges[k], edges[k+1], edges[k+2]) {
					return true
				}
			}
			return false
		}
		weakest := -1
		least := math.Inf(1)
		for i := range len(edges) - 2 {
			change := math.Abs(levels[i+1] - levels[i])
			last := i == len(edges)-3 && q.roseAfterNeighbour(edges[1:len(edges)-1])
			if change < least && !last && min(filesAt(i), filesAt(i+1)) < minLevelFiles &&
				!inside(i) && !q.filesSeparate(edges[i], edges[i+1], edges[i+2]) {
				weakest = i
				least = change
			}
		}
		return weakest
	})
}

// filesSeparate reports whether all files of one level are slower than all of the next, and so many
// that chance would hardly have them lie in that order at any of the places (the exact rank test of
// Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945, at its
// extreme).
func (q *sequence) filesSeparate(from, cut, to int) bool {
	before, after := q.fileMeans(from, cut), q.fileMeans(cut, to)
	n, k := len(before), len(after)
	if n == 0 || k == 0 || slices.Max(before)+MinChange > slices.Min(after) &&
		slices.Max(after)+MinChange > slices.Min(before) {
		return false
	}
	return math.Log(float64(n+k))-logOrders(n, k) < math.Log(falseOrderRate)
}

// fileMeans lists the mean of each file that has more than a bin in a range.
func (q *sequence) fileMeans(from, to int) (means []float64) {
	for first, end := range q.files(from, to) {
		if end > first+1 {
			means = append(means, q.mean(first, end))
		}
	}
	return means
}

// levelRecurs reports whether the series has a level like that at an index elsewhere too.
func (q *sequence) levelRecurs(cuts []int, at int) bool {
	edges := q.edges(cuts)
	level := q.mean(edges[at], edges[at+1])
	for i := range len(edges) - 1 {
		if i != at && math.Abs(q.mean(edges[i], edges[i+1])-level) < MinChange {
			return true
		}
	}
	return false
}

// roseAfterNeighbour reports whether the last level is one to which the disk surely rose after
// another had ended: real disks' bursts are smaller.
func (q *sequence) roseAfterNeighbour(cuts []int) bool {
	edges := q.edges(cuts)
	from := edges[len(cuts)-1]
	cut := edges[len(cuts)]
	to := len(q.y)
	if to-cut < q.bins(minRiseS) || q.mean(cut, to)-q.mean(from, cut) <= largeRise {
		return false
	}
	for _, bin := range q.neighbourEdges {
		if from < bin && bin <= cut {
			return true
		}
	}
	return false
}

// filesIn returns how many files of equal length some ranges are worth.
func (q *sequence) filesIn(in ...[2]int) float64 {
	var bins, squares float64
	for _, v := range in {
		bins += float64(v[1] - v[0])
		for first, end := range q.files(v[0], v[1]) {
			squares += square(float64(end - first))
		}
	}
	return square(bins) / squares
}

// showsInFile reports whether half of the change at a bin or more shows inside a file.
func (q *sequence) showsInFile(from, c, to int) bool {
	change := stats.Median(q.y[c:to]) - stats.Median(q.y[from:c])
	for _, f := range []int{q.file[c-1], q.file[c], q.file[min(c+1, len(q.y)-1)]} {
		var before, after []float64
		for k := max(from, c-q.bins(fileEdgeS)); k < c; k++ {
			if q.file[k] == f {
				before = append(before, q.raw[k])
			}
		}
		for k := c + 1; k < min(to, c+q.bins(fileEdgeS)); k++ {
			if q.file[k] == f {
				after = append(after, q.raw[k])
			}
		}
		if len(before) == 0 || len(after) == 0 {
			continue
		}
		// A single bin may belong in part to the file before, so all of the change must show.
		single := len(before) == 1
		if !single {
			before = before[1:]
		}
		blur := q.sampleNoise * math.Sqrt(1/float64(len(before))+1/float64(len(after)))
		shown := (stats.Mean(after) - stats.Mean(before)) / change
		isWhole := minShownByOne <= shown && shown <= 1/minShownByOne
		if shown > minShown && minNoiseRatio*blur < math.Abs(change) && (!single || isWhole) {
			return true
		}
	}
	return false
}

// logOrders returns the logarithm of in how many orders n and k things can come: (n+k)!/(n! k!).
func logOrders(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return lg(n+k) - lg(n) - lg(k)
}
