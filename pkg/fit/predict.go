package fit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// mostDisks is how many disks are predicted together: each triples the number of combinations, and five make 242.
const mostDisks = 5

// Prediction is what a hub would do with some disks in every combination.
type Prediction struct {
	Disks      []string
	Rows       []Row       // by the number of disks at work
	Placements []Placement // which disks to take off the hub: none, then the best one, the best two, ...
	Next       *NextPhase  // what to measure next; nil where the profile has no observations
}

// Row is one combination. Where the profile has no observations, its intervals have no width.
type Row struct {
	Pattern  string // a letter for each disk: W, R or -
	Rates    []Estimate
	Total    Estimate
	Kept     float64 // the least any disk at work keeps of what it reaches alone on the hub
	Measured bool    // exactly this was observed
}

// Estimate is a rate with its 95 % interval, bytes per second. It is zero for an idle disk.
type Estimate struct {
	Rate, Low, High float64
}

// Predict works out every combination of the disks on the hub. Its intervals come from the profile's observations: the
// parameters are drawn anew from all that agree with them, so what is known only together counts as such.
func Predict(p *hub.Profile, disks []string, seed uint64) (*Prediction, error) {
	if len(disks) == 0 || len(disks) > mostDisks {
		return nil, fmt.Errorf("predict %d disks: name 1 to %d of the profile's %s", len(disks), mostDisks, p.Names())
	}
	for i, name := range disks {
		if p.Disk(name) == nil {
			return nil, fmt.Errorf("predict disk %q: profile %s has none of that name; it has %s", name, p.Name, p.Names())
		}
		if slices.Contains(disks[:i], name) {
			return nil, fmt.Errorf("predict disk %s: it is named twice", name)
		}
	}
	alternatives, err := alternatives(p, seed)
	if err != nil {
		return nil, err
	}
	out := &Prediction{Disks: disks}
	measured := map[string]bool{}
	for i := range p.Evidence.Rates {
		measured[p.Evidence.Rates[i].Mix()] = true
	}
	var drawn [][][]float64 // by row and alternative: the rates of the disks at work
	for _, mix := range mixes(disks) {
		row := Row{Pattern: mix.pattern(disks), Rates: make([]Estimate, len(disks)), Measured: measured[mix.name()]}
		rates := mix.rates(p)
		row.Kept = mix.kept(p)
		all := make([][]float64, len(alternatives))
		for i := range alternatives {
			all[i] = mix.rates(&alternatives[i])
		}
		drawn = append(drawn, all)
		column := make([]float64, len(all))
		total := 0.0
		for j, use := range mix {
			for i := range all {
				column[i] = all[i][j]
			}
			row.Rates[slices.Index(disks, use.disk)] = interval(rates[j], column)
			total += rates[j]
		}
		for i := range all {
			column[i] = 0
			for _, rate := range all[i] {
				column[i] += rate
			}
		}
		row.Total = interval(total, column)
		out.Rows = append(out.Rows, row)
	}
	out.Placements = place(p, disks)
	out.Next = next(p, out.Rows, drawn)
	return out, nil
}

// alternatives are profiles as likely as p by its observations; none where it has none.
func alternatives(p *hub.Profile, seed uint64) ([]hub.Profile, error) {
	if len(p.Evidence.Rates) == 0 {
		return nil, nil
	}
	s, err := newSpace(&p.Evidence)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	best := s.best(rng)
	fit := &Result{}
	fit.judge(s, &p.Evidence, best)
	vectors := s.sample(rng, best, max(fit.Misfit, 1))
	list := make([]hub.Profile, len(vectors))
	for i, x := range vectors {
		s.set(x)
		list[i] = hub.Profile{Name: p.Name, Capacity: s.model.capacity, Disks: slices.Clone(p.Disks)}
		for j := range list[i].Disks { // disks that were not observed stay as the profile has them
			d := &list[i].Disks[j]
			if !slices.Contains(s.disks, d.Name) {
				continue
			}
			drawn := s.disk(d.Name, &s.model.capacity)
			d.Read, d.Write = drawn.Read, drawn.Write
		}
	}
	return list, nil
}

// interval puts a 95 % interval about a rate. It changes the order of drawn.
func interval(rate float64, drawn []float64) Estimate {
	if len(drawn) == 0 {
		return Estimate{rate, rate, rate}
	}
	slices.Sort(drawn)
	return Estimate{rate, min(rate, stats.Quantile(drawn, 0.025)), max(rate, stats.Quantile(drawn, 0.975))}
}

// mix is disks at work together, in the order they were named.
type mix []use

type use struct {
	disk string
	op   trace.Role
}

// mixes lists every mix of the disks, the smaller first.
func mixes(disks []string) []mix {
	list := []mix{nil}
	for _, disk := range disks {
		for _, m := range slices.Clone(list) {
			for _, op := range []trace.Role{trace.Write, trace.Read} {
				list = append(list, append(slices.Clone(m), use{disk, op}))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b mix) int { return len(a) - len(b) })
	return list[1:]
}

// rates are what the mix's disks get.
func (m mix) rates(p *hub.Profile) []float64 {
	claims := make([]hub.Claim, len(m))
	for i, use := range m {
		side := p.Disk(use.disk).Side(use.op)
		claims[i] = hub.Claim{Op: use.op, Cap: side.Hub, Weight: side.Weight}
	}
	return hub.Share(p.Capacity, claims)
}

// kept is the least that any of the mix's disks keeps of what it reaches alone.
func (m mix) kept(p *hub.Profile) float64 {
	least := 1.0
	for i, rate := range m.rates(p) {
		least = min(least, rate/m[i : i+1].rates(p)[0])
	}
	return least
}

func (m mix) pattern(disks []string) string {
	letters := make([]byte, len(disks))
	for i := range letters {
		letters[i] = trace.Idle.Letter()
	}
	for _, use := range m {
		letters[slices.Index(disks, use.disk)] = use.op.Letter()
	}
	return string(letters)
}

// name is as Observation.Mix has it.
func (m mix) name() string {
	o := hub.Observation{}
	for _, use := range m {
		o.Disks = append(o.Disks, hub.Observed{Disk: use.disk, Op: use.op})
	}
	return o.Mix()
}
