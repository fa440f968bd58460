package hub

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Evidence is what measurements say of a hub: what is read from runs, what a fit is made from, and what a
// fitted profile keeps so that predictions have intervals.
type Evidence struct {
	Rates []Observation
	Lags  []ObservedLag
	Noise ObservedNoise
}

// Observation is a stretch of time in which the same disks were active and had settled.
type Observation struct {
	Phase  string // where it was seen
	Direct bool   // its one disk was on a port of its own
	Disks  []Observed
}

// Observed is one disk's rate in an observation.
type Observed struct {
	Disk  string     `json:"disk"` // its name in the profile
	Op    trace.Role `json:"op"`
	Rate  float64    `json:"rate"`
	Error float64    `json:"error"` // relative standard error of Rate; above zero
}

// ObservedLag is a disk's wait for its new share after another left.
type ObservedLag struct {
	Phase       string
	Stays, Left trace.Role
	Staying     int
	Seconds     float64
	Error       float64 // standard error, seconds
}

// ObservedNoise is how much files differ that were moved under the same conditions: the sum of the squares of their
// rates' logarithms, each about its observation's mean, and its degrees of freedom.
type ObservedNoise struct {
	Squares float64
	Freedom int
}

// Deviation is the standard deviation of a file's rate, relative. ok is false if too few files were seen.
func (n ObservedNoise) Deviation() (sd float64, ok bool) {
	if n.Freedom < minFreedom {
		return 0, false
	}
	return math.Sqrt(n.Squares / float64(n.Freedom)), true
}

// minFreedom makes a standard deviation good to about a fifth.
const minFreedom = 12

// Mix names what the disks of the observation did, whatever the phase was called: "A write + C read".
func (o *Observation) Mix() string {
	parts := make([]string, len(o.Disks))
	for i, d := range o.Disks {
		parts[i] = d.Disk + " " + string(d.Op)
	}
	slices.Sort(parts)
	mix := strings.Join(parts, " + ")
	if o.Direct {
		mix += " direct"
	}
	return mix
}

// Of is what was observed of a disk; nil if it was not there.
func (o *Observation) Of(disk string) *Observed {
	i := slices.IndexFunc(o.Disks, func(d Observed) bool { return d.Disk == disk })
	if i < 0 {
		return nil
	}
	return &o.Disks[i]
}

// Add joins the evidence of another run to this.
func (e *Evidence) Add(other *Evidence) {
	e.Rates = append(e.Rates, other.Rates...)
	e.Lags = append(e.Lags, other.Lags...)
	e.Noise.Squares += other.Noise.Squares
	e.Noise.Freedom += other.Noise.Freedom
}

// Without is the evidence less every observation for which drop says so.
func (e *Evidence) Without(drop func(*Observation) bool) *Evidence {
	less := *e
	less.Rates = slices.DeleteFunc(slices.Clone(e.Rates), func(o Observation) bool { return drop(&o) })
	return &less
}

// Pooled joins the observations of the same disks in phases of the same name, as repeated runs give: to their mean in
// their errors' weights, with an error widened to how far they really differ (Birge, Phys. Rev. 40, 1932).
func (e *Evidence) Pooled() *Evidence {
	return e.pooled(func(o *Observation) string { return o.Phase + "\n" + o.Mix() })
}

// PooledByMix joins all observations of the same disks in the same way, whatever their phases.
func (e *Evidence) PooledByMix() *Evidence { return e.pooled((*Observation).Mix) }

func (e *Evidence) pooled(by func(*Observation) string) *Evidence {
	less := *e
	less.Rates = nil
	groups := map[string][]Observation{}
	var order []string
	for _, o := range e.Rates {
		key := by(&o)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], o)
	}
	for _, key := range order {
		group := groups[key]
		mean := group[0]
		mean.Disks = slices.Clone(mean.Disks)
		for i := range mean.Disks {
			if len(group) > 1 {
				mean.Disks[i].pool(group)
			}
		}
		less.Rates = append(less.Rates, mean)
	}
	return &less
}

// pool makes the disk's rate and error those of its mean over a group of observations.
func (d *Observed) pool(group []Observation) {
	var weights, sum, squares float64
	for _, o := range group {
		same := o.Of(d.Disk)
		weight, log := 1/(same.Error*same.Error), math.Log(same.Rate)
		weights += weight
		sum += weight * log
		squares += weight * log * log
	}
	mean := sum / weights
	scatter := max(squares-sum*mean, 0) / float64(len(group)-1)
	d.Rate, d.Error = math.Exp(mean), math.Sqrt(max(scatter, 1)/weights)
}

// Disks lists the names of the disks seen, sorted.
func (e *Evidence) Disks() []string {
	seen := map[string]bool{}
	for _, o := range e.Rates {
		for _, d := range o.Disks {
			seen[d.Disk] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
