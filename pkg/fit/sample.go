package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Limits of a descent, and how many there are.
const (
	starts     = 12
	maxSteps   = 100
	step       = 1e-6 // of the numerical derivative, in logarithms
	goodEnough = 1e-9 // relative improvement at which a descent ends
	tooStiff   = 1e9  // damping at which it gives up
)

// descend finds a least sum of squares near x, within the bounds: Levenberg and Marquardt's method (Marquardt, J. SIAM
// 11, 1963) with steps clipped at the bounds. It changes x and returns the sum.
func (s *space) descend(x []float64) float64 {
	n := len(x)
	r := s.residuals(x, nil)
	cost := squares(r)
	moved, rMoved := make([]float64, n), make([]float64, 0, len(r))
	normal, damped := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	var slope, delta mat.VecDense
	var chol mat.Cholesky
	damping := 1e-3
	for range maxSteps {
		jacobian := s.jacobian(x, r, step)
		normal.SymOuterK(1, jacobian.T())
		slope.MulVec(jacobian.T(), mat.NewVecDense(len(r), r))
		before := cost
		for damping < tooStiff {
			damped.CopySym(normal)
			for j := range n {
				damped.SetSym(j, j, normal.At(j, j)*(1+damping)+1e-12)
			}
			if !chol.Factorize(damped) || chol.SolveVecTo(&delta, &slope) != nil {
				damping *= 4
				continue
			}
			for j, p := range s.params {
				moved[j] = min(max(x[j]-delta.AtVec(j), p.low), p.high)
			}
			rMoved = s.residuals(moved, rMoved)
			if c := squares(rMoved); c < cost {
				cost = c
				copy(x, moved)
				copy(r, rMoved)
				damping /= 5
				break
			}
			damping *= 4
		}
		if before-cost <= goodEnough*before {
			break
		}
	}
	return cost
}

// jacobian is how the residuals r at x change with each parameter when it is moved by a step.
func (s *space) jacobian(x, r []float64, by float64) *mat.Dense {
	moved, scratch := slices.Clone(x), make([]float64, 0, len(s.params))
	j := mat.NewDense(len(r), len(x), nil)
	for k := range x {
		moved[k] = x[k] + by
		s.set(moved)
		row := 0
		for i := range s.obs {
			t := &s.obs[i]
			if side := s.params[k].side; side == nil || slices.Contains(t.sides, side) {
				scratch = s.apart(t, scratch[:0])
				for n, v := range scratch {
					j.Set(row+n, k, (v-r[row+n])/by)
				}
			}
			row += len(t.logs)
		}
		for i := range s.params {
			j.Set(row+i, k, (s.params[i].prior.residual(moved, i)-r[row+i])/by)
		}
		moved[k] = x[k]
	}
	return j
}

// start is where the nth descent begins: at the guesses, which have all weights even; at weights as the disks' speeds;
// then at random places about those in turn.
func (s *space) start(rng *rand.Rand, n int) []float64 {
	x := make([]float64, len(s.params))
	for i, p := range s.params {
		x[i] = p.start
		if n%2 == 1 {
			x[i] += p.speed
		}
		if n > 1 {
			x[i] = min(max(x[i]+p.prior.wide*rng.NormFloat64(), p.low), p.high)
		}
	}
	return x
}

// best descends from several starts and returns the deepest place found.
func (s *space) best(rng *rand.Rand) []float64 {
	var best []float64
	lowest := math.Inf(1)
	for n := range starts {
		at := s.start(rng, n)
		if cost := s.descend(at); cost < lowest {
			best, lowest = at, cost
		}
	}
	return best
}

func squares(r []float64) float64 { return floats.Dot(r, r) }

// How the sampler walks.
const (
	burnIn  = 1_000 // steps not counted
	steps   = 9_000 // steps counted
	vectors = 900   // vectors kept of those
	tail    = 5.0   // degrees of freedom of the jumps' distribution: tails fatter than those of what is sampled
)

