package fit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// maxDisks is how many disks are predicted together: each triples the number of combinations, and five make 242.
	maxDisks = 5
	// drawn is how many vectors of all families together the intervals are taken of.
	drawn = 2000
	// widest is the ratio of an interval's ends above which a rate is not predictable.
	widest = 2.4
	// maxDiscrepancy is the error of predictions of what was left out above which no family explains the runs.
	maxDiscrepancy = 0.08
	// maxMisfit is the same of the measurements' distance from the model, in their errors: wider intervals cannot make
	// up for more.
	maxMisfit = 3.0
	// z95 is how many standard errors a 95 % interval reaches either way.
	z95 = 1.96
)

// Prediction is what a hub would do with some disks in every combination.
type Prediction struct {
	Disks      []string    `json:"disks"`
	Rows       []Row       `json:"rows"`               // by the number of disks at work
	Placements []Placement `json:"placements"`         // which disks to take off the hub: none, then the best one, the best two, ...
	Next       *NextPhase  `json:"next"`               // what to measure next; nil if the profile has no observations, or nothing is left to learn
	Families   []Weight    `json:"families,omitempty"` // how hubs may share, and how much each counts in the intervals; none without observations
	Misfit     float64     `json:"misfit,omitempty"`   // how far what was observed lies from the ways of sharing, in its errors: 1 if they hold
	Notes      []string    `json:"notes,omitempty"`    // what holds for all rows
}

// Row is one combination. If the profile has no observations, its intervals have no width.
type Row struct {
	Pattern  string // a letter for each disk: W, R or -
	Rates    []Estimate
	Total    Estimate
	Kept     float64 // the least any disk at work keeps of what it reaches alone on the hub; zero if that is not known
	Measured bool    // exactly this was observed: rates and intervals are the measurement's
}

const maxRows = 12

// Top are the rows to look at first, in their order, and fewer than 13: those in which the disk that loses most keeps
// least, those of all disks reading and all writing, and what was measured of several disks, the more disks the sooner.
func (out *Prediction) Top() []Row {
	if len(out.Rows) <= maxRows {
		return out.Rows
	}
	working := func(i int) int { return len(out.Disks) - strings.Count(out.Rows[i].Pattern, "-") }
	var worst, seen []int
	chosen := map[int]bool{}
	for i := range out.Rows {
		row := &out.Rows[i]
		if row.Kept > 0 {
			worst = append(worst, i)
		}
		if row.Measured && working(i) > 1 {
			seen = append(seen, i)
		}
		if strings.Trim(row.Pattern, row.Pattern[:1]) == "" && working(i) == len(out.Disks) {
			chosen[i] = true
		}
	}
	slices.SortStableFunc(worst, func(a, b int) int { return cmp.Compare(out.Rows[a].Kept, out.Rows[b].Kept) })
	slices.SortStableFunc(seen, func(a, b int) int { return cmp.Compare(working(b), working(a)) })
	for _, i := range slices.Concat(worst[:min(len(worst), maxRows/2)], seen, worst) {
		if len(chosen) < maxRows {
			chosen[i] = true
		}
	}
	var rows []Row
	for i := range out.Rows {
		if chosen[i] {
			rows = append(rows, out.Rows[i])
		}
	}
	return rows
}

// Estimate is a rate with its 95 % interval, bytes per second. It is zero for an idle disk, and if the runs do not
// determine it: Refused then says why.
type Estimate struct {
	Rate, Low, High float64
	Refused         string
}

// Predict computes every combination of the disks on the hub.
//
// Measured combinations keep their measured rates. Intervals of the others are sampled: parameters of every family that
// explains the observations, each family weighted by its predictions of what was left out, and every rate drawn is off by
// as much as those predictions were; by more if more disks work than were ever observed together. If the observations lie
// further from the families than their errors allow, the intervals are widened by that. If an interval becomes too wide
// to be of use, or no family explains the runs, the rate is refused.
func Predict(p *hub.Profile, disks []string, seed uint64) (*Prediction, error) {
	if len(disks) == 0 || len(disks) > maxDisks {
		return nil, fmt.Errorf("predict %d disks: name 1 to %d of the profile's %s", len(disks), maxDisks, strings.Join(p.Names(), ", "))
	}
	for i, name := range disks {
		if p.Disk(name) == nil {
			return nil, fmt.Errorf("predict disk %q: profile %s has none of that name; it has %s", name, p.Name, strings.Join(p.Names(), ", "))
		}
		if slices.Contains(disks[:i], name) {
			return nil, fmt.Errorf("predict disk %s: it is named twice", name)
		}
	}
	out := &Prediction{Disks: disks}
	if len(p.Evidence.Rates) == 0 {
		for _, m := range mixes(disks) {
			out.Rows = append(out.Rows, asProfiled(p, disks, m))
		}
		out.Notes = append(out.Notes, fmt.Sprintf("profile %s holds no observations: these are its own figures%s, of unknown certainty", p.Name, origin(p)))
	} else if err := out.fromEvidence(p, seed); err != nil {
		return nil, err
	} else if p.Source == hub.Specified {
		out.Notes = append(out.Notes, fmt.Sprintf("the figures of profile %s are %s; the intervals only show how well the model explains runs simulated from them", p.Name, p.Source.Text()))
	}
	out.noteCaches(p)
	out.keep()
	out.Placements = place(out.Rows, disks)
	return out, nil
}

// asProfiled is a row of a profile that nothing was observed of.
func asProfiled(p *hub.Profile, disks []string, m mix) Row {
	row := Row{Pattern: m.pattern(disks), Rates: make([]Estimate, len(disks))}
	for i, rate := range m.rates(p) {
		row.Rates[slices.Index(disks, m[i].disk)] = Estimate{Rate: rate, Low: rate, High: rate}
		row.Total.Rate += rate
	}
	row.Total.Low, row.Total.High = row.Total.Rate, row.Total.Rate
	return row
}

