package configs

import (
	"fmt"
	"math"
	"strings"
)

// published is one figure of the reports beside the model's.
type published struct {
	what, unit string
	low, high  float64 // as it was published; high is infinite if only a bound was
	model      float64
	why        string // it is more than 5 % off
}

// off is how far the model's figure lies outside the published range, relative to its nearer end.
func (p published) off() float64 {
	switch {
	case p.model < p.low:
		return p.model/p.low - 1
	case p.model > p.high:
		return p.model/p.high - 1
	}
	return 0
}

func (p published) String() string {
	notes := fmt.Sprintf("%.4g to %.4g", p.low, p.high)
	switch {
	case p.low == p.high:
		notes = fmt.Sprintf("%.4g", p.low)
	case math.IsInf(p.high, 1):
		notes = fmt.Sprintf("over %.4g", p.low)
	}
	off := fmt.Sprintf("%+.1f %%", 100*p.off())
	if math.Abs(p.off()) < 0.0005 {
		off = "0"
	}
	return fmt.Sprintf("| %s | %s | %.3g | %s |", p.what, strings.TrimSpace(notes+" "+p.unit), p.model, off)
}

// notes collects the figures.
type notes struct{ rows []published }

func (n *notes) add(what, unit string, low, high, model float64, why ...string) {
	n.rows = append(n.rows, published{what, unit, low, high, model, strings.Join(why, "")})
}

// rate adds a figure in GB/s.
func (n *notes) rate(what string, low, high, model float64, why ...string) {
	n.add(what, "GB/s", low, high, model, why...)
}