// sample draws parameter vectors as likely as the evidence makes them: Metropolis and Hastings' method with three
// kinds of step: jumps to anywhere about the best (Tierney's independence chain, Ann. Statist. 22, 1994) and walks
// from where it is, which both follow the curvature at the best; and sidesteps of one parameter, of any length. If
// the posterior is nearly normal, most jumps succeed; if a capacity is just reached, and so known from one side
// only, the sidesteps reach what the others do not. inflate widens the errors of the evidence by that factor.
func (s *space) sample(rng *rand.Rand, best []float64, inflate float64) [][]float64 {
	n := len(best)
	shape := s.shape(best)
	at, trial := slices.Clone(best), make([]float64, n)
	atHeight, scratch := s.height(at, inflate, make([]float64, 0, 64))
	atFar := shape.far(at)
	var kept [][]float64
	for i := range burnIn + steps {
		kind := i % 3
		switch kind {
		case 0: // jump
			shape.jump(rng, best, trial, inflate)
		case 1: // walk
			stride := 2.4 / math.Sqrt(float64(n)) // Gelman, Roberts and Gilks, Bayesian Statistics 5, 1996
			shape.scatter(rng, at, trial, inflate*stride*math.Pow(0.1, 2*rng.Float64()))
		case 2: // sidestep
			copy(trial, at)
			k := rng.IntN(n)
			far := s.params[k].prior.wide
			if s.params[k].prior.heavy {
				far *= outlierWidth
			}
			trial[k] += far * rng.NormFloat64() * math.Pow(0.1, 3*rng.Float64())
		}
		var h float64
		h, scratch = s.height(trial, inflate, scratch)
		far := shape.far(trial)
		odds := h - atHeight
		if kind == 0 { // less how much likelier the jump there is than the jump back
			odds -= shape.jumpDensity(far, inflate) - shape.jumpDensity(atFar, inflate)
		}
		if math.Log(rng.Float64()) < odds {
			copy(at, trial)
			atHeight, atFar = h, far
		}
		if i >= burnIn && (i-burnIn)%(steps/vectors) == 0 {
			kept = append(kept, slices.Clone(at))
		}
	}
	return kept
}

// height is the logarithm of how likely a vector is, but for a constant, with the errors of the evidence widened by
// inflate. It leaves the model as the vector has it.
func (s *space) height(x []float64, inflate float64, scratch []float64) (height float64, same []float64) {
	for i, p := range s.params {
		if x[i] < p.low || x[i] > p.high {
			return math.Inf(-1), scratch
		}
	}
	scratch = s.residuals(x, scratch)
	data := len(scratch) - len(x) // the priors come last
	return -(squares(scratch[:data])/(inflate*inflate) + squares(scratch[data:])) / 2, scratch
}

// shape is the normal distribution that the curvature at the best place makes of the evidence.
type shape struct {
	centre []float64
	chol   mat.Cholesky // of the covariance
	lower  mat.TriDense // its factor
	z, d   *mat.VecDense
}

func (s *space) shape(best []float64) *shape {
	n := len(best)
	sh := &shape{centre: best, z: mat.NewVecDense(n, nil), d: mat.NewVecDense(n, nil)}
	r := s.residuals(best, nil)
	j := s.jacobian(best, r, 0.01)
	for _, by := range []float64{-0.01, 0.1, -0.1} { // at the edge of a capacity, the flattest side has most to sample
		other := s.jacobian(best, r, by)
		for k := range n {
			if mat.Norm(other.ColView(k), 2) < mat.Norm(j.ColView(k), 2) {
				j.SetCol(k, mat.Col(nil, k, other))
			}
		}
	}
	normal := mat.NewSymDense(n, nil)
	normal.SymOuterK(1, j.T())
	chol := &sh.chol
	var inverse mat.SymDense
	if !chol.Factorize(normal) || chol.InverseTo(&inverse) != nil || !chol.Factorize(&inverse) {
		// Only rounding can make this fail, as the priors give every parameter some curvature. Then walk in small steps.
		inverse = *mat.NewSymDense(n, nil)
		for i := range n {
			inverse.SetSym(i, i, 1e-6)
		}
		chol.Factorize(&inverse)
	}
	chol.LTo(&sh.lower)
	return sh
}

// jump draws a vector about from with tails fatter than the normal's.
func (sh *shape) jump(rng *rand.Rand, from, to []float64, scale float64) {
	chi := 0.0
	for range int(tail) {
		z := rng.NormFloat64()
		chi += z * z
	}
	sh.scatter(rng, from, to, scale*math.Sqrt(tail/chi))
}

// jumpDensity is the logarithm of the density of a jump from the centre to so far away, but for a constant.
func (sh *shape) jumpDensity(far, scale float64) float64 {
	return -(tail + float64(len(sh.centre))) / 2 * math.Log1p(far/(tail*scale*scale))
}

func (sh *shape) scatter(rng *rand.Rand, from, to []float64, scale float64) {
	for i := range to {
		sh.z.SetVec(i, scale*rng.NormFloat64())
	}
	sh.d.MulVec(&sh.lower, sh.z)
	for i := range to {
		to[i] = from[i] + sh.d.AtVec(i)
	}
}

// far is the square of Mahalanobis' distance from the centre.
func (sh *shape) far(x []float64) float64 {
	for i := range x {
		sh.d.SetVec(i, x[i]-sh.centre[i])
	}
	_ = sh.chol.SolveVecTo(sh.z, sh.d) // the only error is bad conditioning
	return mat.Dot(sh.d, sh.z)
}
