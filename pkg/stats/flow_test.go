package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
)

// uneven is a flow of 40 rates about a mean, whose files differ that much.
func uneven(mean, se float64) Flow {
	f := Flow{Rates: make([]float64, 40), Known: 40, Length: 4,
		Spread: Spread{Items: 9, SE: se, DegreesOfFreedom: 8}}
	for i := range 20 {
		off := 0.01 * mean * math.Sin(float64(i*i))
		f.Rates[i], f.Rates[(3*i+1)%20+20] = mean+off, mean-off
	}
	return f
}

func TestTotal(t *testing.T) {
	a := Flow{Rates: []float64{1, 2, 3}, Known: 3, Length: 6,
		Spread: Spread{Items: 5, SE: 3, DegreesOfFreedom: 10}}
	b := Flow{Rates: []float64{10, 20, 30}, Known: 2, Length: 6,
		Spread: Spread{Items: 7, SE: 4, DegreesOfFreedom: 5}}
	// How the items of few differ is not known.
	few := Flow{Rates: []float64{0, 0, 1}, Known: 3, Length: 6, Spread: Spread{Items: 2}}
	// Variances add: 9 and 16 are 25, with 25²/(9²/10 + 16²/5) degrees of freedom.
	want := Flow{Rates: []float64{11, 22, 34}, Known: 2, Length: 6,
		Spread: Spread{Items: 2, SE: 5, DegreesOfFreedom: 625 / (8.1 + 51.2)}}
	check.Same(t, "total", want, Total([]Flow{a, b, few}), cmpopts.EquateApprox(1e-12, 0))
}

// wandering are rates with a memory, in values.
func wandering(n int, memory float64) []float64 {
	rates := series(rand.New(rand.NewPCG(3, 4)), n, math.Exp(-1/memory))
	for i := range rates {
		rates[i] += 100
	}
	return rates
}

func TestDoubt(t *testing.T) {
	flow := func(rates []float64, known, items int) Flow {
		return Flow{Rates: rates, Known: known, Spread: Spread{Items: items}}
	}
	apart := flow(wandering(100, 50), 100, 3)
	apart.Spread.SE, apart.Spread.DegreesOfFreedom = 1, 2
	for _, tt := range []struct {
		what string
		f    Flow
		want Doubt
	}{
		{"enough", flow(make([]float64, 8), 8, 3), NoDoubt},
		{"7 rates", flow(make([]float64, 7), 8, 3), TooShort},
		{"7 known", flow(make([]float64, 8), 7, 3), TooShort},
		{"2 items", flow(make([]float64, 8), 8, 2), TooFew},
		{"7 rates of 2 items", flow(make([]float64, 7), 8, 2), TooShort},
		{"a short memory", flow(wandering(300, 3), 300, 3), NoDoubt},
		{"a long memory", flow(wandering(100, 50), 100, 3), TooSlow},
		{"a long memory of files that differ as much", apart, NoDoubt},
	} {
		_, doubt := tt.f.Estimate()
		check.Same(t, tt.what, tt.want, doubt)
	}
}

// The wider of the errors by noise and by files counts.
func TestFlowOfFewItems(t *testing.T) {
	even, _ := uneven(100, 0.001).Estimate()
	over := even.SE
	if over < 0.01 || over > 0.5 || even.DegreesOfFreedom != slowWaves {
		t.Fatalf("over time the error is %v with %v degrees of freedom", over,
			even.DegreesOfFreedom)
	}
	few, _ := uneven(100, 3).Estimate()
	v := few.Interval()
	half := 3 * 2.306004135 // Student's t with 8 degrees of freedom, 2.5 % on either side
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"error", few.SE, 3}, {"low", v[0], 100 - half}, {"high", v[1], 100 + half},
		{"above 97", few.Above(97), 0.1733}, // t = 1
		{"above 103", few.Above(103), 1 - 0.1733},
		{"least", few.LowerBound(0.025), 100 - half},
		// T = 2, both sides.
		{"p of a mean", Estimate{Mean: -6, SE: few.SE, DegreesOfFreedom: 8}.P(), 0.0805},
	} {
		check.Near(t, c.what, c.want, c.got, 1e-3)
	}
}

// Errors of logarithms are relative, no matter in which unit.
func TestLogMean(t *testing.T) {
	small, _ := uneven(100, 3).LogMean()
	large, _ := uneven(1e5, 3e3).LogMean()
	check.Near(t, "mean", math.Log(100), small.Mean, 1e-9)
	check.Near(t, "error", 0.03, small.SE, 1e-9)
	check.Near(t, "error of thousandfold rates", 0.03, large.SE, 1e-12)
	// The errors of 0.03 and 0.04 are 0.05 together.
	other, _ := uneven(150, 6).LogMean()
	change := Difference(small, other)
	check.Near(t, "the change", math.Log(1.5), change.Mean, 1e-9)
	check.Near(t, "its error", 0.05, change.SE, 1e-9)
	check.Near(t, "its freedom", 625/(81./8+256./8), change.DegreesOfFreedom, 1e-9)
	unknown := uneven(100, 3)
	unknown.Known = 7
	e, doubt := unknown.LogMean()
	check.Same(t, "doubt", TooShort, doubt)
	if e.SE != 0 || math.Abs(e.Mean-math.Log(100)) > 1e-9 {
		t.Errorf("of a flow in doubt: %+v, want no error of its own", e)
	}
	if e, _ := (Flow{Rates: make([]float64, 8), Known: 8,
		Spread: Spread{Items: 3}}).LogMean(); !math.IsInf(e.Mean, -1) {
		t.Errorf("of nothing: %+v, want minus infinity", e)
	}
}

func TestBinomialTail(t *testing.T) {
	for _, tt := range []struct {
		n, k int
		want float64
	}{{3, -1, 1}, {3, 0, 1}, {3, 1, 7. / 8}, {3, 2, 0.5}, {3, 3, 1. / 8}, {3, 4, 0}} {
		check.Near(t, "the chance", tt.want, BinomialTail(tt.n, tt.k, 0.5), 1e-12)
	}
}