// fromEvidence fills the rows by what was observed.
func (out *Prediction) fromEvidence(p *hub.Profile, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	en, err := newEnsemble(&p.Evidence, rng)
	if err != nil {
		return err
	}
	out.Families = en.weights()
	measured := measured(&p.Evidence)
	all := mixes(out.Disks)
	draws := en.draw(rng, all)
	unexplained := en.unexplained()
	for i, m := range all {
		row := Row{Pattern: m.pattern(out.Disks), Rates: make([]Estimate, len(out.Disks))}
		rates := m.rates(p)
		seen := measured[m.observation().Mix()]
		row.Measured = seen != nil
		lacks := en.lacks(m)
		for j, use := range m {
			e := &row.Rates[slices.Index(out.Disks, use.disk)]
			switch {
			case seen != nil:
				*e = asMeasured(seen, use.disk)
			case lacks != "":
				e.Refused = lacks
			case unexplained != "":
				e.Refused = unexplained
			default:
				*e = interval(rates[j], draws[i].column(j))
			}
		}
		row.Total = row.total(rates, draws[i])
		out.Rows = append(out.Rows, row)
	}
	out.Next = next(p, out.Disks, out.Rows, draws)
	out.Misfit = en.misfit()
	out.noteMisfit()
	return nil
}

// noteMisfit explains a model that misses its observations.
func (out *Prediction) noteMisfit() {
	if out.Misfit <= PoorFit {
		return
	}
	var halves []float64
	for _, row := range out.Rows {
		for _, e := range row.Rates {
			if !row.Measured && e.Rate > 0 {
				halves = append(halves, (e.High-e.Low)/2/e.Rate)
			}
		}
	}
	text := "nothing is predicted that was not measured"
	if len(halves) > 0 {
		slices.Sort(halves)
		text = fmt.Sprintf("half of the predictions are less certain than ±%.0f %%", 100*stats.Quantile(halves, 0.5))
	}
	if out.Next != nil {
		text += fmt.Sprintf("; measure %s (%s) to narrow them down", out.Next.Pattern, out.Next.Words)
	}
	out.Notes = append(out.Notes, fmt.Sprintf("the model misses these measurements by %.1f times their errors, so %s", out.Misfit, text))
}

// total is the total of the row's rates, of which those predicted were drawn together.
func (r *Row) total(rates []float64, drawn draws) Estimate {
	var sum Estimate
	variance, modelled := 0.0, 0.0
	for _, e := range r.Rates {
		if e.Refused != "" && (sum.Refused == "" || !strings.HasPrefix(e.Refused, wide)) {
			sum.Refused = e.Refused
		}
		sum.Rate += e.Rate
		half := (e.High - e.Low) / 2
		variance += half * half
	}
	switch {
	case r.Measured:
		half := math.Sqrt(variance)
		return Estimate{Rate: sum.Rate, Low: sum.Rate - half, High: sum.Rate + half}
	case sum.Refused != "" && !strings.HasPrefix(sum.Refused, wide):
		return Estimate{Refused: sum.Refused}
	}
	for _, rate := range rates {
		modelled += rate
	}
	return interval(modelled, drawn.sums())
}

// asMeasured is a disk's rate as it was observed.
func asMeasured(o *hub.Observation, disk string) Estimate {
	i := slices.IndexFunc(o.Disks, func(d hub.Observed) bool { return d.Disk == disk })
	d := o.Disks[i]
	return Estimate{Rate: d.Rate, Low: d.Rate * math.Exp(-z95*d.Error), High: d.Rate * math.Exp(z95*d.Error)}
}

// wide begins the refusal of a rate that the runs leave too open.
const wide = "anything from "

// interval puts a 95 % interval about a rate: the fitted profile's, or the middle of what was drawn if that lies
// outside. It changes the order of column.
func interval(rate float64, column []float64) Estimate {
	slices.Sort(column)
	e := Estimate{Rate: rate, Low: stats.Quantile(column, 0.025), High: stats.Quantile(column, 0.975)}
	if rate < e.Low || rate > e.High {
		e.Rate = stats.Quantile(column, 0.5)
	}
	if e.High > widest*e.Low {
		return Estimate{Refused: fmt.Sprintf("%s%s to %s agrees with them", wide, unit.FormatRate(e.Low), unit.FormatRate(e.High))}
	}
	return e
}

// keep computes what the disks keep of their solo rates.
func (out *Prediction) keep() {
	alone := map[string]float64{} // by disk and letter
	for i := range out.Rows {
		row := &out.Rows[i]
		lowest := 1.0
		for j, e := range row.Rates {
			letter := row.Pattern[j : j+1]
			if letter == "-" {
				continue
			}
			key := out.Disks[j] + letter
			if strings.Count(row.Pattern, "-") == len(row.Pattern)-1 {
				alone[key] = e.Rate
			}
			if alone[key] == 0 || e.Refused != "" {
				lowest = 0
				break
			}
			lowest = min(lowest, e.Rate/alone[key])
		}
		row.Kept = lowest
	}
}

// noteCaches notes the disks whose rates fall when a cache is full.
func (out *Prediction) noteCaches(p *hub.Profile) {
	for _, name := range out.Disks {
		if c := p.Disk(name).Cache; c != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%s writes this fast for its first %s only, then at %s at most: the rates here ignore that",
				name, unit.FormatBytes(c.Bytes), unit.FormatRate(c.After)))
		}
	}
}

// origin says where a profile's figures are from, in brackets.
func origin(p *hub.Profile) string {
	if text := p.Source.Text(); text != "" {
		return " (" + text + ")"
	}
	return ""
}
