// Package evidence is what the checks behind the claims of README and manual measured, compared
// with the truth. A test reports a Finding for each; make proof collects them and prints a table.
// Start at Finding.
package evidence

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Finding is one thing that was measured and could have turned out wrong.
type Finding struct {
	Claim    string  // by its name in testdata/proof/claims.txt
	Case     string  // what was measured: "WWW, three partitions, median of 5"
	Unit     string  // "B/s", "s", "%", "of 200"; of all the numbers below
	Truth    float64 // what is true: set by the kernel, the profile or the generator
	Measured float64 // what hubbench said
	Low      float64 // the interval of Measured, or the least and the most of its runs
	High     float64 //
	Limit    string  // what Measured was held to, in words: "within 1% of the limit"
	Pass     bool    // whether it held
	Left     string  // why it was not measured here; then no number above counts
}

// Report notes a finding with a test, as an attribute that testdata/proof/proof.sh takes from its
// output. It fails the test if the finding fails.
func Report(t testing.TB, f Finding) {
	t.Helper()
	if math.IsNaN(f.Measured) || math.IsInf(f.Measured, 0) {
		t.Fatalf("%s, %s: measured %g: the check itself is wrong", f.Claim, f.Case, f.Measured)
	}
	t.Attr("hubbench-finding", f.row())
	if !f.Pass && f.Left == "" {
		t.Errorf("%s, %s: %g %s where %g is true; want %s", f.Claim, f.Case, f.Measured, f.Unit,
			f.Truth, f.Limit)
	}
}

// row returns the finding as a line of the table of make proof.
func (f Finding) row() string {
	number := func(v float64) string { return strings.TrimSpace(fmt.Sprintf("%.4g %s", v, f.Unit)) }
	truth, measured, holds, what := number(f.Truth), number(f.Measured), "no", f.Case
	if f.Low != f.High {
		measured += fmt.Sprintf(" (%.4g to %.4g)", f.Low, f.High)
	}
	switch {
	case f.Left != "":
		truth, measured, f.Limit, holds, what = "-", "-", "-", "left out", f.Case+": "+f.Left
	case f.Pass:
		holds = "yes"
	}
	return strings.Join([]string{f.Claim, truth, measured, f.Limit, holds, what}, "\t")
}

// Trials returns how many there is time for: n, and fewer under the race detector.
func Trials(n, fewer int) int {
	if Raced {
		return fewer
	}
	return n
}

// AtMost returns a finding that counts what should not be: got of a number of trials, of which
// upper are the limit.
func AtMost(claim, name string, got, of, upper int) Finding {
	f := counted(claim, name, got, of)
	f.Limit, f.Pass = fmt.Sprintf("%d at most", upper), of > 0 && got <= upper
	return f
}

// AtLeast returns a finding that counts what should be: got of a number of trials, of which lower
// are the limit.
func AtLeast(claim, name string, got, of, lower int) Finding {
	f := counted(claim, name, got, of)
	f.Truth, f.Limit, f.Pass = float64(of), fmt.Sprintf("%d at least", lower), of > 0 &&
		got >= lower
	return f
}

// Seldom is AtMost for a share of all trials, beyond which chance may take these few: by three
// standard deviations, so that of a hundred such checks none fails by chance alone.
func Seldom(claim, name string, got, of int, share float64) Finding {
	upper := int(share*float64(of) + 3*math.Sqrt(share*(1-share)*float64(of)))
	f := AtMost(claim, name, got, of, upper)
	f.Limit = fmt.Sprintf("%.3g %% at most, which by chance may be %d of these", 100*share, upper)
	return f
}

// Below returns a finding of an error that has a maximum.
func Below(claim, name, unit string, measured, upper float64) Finding {
	return Finding{Claim: claim, Case: name, Unit: unit, Measured: measured, Low: measured,
		High:  measured,
		Limit: fmt.Sprintf("%.3g %s at most", upper, unit), Pass: measured <= upper}
}

// Within returns a finding that compares a number with the true one: apart by a share of it at
// most.
func Within(claim, name, unit string, truth, measured, share float64) Finding {
	return Finding{
		Claim: claim, Case: name, Unit: unit, Truth: truth, Measured: measured, Low: measured,
		High:  measured,
		Limit: fmt.Sprintf("within %.3g %%", 100*share),
		Pass:  math.Abs(measured-truth) <= share*math.Abs(truth),
	}
}

// counted has the interval of a count that the share of all such trials leaves open: Wilson's of 95
// % (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927).
func counted(claim, name string, got, of int) Finding {
	const z = 1.959964
	n, k := float64(of), float64(got)
	middle := (k + z*z/2) / (1 + z*z/n)
	half := z * math.Sqrt(k*(n-k)/n+z*z/4) / (1 + z*z/n)
	f := Finding{Claim: claim, Case: name, Unit: fmt.Sprintf("of %d", of), Measured: k,
		Low:  max(0, middle-half),
		High: min(n, middle+half)}
	switch got { // what rounding leaves of them
	case 0:
		f.Low = 0
	case of:
		f.High = n
	}
	if of == 0 {
		f.Low, f.High = 0, 0
	}
	return f
}
