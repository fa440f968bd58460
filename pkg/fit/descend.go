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
