package fit

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Placement is a way of plugging the disks in.
type Placement struct {
	Own  []string // on ports of their own
	Hub  []string // together on the hub
	Kept float64  // the least any disk on the hub keeps of what it reaches alone, in the worst mix of them all
	Mean float64  // the mean of that over all such mixes
	// The worst mix, as a pattern of the disks on the hub.
	Worst string
}

// place finds, for every number of ports besides the hub's, which disks best go there: such that the disk that loses
// most on the hub loses least.
func place(p *hub.Profile, disks []string) []Placement {
	best := make([]*Placement, len(disks))
	for set := range 1 << len(disks) {
		var here Placement
		for i, disk := range disks {
			if set&(1<<i) != 0 {
				here.Own = append(here.Own, disk)
			} else {
				here.Hub = append(here.Hub, disk)
			}
		}
		if len(here.Hub) == 0 {
			continue
		}
		here.Kept = math.Inf(1)
		n := 0
		for _, m := range mixes(here.Hub) {
			if len(m) < len(here.Hub) {
				continue
			}
			kept := m.kept(p)
			here.Mean += kept
			n++
			if kept < here.Kept {
				here.Kept, here.Worst = kept, m.pattern(here.Hub)
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
		list = append(list, *b)
		if b.Kept == 1 {
			break // one more port gains nothing
		}
	}
	return list
}

// String says it as advice.
func (l *Placement) String() string {
	switch {
	case len(l.Hub) == 1 && len(l.Own) == 0:
		return l.Hub[0] + " is alone on the hub"
	case len(l.Own) == 0:
		return fmt.Sprintf("%s on the hub: in the worst mix (%s) one of them keeps %.0f %% of what it reaches alone", and(l.Hub), l.Worst, 100*l.Kept)
	case len(l.Hub) == 1:
		return fmt.Sprintf("put %s on the hub, %s on %s: nobody contends", l.Hub[0], and(l.Own), ports(len(l.Own)))
	}
	return fmt.Sprintf("put %s on the hub, %s on %s: in the worst mix (%s) one of those on the hub keeps %.0f %% of what it reaches alone",
		and(l.Hub), and(l.Own), ports(len(l.Own)), l.Worst, 100*l.Kept)
}

func ports(n int) string {
	if n == 1 {
		return "a port of its own"
	}
	return "ports of their own"
}

func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// NextPhase is the phase that would say most about all the others.
type NextPhase struct {
	Pattern string
	Before  float64 // root mean square of the relative standard errors of all predicted rates
	After   float64 // what measuring the phase would bring it to
}

// countedFiles is how many files a phase to come is taken to move for each disk.
const countedFiles = 30

// next finds the phase which, once measured, leaves the least uncertainty in all predictions together. The rates drawn
// are taken as jointly normal, as in Bayesian linear regression (Lindley and Smith, J. R. Stat. Soc. B 34, 1972).
func next(p *hub.Profile, rows []Row, drawn [][][]float64) *NextPhase {
	if len(drawn) == 0 || len(drawn[0]) == 0 {
		return nil
	}
	// Every predicted rate as a column of deviations of its logarithm.
	var columns [][]float64
	first := make([]int, len(rows)) // the row's first column
	for r, all := range drawn {
		first[r] = len(columns)
		for j := range all[0] {
			column := make([]float64, len(all))
			mean := 0.0
			for i := range all {
				column[i] = math.Log(all[i][j])
				mean += column[i] / float64(len(all))
			}
			for i := range column {
				column[i] -= mean
			}
			columns = append(columns, column)
		}
	}
	variance := 0.0
	for _, c := range columns {
		variance += covariance(c, c)
	}
	noise := max(p.Noise, leastErr)
	best, bestGain := 0, -1.0
	for r := range rows {
		measured := columns[first[r] : first[r]+len(drawn[r][0])]
		if g := gain(measured, columns, noise*noise/countedFiles); g > bestGain {
			best, bestGain = r, g
		}
	}
	n := float64(len(columns))
	return &NextPhase{
		Pattern: rows[best].Pattern,
		Before:  math.Sqrt(variance / n),
		After:   math.Sqrt(max(variance-bestGain, 0) / n),
	}
}

// gain is how much variance of all columns goes once some of them are measured with errors of their own.
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
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum / float64(len(a))
}

// String says it as advice.
func (n *NextPhase) String() string {
	return fmt.Sprintf("measure %s next: it would bring the uncertainty of all predictions from %.2g %% to %.2g %%",
		n.Pattern, 100*n.Before, 100*n.After)
}
