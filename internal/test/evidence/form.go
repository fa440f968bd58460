package evidence

import (
	"fmt"
	"math"
)

// AtMost is a finding that counts what should not be: got of a number of trials, of which upper are the limit.
func AtMost(claim, name string, got, of, upper int) Finding {
	f := counted(claim, name, got, of)
	f.Limit, f.Pass = fmt.Sprintf("%d at most", upper), of > 0 && got <= upper
	return f
}

// AtLeast is a finding that counts what should be: got of a number of trials, of which lower are the limit.
func AtLeast(claim, name string, got, of, lower int) Finding {
	f := counted(claim, name, got, of)
	f.Truth, f.Limit, f.Pass = float64(of), fmt.Sprintf("%d at least", lower), of > 0 && got >= lower
	return f
}

// Seldom is AtMost for a share of all trials, beyond which chance may take these few: by three standard
// deviations, so that of a hundred such checks none fails by chance alone.
func Seldom(claim, name string, got, of int, share float64) Finding {
	upper := int(share*float64(of) + 3*math.Sqrt(share*(1-share)*float64(of)))
	f := AtMost(claim, name, got, of, upper)
	f.Limit = fmt.Sprintf("%.3g %% at most, which by chance may be %d of these", 100*share, upper)
	return f
}

// Below is a finding of an error that has a maximum.
func Below(claim, name, unit string, measured, upper float64) Finding {
	return Finding{Claim: claim, Case: name, Unit: unit, Measured: measured, Low: measured, High: measured,
		Limit: fmt.Sprintf("%.3g %s at most", upper, unit), Pass: measured <= upper}
}

// Within is a finding that compares a number with the true one: apart by a share of it at most.
func Within(claim, name, unit string, truth, measured, share float64) Finding {
	return Finding{
		Claim: claim, Case: name, Unit: unit, Truth: truth, Measured: measured, Low: measured, High: measured,
		Limit: fmt.Sprintf("within %.3g %%", 100*share), Pass: math.Abs(measured-truth) <= share*math.Abs(truth),
	}
}

// counted has the interval of a count that the share of all such trials leaves open: Wilson's of 95 % (E. B. Wilson,
// "Probable inference, the law of succession, and statistical inference", 1927).
func counted(claim, name string, got, of int) Finding {
	const z = 1.959964
	n, k := float64(of), float64(got)
	middle := (k + z*z/2) / (1 + z*z/n)
	half := z * math.Sqrt(k*(n-k)/n+z*z/4) / (1 + z*z/n)
	f := Finding{Claim: claim, Case: name, Unit: fmt.Sprintf("of %d", of), Measured: k, Low: max(0, middle-half),
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
