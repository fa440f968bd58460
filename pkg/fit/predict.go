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
	"github.com/hubbench/hubbench/pkg/trace"
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
	Placements []Placement `json:"placements"`         // disks to take off the hub: none, the best one, the best two, ...
	Next       *NextPhase  `json:"next"`               // nil without observations, and if nothing is left to learn
	Families   []Weight    `json:"families,omitempty"` // what each counts in the intervals; none without observations
	Misfit     float64     `json:"misfit,omitempty"`   // of the observations, in their errors: 1 if the families hold
	Notes      []string    `json:"notes,omitempty"`    // what holds for all rows
}

// Row is one combination. If the profile has no observations, its intervals have no width.
type Row struct {
	Pattern  string     `json:"pattern"`  // a letter for each disk: W, R or -
	Measured bool       `json:"measured"` // exactly this was observed: rates and intervals are the measurement's
	Rates    []Estimate `json:"rates"`
	Total    Estimate   `json:"total"`
	// Kept is the least any disk at work keeps of what it reaches alone on the hub; zero, null in JSON, if that is not
	// known.
	Kept float64 `json:"kept"`
}

// Estimate is a rate with its 95 % interval, bytes per second. It is zero for an idle disk, and if the runs do not
// determine it: Refused then says why.
type Estimate struct {
	Rate, Low, High float64
	Refused         string
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

// Predict computes every combination of the disks on the hub.
//
// Measured combinations keep their measured rates. Intervals of the others are sampled: parameters of every family
// that explains the observations, each family weighted by its predictions of what was left out, and every rate
// drawn is off by as much as those predictions were; by more if more disks work than were ever observed together.
// If the observations lie further from the families than their errors allow, the intervals are widened by that. If
// an interval becomes too wide to be of use, or no family explains the runs, the rate is refused.
func Predict(p *hub.Profile, disks []string, seed uint64) (*Prediction, error) {
	names := strings.Join(p.Names(), ", ")
	if len(disks) == 0 || len(disks) > maxDisks {
		return nil, fmt.Errorf("predict %d disks: name 1 to %d of the profile's %s", len(disks), maxDisks, names)
	}
	for i, name := range disks {
		if p.Disk(name) == nil {
			return nil, fmt.Errorf("predict disk %q: profile %s has none of that name; it has %s", name, p.Name, names)
		}
		if slices.Contains(disks[:i], name) {
			return nil, fmt.Errorf("predict disk %s: it is named twice", name)
		}
	}
	out := &Prediction{Disks: disks}
	if len(p.Evidence.Rates) > 0 {
		if err := out.fromEvidence(p, seed); err != nil {
			return nil, err
		}
		if p.Source == hub.Specified {
			out.note("the figures of profile %s are %s; the intervals only show how well the model explains "+
				"runs simulated from them", p.Name, p.Source.Text())
		}
	} else {
		for _, m := range mixes(disks) {
			row := Row{Pattern: pattern(m, disks), Rates: make([]Estimate, len(disks))}
			for i, rate := range p.Rates(m.Disks) {
				row.Rates[slices.Index(disks, m.Disks[i].Disk)] = Estimate{Rate: rate, Low: rate, High: rate}
				row.Total.Rate += rate
			}
			row.Total.Low, row.Total.High = row.Total.Rate, row.Total.Rate
			out.Rows = append(out.Rows, row)
		}
		origin := p.Source.Text()
		if origin != "" {
			origin = " (" + origin + ")"
		}
		out.note("profile %s holds no observations: these are its own figures%s, of unknown certainty", p.Name, origin)
	}
	for _, name := range disks {
		if c := p.Disk(name).Cache; c != nil {
			out.note("%s writes this fast for its first %s only, then at %s at most: the rates here ignore that",
				name, unit.FormatBytes(c.Bytes), unit.FormatRate(c.After))
		}
	}
	out.keep()
	out.Placements = place(out.Rows, disks)
	return out, nil
}

func (out *Prediction) note(format string, args ...any) {
	out.Notes = append(out.Notes, fmt.Sprintf(format, args...))
}

// mixes lists what disks may do together on the hub, the fewer at work the sooner, as it would be observed if it
// had rates.
func mixes(disks []string) []*hub.Observation {
	all := [][]hub.Observed{nil}
	for _, disk := range disks {
		for _, m := range slices.Clip(all) {
			for _, op := range []trace.Role{trace.Write, trace.Read} {
				all = append(all, append(slices.Clip(m), hub.Observed{Disk: disk, Op: op, Rate: 1, Error: 1}))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b []hub.Observed) int { return len(a) - len(b) })
	list := make([]*hub.Observation, len(all)-1)
	for i, m := range all[1:] {
		list[i] = &hub.Observation{Disks: m}
	}
	return list
}

func pattern(m *hub.Observation, disks []string) string {
	letters := []byte(strings.Repeat(string(trace.Idle.Letter()), len(disks)))
	for _, d := range m.Disks {
		letters[slices.Index(disks, d.Disk)] = d.Op.Letter()
	}
	return string(letters)
}

func (out *Prediction) fromEvidence(p *hub.Profile, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	en, err := newEnsemble(&p.Evidence, rng)
	if err != nil {
		return err
	}
	out.Families, out.Misfit = en.weights(), en.misfit()
	measured := measured(&p.Evidence)
	all := mixes(out.Disks)
	draws := en.draw(rng, all)
	for i, m := range all {
		row := Row{Pattern: pattern(m, out.Disks), Rates: make([]Estimate, len(out.Disks))}
		rates := p.Rates(m.Disks)
		seen := measured[m.Mix()]
		row.Measured = seen != nil
		refused := cmp.Or(en.lacks(m), en.unexplained())
		for j, d := range m.Disks {
			e := &row.Rates[slices.Index(out.Disks, d.Disk)]
			switch {
			case row.Measured:
				d := seen.Of(d.Disk)
				low, high := math.Exp(-z95*d.Error), math.Exp(z95*d.Error)
				*e = Estimate{Rate: d.Rate, Low: d.Rate * low, High: d.Rate * high}
			case refused != "":
				e.Refused = refused
			default:
				*e = interval(rates[j], draws[i].column(j))
			}
		}
		row.Total = row.total(rates, draws[i])
		out.Rows = append(out.Rows, row)
	}
	out.Next = next(p, out.Disks, out.Rows, draws)
	if out.Misfit <= Poor {
		return nil
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
		text = fmt.Sprintf("half of the predictions are less certain than ±%.0f %%", 100*stats.Median(halves))
	}
	if out.Next != nil {
		text += fmt.Sprintf("; measure %s (%s) to narrow them down", out.Next.Pattern, out.Next.Words)
	}
	out.note("the model misses these measurements by %.1f times their errors, so %s", out.Misfit, text)
	return nil
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
	sums := make([]float64, len(drawn))
	for i, row := range drawn {
		for _, rate := range row {
			sums[i] += rate
		}
	}
	for _, rate := range rates {
		modelled += rate
	}
	return interval(modelled, sums)
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
		return Estimate{Refused: wide + unit.FormatRate(e.Low) + " to " + unit.FormatRate(e.High) + " agrees with them"}
	}
	return e
}

// keep computes what the disks keep of their solo rates.
func (out *Prediction) keep() {
	alone := map[string]float64{} // by disk and letter
	for i := range out.Rows {
		row := &out.Rows[i]
		row.Kept = 1
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
				row.Kept = 0
				break
			}
			row.Kept = min(row.Kept, e.Rate/alone[key])
		}
	}
}

