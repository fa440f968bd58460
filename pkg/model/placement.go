package model

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Placement is a way to plug the disks in.
type Placement struct {
	Own []string `json:"own"` // on ports of their own
	Hub []string `json:"hub"` // together on the hub
	// Kept is the smallest share of its solo rate that a disk on the hub keeps, in the worst mix.
	Kept  float64 `json:"kept"`
	Mean  float64 `json:"mean"`  // the mean of that over all such mixes
	Worst string  `json:"worst"` // the worst mix, as a pattern of the disks on the hub
}

// place finds, for every number of ports besides the hub's, which disks to move there so that the
// disk that loses most on the hub loses as little as possible. A choice with a mix on the hub that
// is not predictable is skipped.
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
		b := best[own]
		if b == nil || here.Kept > b.Kept || here.Kept == b.Kept && here.Mean > b.Mean {
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
		what = unit.List(l.Hub) + " on the hub"
		who = "one of them"
	}
	return fmt.Sprintf("%s: in the worst mix (%s) %s keeps %.0f%% of what it reaches alone",
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

// NextPhase is the phase whose rates are the least certain.
type NextPhase struct {
	Pattern string `json:"pattern"`
	Words   string `json:"words"` // the same
	// Off is half the widest 95 % interval of its rates, relative; zero if one disk's were never
	// seen.
	Off float64 `json:"off"`
}

// minProgress is the relative uncertainty below which nothing is left to measure.
const minProgress = 0.02

// leastCertain returns the phase that is predicted worst of those that were not measured; nil if
// nothing is left to learn.
func leastCertain(rows []Row) (next *NextPhase) {
	least := minProgress
	for _, row := range rows {
		for _, e := range row.Rates {
			if off := math.Sqrt(e.High/max(e.Low, 1)) - 1; !row.Measured && off > least {
				next = &NextPhase{Pattern: row.Pattern, Off: off}
				least = off
			}
		}
	}
	return next
}

// String words it as advice.
func (n *NextPhase) String() string {
	if n.Off == 0 {
		return fmt.Sprintf("measure %s next (%s): nothing is known about it", n.Pattern, n.Words)
	}
	return fmt.Sprintf("measure %s next (%s): its rates are the least certain, ±%.0f%%",
		n.Pattern, n.Words, 100*n.Off)
}
