package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// StepScan is a search for one place along x at which the values shift up or down by a step.
type StepScan struct {
	// Values are residuals of a fit without a step, along x, of spread 1.
	Values []float64
	// Effect is how much a step of 1 moves each value.
	Effect []float64
	// Smooth are columns of what may move the values without a step, a constant first; they are projected out.
	Smooth [][]float64
	// Block is how many values that follow one another in Order go together.
	Block int
	// Order lists the values as they were taken, by index.
	Order []int
	// Cut says whether a step may lie before the value at an index.
	Cut func(i int) bool
}

const (
	stepDraws = 999 // surrogates, fewer if p is clearly not small
	stepTail  = 50  // of their highest statistics, which the tail is fitted to
	enough    = 20  // surrogates as clear as the sample, from which p is known not to be small
)

// Find returns the index of the first value after the clearest step, 0 if there is no place for one, and the
// probability p of a step as clear anywhere by chance.
//
// The statistic is the squared score of a step, what Smooth explains of it taken out, over its variance; the greatest
// over all cuts counts (Andrews, "Tests for Parameter Instability and Structural Change with Unknown Change Point",
// Econometrica 61, 1993). Its distribution comes from surrogates: the values in blocks of neighbours in time, so long
// that what is left between them is independent, are put into another order (Lahiri, "Resampling Methods for Dependent
// Data", 2003); they are always the same. Beyond the surrogates the tail falls exponentially, as that of the maximum
// of squared normal variables does (Knijnenburg et al., "Fewer Permutations, More Accurate P-values", Bioinformatics
// 25, 2009). Drawing stops early if p is clearly not small (Besag and Clifford, "Sequential Monte Carlo P-values",
// Biometrika 78, 1991).
func (s StepScan) Find() (cut int, p float64) {
	basis := orthonormal(s.Smooth)
	scan := s.prepare(basis)
	if len(scan) == 0 {
		return 0, 1
	}
	values := slices.Clone(s.Values)
	for _, q := range basis {
		floats.AddScaled(values, -floats.Dot(q, values), q)
	}
	clearest := func(values []float64) (best float64, cut int) {
		var explained [maxSmooth]float64
		for k, q := range basis {
			explained[k] = floats.Dot(q, values)
		}
		var sum float64
		next := len(scan) - 1
		for i := len(values) - 1; i > 0 && next >= 0; i-- {
			sum += s.Effect[i] * values[i]
			if c := &scan[next]; c.at == i {
				score := sum
				for k := range basis {
					score -= c.explained[k] * explained[k]
				}
				if z := score * score / c.norm; z > best {
					best, cut = z, i
				}
				next--
			}
		}
		return best, cut
	}
	found, cut := clearest(values)
	// Residuals of a fit vary less than the values it was fitted to.
	free := float64(len(values)-len(basis)) / float64(len(values))
	return cut, s.chance(values, found*free, clearest)
}

// maxSmooth is the maximum number of columns in Smooth.
const maxSmooth = 4

// candidate is a place for a step: the norm of the step's column, less what the basis explains of it.
type candidate struct {
	at        int
	norm      float64
	explained [maxSmooth]float64
}

// minLeft is the part of a step's column, its mean aside, that must be left once the other smooth columns are taken
// out, so that the step can be distinguished from them.
const minLeft = 0.05

// prepare lists the places for a step, in ascending order.
func (s StepScan) prepare(basis [][]float64) []candidate {
	var found []candidate
	c := candidate{}
	var whole float64
	for i := len(s.Values) - 1; i > 0; i-- {
		e := s.Effect[i]
		whole += e * e
		for k, q := range basis {
			c.explained[k] += e * q[i]
		}
		if !s.Cut(i) {
			continue
		}
		c.at, c.norm = i, whole
		apart := whole
		for k, v := range c.explained[:len(basis)] {
			c.norm -= v * v
			if k == 0 {
				apart = c.norm
			}
		}
		if c.norm > minLeft*apart {
			found = append(found, c)
		}
	}
	slices.Reverse(found)
	return found
}

// chance is how probable a statistic as high as found is among surrogates.
func (s StepScan) chance(values []float64, found float64, clearest func([]float64) (float64, int)) float64 {
	n := len(values)
	rnd := rand.New(rand.NewPCG(1993, uint64(n)))
	block := max(1, s.Block)
	surrogate := make([]float64, n)
	var highest []float64
	asClear := 0
	for drawn := 1; drawn <= stepDraws; drawn++ {
		// Blocks start at a random phase, so that their edges are not always the same.
		offset := rnd.IntN(n)
		to := 0
		for _, b := range rnd.Perm((n + block - 1) / block) {
			for k := b * block; k < min((b+1)*block, n); k++ {
				surrogate[s.Order[to]] = values[s.Order[(k+offset)%n]]
				to++
			}
		}
		z, _ := clearest(surrogate)
		highest = append(highest, z)
		if z >= found {
			if asClear++; asClear == enough {
				return float64(enough) / float64(drawn)
			}
		}
	}
	slices.Sort(highest)
	threshold, excess := highest[stepDraws-stepTail-1], highest[stepDraws-stepTail:]
	scale := floats.Sum(excess)/stepTail - threshold
	if scale <= 0 {
		return 1.0 / (stepDraws + 1)
	}
	return stepTail / float64(stepDraws+1) * math.Exp(-(found-threshold)/scale)
}

// orthonormal is a basis of what the columns span, columns that others explain left out (Gram and Schmidt's method).
func orthonormal(columns [][]float64) [][]float64 {
	var basis [][]float64
	for _, c := range columns {
		q := slices.Clone(c)
		before := floats.Norm(q, 2)
		for range 2 { // once more for the rounding of the first
			for _, b := range basis {
				floats.AddScaled(q, -floats.Dot(b, q), b)
			}
		}
		if left := floats.Norm(q, 2); left > 1e-6*before {
			floats.Scale(1/left, q)
			basis = append(basis, q)
		}
	}
	return basis
}
