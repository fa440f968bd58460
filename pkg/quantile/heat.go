package quantile

import (
	"math"
	"sort"
)

// HeatMap counts the requests of each step of time by how long they took: the heat map. The requests of a latency
// line are those of the step in which it ends.
type HeatMap struct {
	StartS   float64   `json:"start_s"`
	StepS    float64   `json:"step_s"`
	BoundsNS []int64   `json:"bounds_ns"` // the edges of the rows, ascending: one more than rows
	Counts   [][]int64 `json:"counts"`    // by step, then by row
}

// A heat map has that many rows and steps at most. Rows are as high as one another on a logarithmic scale,
// rowsPerDecade of them in a factor of ten, or half as many.
const (
	MaxRows       = 40
	MaxSteps      = 300
	rowsPerDecade = 8
	// heatDecades reach from 1 ns to beyond the longest time that a histogram holds.
	heatDecades = 13
)

// NewHeatMap counts the lines' requests; nil if no line ends after the release.
func NewHeatMap(lines []Line) *HeatMap {
	first := sort.Search(len(lines), func(i int) bool { return lines[i].EndNS > 0 })
	if lines = lines[first:]; len(lines) == 0 {
		return nil
	}
	startNS, endNS := max(0, lines[0].StartNS), lines[len(lines)-1].EndNS
	stepNS := lineNS * max(1, (endNS-startNS+lineNS*MaxSteps-1)/(lineNS*MaxSteps))
	steps := int((endNS - startNS + stepNS - 1) / stepNS)
	out := &HeatMap{StartS: seconds(startNS), StepS: seconds(stepNS), Counts: make([][]int64, steps)}
	bounds := make([]int64, heatDecades*rowsPerDecade+1) // the edges of all rows there may be
	for i := range bounds {
		bounds[i] = int64(math.Round(math.Pow(10, float64(i)/rowsPerDecade)))
	}
	bounds[0] = 0
	low, high := len(bounds), 0
	for k := range out.Counts {
		counts := make([]int64, len(bounds)-1)
		for ; len(lines) > 0 && lines[0].EndNS <= startNS+int64(k+1)*stepNS; lines = lines[1:] {
			row := 0
			lines[0].Hist.Each(func(lowNS, _, n int64) {
				for bounds[row+1] <= lowNS {
					row++
				}
				counts[row] += n
				low, high = min(low, row), max(high, row+1)
			})
		}
		out.Counts[k] = counts
	}
	if low >= high {
		return nil
	}
	each := 1 // the rows from low to high, by pairs if these are too many
	for ; high-low > each*MaxRows; each *= 2 {
	}
	for row := low; row < high; row += each {
		out.BoundsNS = append(out.BoundsNS, bounds[row])
	}
	out.BoundsNS = append(out.BoundsNS, bounds[min(low+len(out.BoundsNS)*each, len(bounds)-1)])
	for k, counts := range out.Counts {
		rows := make([]int64, len(out.BoundsNS)-1)
		for row := low; row < high; row++ {
			rows[(row-low)/each] += counts[row]
		}
		out.Counts[k] = rows
	}
	return out
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