// draws are the rates drawn of one combination: for each draw, one for each disk at work. There are none if a disk
// was never observed.
type draws [][]float64

func (d draws) column(disk int) []float64 {
	out := make([]float64, len(d))
	for i := range d {
		out[i] = d[i][disk]
	}
	return out
}

// draw draws the rates of all combinations, each draw with one family's parameters.
func (en *ensemble) draw(rng *rand.Rand, all []*hub.Observation) []draws {
	out := make([]draws, len(all))
	for _, f := range en.fitted {
		n := int(math.Round(f.weight * drawn))
		if n == 0 {
			continue
		}
		vectors := f.sample(rng)
		targets := make([]*target, len(all))
		for i, m := range all {
			if t, lacks := f.space.target(m); lacks == "" {
				targets[i] = &t
			}
		}
		for k := range n {
			f.space.set(vectors[k*len(vectors)/n])
			inside := f.drawDiscrepancy(rng)
			for i, t := range targets {
				if t == nil {
					continue
				}
				rates := slices.Clone(f.space.predict(t))
				common := together(inside, en.maxTogether, len(t.sides)) * rng.NormFloat64()
				for j := range rates {
					rates[j] *= math.Exp(common + inside*rng.NormFloat64())
				}
				out[i] = append(out[i], rates)
			}
		}
	}
	return out
}
