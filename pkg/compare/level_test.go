package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// triple is three disks writing; C has some 50 files in the window.
func triple(factor float64) []load {
	return []load{
		{"A", trace.Write, 0.7e9, 25},
		{"B", trace.Write, 0.7e9, 25},
		{"C", trace.Write, 2.1e9 * factor, 50},
	}
}

// TestPowerWithinRuns: a true difference of 5 % with 50 files and 5 % noise is to be found. Of 400
// pairs it was in 95 % with files of the same sizes, in 91 % with others.
func TestPowerWithinRuns(t *testing.T) {
	pairs := uint64(pairsOf(60))
	for _, same := range []bool{true, false} {
		rnd := rand.New(rand.NewPCG(43, 44))
		found := 0
		for i := range pairs {
			other := i
			if !same {
				other += pairs
			}
			n := tracetest.Noise{Sigma: 0.05}
			c := Runs(quick(play("WWW", i, rnd, n, triple(1)...)),
				quick(play("WWW", other, rnd, n, triple(0.95)...)))
			if tellings(c, "C") > 0 {
				found++
			}
		}
		evidence.Report(t, evidence.AtLeast("compare",
			fmt.Sprintf("5 %% slower, 50 files with 5 %% noise, the same sizes in both %v: found",
				same), found, int(pairs), int(pairs)*80/100))
	}
}

// tellings counts the differences that are called so, of one disk or, without a name, of any.
func tellings(c *Comparison, disk string) int {
	n := 0
	for _, p := range c.Pairs[0].Phases {
		for _, r := range p.Rates {
			if (disk == "" || r.Disk == disk) && (r.Verdict == Slower || r.Verdict == Faster) {
				n++
			}
		}
	}
	return n
}
