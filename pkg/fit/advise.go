package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Placement is a way to plug the disks in.
type Placement struct {
	Own   []string `json:"own"`   // on ports of their own
	Hub   []string `json:"hub"`   // together on the hub
	Kept  float64  `json:"kept"`  // the smallest share of its solo rate that a disk on the hub keeps, in the worst mix
	Mean  float64  `json:"mean"`  // the mean of that over all such mixes
	Worst string   `json:"worst"` // the worst mix, as a pattern of the disks on the hub
}

// place finds, for every number of ports besides the hub's, which disks to move there so that the disk that loses most
// on the hub loses as little as possible. A choice with a mix on the hub that is not predictable is skipped.
func place(rows []Row, disks []string) []Placement {
	kept := map[string]float64{}
	for i := range rows {
		kept[rows[i].Pattern] = rows[i].Kept
	}
	best := make([]*Placement, len(disks))
choices:
	for set := range 1<<len(disks) - 1 {
		here := Placement{Kept: math.Inf(1)}
		for i, disk := range disks {
			if set&(1<<i) != 0 {
				here.Own = append(here.Own, disk)
			} else {
				here.Hub = append(here.Hub, disk)
			}
		}
		n := 0
		for _, m := range mixes(here.Hub) {
			if len(m.Disks) < len(here.Hub) {
				continue
			}
			k := kept[pattern(m, disks)]
			if k == 0 {
				continue choices
			}
			here.Mean += k
			n++
			if k < here.Kept {
				here.Kept, here.Worst = k, pattern(m, here.Hub)
			}
		}
		here.Mean /= float64(n)
		own := len(here.Own)
		if b := best[own]; b == nil || here.Kept > b.Kept || here.Kept == b.Kept && here.Mean > b.Mean {
			best[own] = &here
		}
	}
	var list []Placement
	for _, b := range best {
		if b == nil {
			continue
		}
		list = append(list, *b)
		if b.Kept == 1 {
			break // another port gains nothing
		}
	}
	return list
}

// String words it as advice.
func (l *Placement) String() string {
	ports := "ports of their own"
	if len(l.Own) == 1 {
		ports = "a port of its own"
	}
	what := fmt.Sprintf("put %s on the hub, %s on %s", unit.List(l.Hub), unit.List(l.Own), ports)
	if len(l.Hub) == 1 {
		if len(l.Own) == 0 {
			return l.Hub[0] + " is alone on the hub"
		}
		return what + ": no two disks share a link"
	}
	who := "one of those on the hub"
	if len(l.Own) == 0 {
		what, who = unit.List(l.Hub)+" on the hub", "one of them"
	}
	return fmt.Sprintf("%s: in the worst mix (%s) %s keeps %.0f %% of what it reaches alone",
		what, Describe(l.Worst, l.Hub), who, 100*l.Kept)
}

// Describe words what the disks do in a pattern: "A and B read, C writes".
func Describe(pattern string, disks []string) string {
	all := map[string]work.Work{}
	for i, disk := range disks {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			if i < len(pattern) && pattern[i] == op.Letter() {
				all[disk] = work.Work{Op: op}
			}
		}
	}
	return work.Who(disks, all)
}

// NextPhase is the phase that would narrow down all others most.
type NextPhase struct {
	Pattern string `json:"pattern"`
	Words   string `json:"words"` // the same
	// Before is the root mean square of the relative standard errors of all predicted rates; zero if one disk's were never
	// seen. After is the same once the phase is measured.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

const (
	// countedFiles is how many files of each disk the next phase is assumed to move.
	countedFiles = 30
	// minProgress is the share of the uncertainty that a phase must remove to be worth measuring.
	minProgress = 0.05
)

// next finds the phase that, once measured, leaves the least uncertainty in all others. The rates drawn are
// treated as jointly normal, as in Bayesian linear regression (Lindley and Smith, J. R. Stat. Soc. B 34, 1972).
func next(p *hub.Profile, disks []string, rows []Row, drawn []draws) *NextPhase {
	// Every predicted rate as a column of deviations of its logarithm.
	var columns [][]float64
	own := make([][][]float64, len(rows)) // the row's
	for r, all := range drawn {
		if rows[r].Measured {
			continue
		}
		if len(all) == 0 { // nothing was seen of one of its disks: the first such row has that one alone
			return &NextPhase{Pattern: rows[r].Pattern, Words: Describe(rows[r].Pattern, disks)}
		}
		for j := range all[0] {
			column := logs(all.column(j))
			floats.AddConst(-stats.Mean(column), column)
			own[r] = append(own[r], column)
		}
		columns = append(columns, own[r]...)
	}
	variance := 0.0
	for _, c := range columns {
		variance += covariance(c, c)
	}
	noise := max(p.Noise, minErr)
	best, bestGain := -1, minProgress*variance
	for r := range rows {
		if own[r] == nil {
			continue
		}
		if g := gain(own[r], columns, noise*noise/countedFiles); g > bestGain {
			best, bestGain = r, g
		}
	}
	if best < 0 {
		return nil
	}
	n := float64(len(columns))
	return &NextPhase{
		Pattern: rows[best].Pattern, Words: Describe(rows[best].Pattern, disks),
		Before: math.Sqrt(variance / n),
		After:  math.Sqrt(max(variance-bestGain, 0) / n),
	}
}

// gain is how much variance of all columns is removed once some of them are measured with errors of their own.
func gain(measured, all [][]float64, own float64) float64 {
	n := len(measured)
	with := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			with.SetSym(i, j, covariance(measured[i], measured[j]))
		}
		with.SetSym(i, i, with.At(i, i)+own)
	}
	var chol mat.Cholesky
	if !chol.Factorize(with) {
		return 0
	}
	sum := 0.0
	var solved mat.VecDense
	for _, c := range all {
		cross := mat.NewVecDense(n, nil)
		for i := range n {
			cross.SetVec(i, covariance(measured[i], c))
		}
		if chol.SolveVecTo(&solved, cross) == nil {
			sum += mat.Dot(cross, &solved)
		}
	}
	return sum
}

// covariance is that of two columns of deviations from their means.
func covariance(a, b []float64) float64 {
	return floats.Dot(a, b) / float64(len(a))
}

// String words it as advice.
func (n *NextPhase) String() string {
	if n.Before == 0 {
		return fmt.Sprintf("measure %s next (%s): nothing is known about it", n.Pattern, n.Words)
	}
	return fmt.Sprintf("measure %s next (%s): it would reduce the uncertainty of all predictions from %.2g %% to %.2g %%",
		n.Pattern, n.Words, 100*n.Before, 100*n.After)
}
