package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
)

// uneven is a flow of 40 rates about a mean, whose files differ that much.
func uneven(mean, se, worth float64) Flow {
	f := Flow{Rates: make([]float64, 40), Known: 40, Length: 4, Spread: Spread{Items: 9, Worth: worth, se: se, free: 8, tail: 0.01 * mean}}
	for i := range 20 {
		off := 0.01 * mean * math.Sin(float64(i*i))
		f.Rates[i], f.Rates[(3*i+1)%20+20] = mean+off, mean-off
	}
	return f
}

func TestTotal(t *testing.T) {
	a := Flow{Rates: []float64{1, 2, 3}, Known: 3, Length: 6, Spread: Spread{Items: 5, Worth: 4, se: 3, free: 10, tail: 0.2}}
	b := Flow{Rates: []float64{10, 20, 30}, Known: 2, Length: 6, Spread: Spread{Items: 7, Worth: 3, se: 4, free: 5, tail: 0.1}}
	few := Flow{Rates: []float64{0, 0, 1}, Known: 3, Length: 6, Spread: Spread{Items: 2, Worth: 2}} // how its items differ is not known
	// Variances add: 9 and 16 are 25, with 25²/(9²/10 + 16²/5) degrees of freedom.
	want := Flow{Rates: []float64{11, 22, 34}, Known: 2, Length: 6,
		Spread: Spread{Items: 2, Worth: 2, se: 5, free: 625 / (8.1 + 51.2), tail: 0.2}}
	got := Total([]Flow{a, b, few})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Spread{}), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDoubt(t *testing.T) {
	flow := func(rates, known, items int) Flow {
		return Flow{Rates: make([]float64, rates), Known: known, Spread: Spread{Items: items}}
	}
	for _, tt := range []struct {
		f    Flow
		want Doubt
	}{
		{flow(8, 8, 3), NoDoubt}, {flow(7, 8, 3), TooShort}, {flow(8, 7, 3), TooShort}, {flow(8, 8, 2), TooFew}, {flow(7, 8, 2), TooShort},
	} {
		check.Same(t, fmt.Sprintf("%d rates, %d known, %d items", len(tt.f.Rates), tt.f.Known, tt.f.Spread.Items), tt.want, tt.f.Doubt())
	}
}

// If few files took most of the time, what they differ by is the error if it is the larger one.
func TestFlowOfFewItems(t *testing.T) {
	many, few := uneven(100, 3, 12).Estimate(), uneven(100, 3, 11.9).Estimate()
	over := many.SE()
	if over < 0.02 || over > 0.5 {
		t.Fatalf("over time the error is %v", over)
	}
	v := few.Interval()
	half := 3 * 2.306004135 // Student's t with 8 degrees of freedom, 2.5 % on either side
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"error", few.SE(), 3},
		{"low", v[0], 100 - half - 1}, // a slow item more takes one off
		{"high", v[1], 100 + half},
		{"above 97", few.Above(97), 0.1733}, // t = 1
		{"above 103", few.Above(103), 1 - 0.1733},
		{"least", few.LowerBound(0.025), 100 - half},
		{"little", uneven(100, 0.001, 5).Estimate().SE(), over},
		{"least of little", uneven(100, 0.001, 5).Estimate().LowerBound(0.025), many.LowerBound(0.025)},
		{"low of many", many.Interval()[0], uneven(100, 0.001, 5).Estimate().Interval()[0]},
		{"high of many", many.Interval()[1], uneven(100, 0.001, 5).Estimate().Interval()[1]},
		{"p of a mean", Estimate{Mean: -6, parts: few.parts, few: few.few}.P(), 0.0805}, // t = 2, both sides
	} {
		check.Near(t, c.what, c.want, c.got, 3e-3)
	}
}

// A change is of logarithms, with relative errors, and no matter in which unit.
func TestChange(t *testing.T) {
	a, b := uneven(100, 3, 20), uneven(150, 6, 20)
	plain := a.Change(b)
	check.Near(t, "the change", math.Log(1.5), plain.Mean, 1e-9)
	check.Near(t, "its error", math.Sqrt2*a.Estimate().SE()/100, plain.SE(), 3e-4)
	check.Near(t, "of thousandfold rates", plain.SE(), uneven(1e5, 3, 20).Change(uneven(150, 6, 20)).SE(), 1e-12)
	// The relative errors of 0.03 and 0.04 are 0.05 together, of few items on either side.
	for _, worth := range [][2]float64{{11, 20}, {20, 11}} {
		got := uneven(100, 3, worth[0]).Change(uneven(150, 6, worth[1]))
		check.Near(t, "the error of few", 0.05, got.SE(), 1e-9)
		check.Near(t, "their freedom", 625/(81./8+256./8), got.few.free, 1e-9)
	}
	// Noise that lasts is compared by time, not by the number of rates.
	long := uneven(100, 3, 20)
	long.Length = 400
	if other := long.Change(b).SE(); math.Abs(other-plain.SE()) < 1e-9 {
		t.Errorf("a length of 400 in place of 4 s changes nothing: %v", other)
	}
}

func TestFlowRepeat(t *testing.T) {
	f := uneven(100, 3, 5)
	got := f.Repeat()
	check.Near(t, "mean", math.Log(Mean(f.Rates)), got.Mean, 1e-12)
	check.Near(t, "error", 3/Mean(f.Rates), got.SE, 1e-9)
	f.Known = 7
	if got := f.Repeat(); got.SE != 0 || math.Abs(got.Mean-math.Log(Mean(f.Rates))) > 1e-12 {
		t.Errorf("of a flow in doubt: %+v, want no error of its own", got)
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
