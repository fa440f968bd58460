package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// maxDisks is how many disks are predicted together: each triples the number of combinations,
	// and five make 242.
	maxDisks = 5
	// widest is the ratio of an interval's ends above which a rate is not predictable.
	widest = 1.4
)

// Prediction is what a hub would do with some disks in every combination.
type Prediction struct {
	Disks []string `json:"disks"`
	Rows  []Row    `json:"rows"` // by the number of disks at work
	// Placements are the disks to take off the hub: none, the best one, the best two, ...
	Placements []Placement `json:"placements"`
	// Next is nil without observations, and if nothing is left to learn.
	Next    *NextPhase `json:"next"`
	Refused string     `json:"refused,omitempty"` // why nothing is predicted that was not measured
	Notes   []string   `json:"notes,omitempty"`   // what holds for all rows
}

// Row is one combination. If the profile has no observations, its intervals have no width.
type Row struct {
	Pattern string `json:"pattern"` // a letter for each disk: W, R or -
	// Measured says that exactly this was observed: rates and intervals are the measurement's.
	Measured bool       `json:"measured"`
	Rates    []Estimate `json:"rates"`
	Total    Estimate   `json:"total"`
	// Kept is the least any disk at work keeps of what it reaches alone on the hub; zero, null in
	// JSON, if that is not known.
	Kept float64 `json:"kept"`
}

// Estimate is a rate with its 95 % interval, bytes per second; zero for an idle disk. If the runs
// do not determine it, Refused says why.
type Estimate struct {
	Rate, Low, High float64
	Refused         string
}

const maxRows = 12

// Top returns the rows to look at first, in their order, and fewer than 13: those of all disks
// reading and all writing, and those in which the disk that loses most keeps least.
func (out *Prediction) Top() (rows []Row) {
	rank := func(i int) float64 {
		row := &out.Rows[i]
		switch first := row.Pattern[:1]; {
		case first != "-" && strings.Trim(row.Pattern, first) == "":
			return 0
		case row.Kept == 0: // unknown
			return 1
		}
		return row.Kept
	}
	order := make([]int, len(out.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	for _, i := range slices.Sorted(slices.Values(order[:min(maxRows, len(order))])) {
		rows = append(rows, out.Rows[i])
	}
	return rows
}

// Predict computes every combination of the disks on the hub.
//
// Measured combinations keep their measured rates. The others are what the hub model says: the
// middle, and 95 in 100, of the fits to bootstrap samples of the observations. A rate is refused if
// its interval is too wide to be of use, and all are if the hub does not share by the law.
func Predict(p *hub.Profile, disks []string, seed uint64) (*Prediction, error) {
	names := strings.Join(p.Names(), ", ")
	if len(disks) == 0 || len(disks) > maxDisks {
		return nil, fmt.Errorf("predict %d disks: name 1 to %d of the profile's %s",
			len(disks), maxDisks, names)
	}
	for i, name := range disks {
		if p.Disk(name) == nil {
			return nil, fmt.Errorf("predict disk %q: profile %s has none of that name; it has %s",
				name, p.Name, names)
		}
		if slices.Contains(disks[:i], name) {
			return nil, fmt.Errorf("predict disk %s: it is named twice", name)
		}
	}
	hubs, refused, err := Candidates(p, seed)
	if err != nil {
		return nil, err
	}
	out := &Prediction{Disks: disks}
	switch origin := p.Source.Text(); {
	case hubs == nil:
		hubs = []*hub.Profile{p}
		if origin != "" {
			origin = " (" + origin + ")"
		}
		out.note("profile %s holds no observations: these are its own figures%s, of unknown "+
			"certainty",
			p.Name, origin)
	case p.Source == hub.Specified:
		out.note("the figures of profile %s are %s; the intervals only show how well the model "+
			"explains runs simulated from them", p.Name, origin)
	}
	out.Refused = refused
	if p.Withdrawn && len(hubs) == 1 {
		out.note("profile %s names a way of sharing that is no longer simulated: fit its runs "+
			"again",
			p.Name)
	}
	seen := measured(&p.Evidence)
	for _, m := range mixes(disks) {
		why := refused
		for _, d := range m.Disks {
			if len(p.Evidence.Rates) > 0 && !observedDoing(p, d.Disk, d.Op, false) {
				why = fmt.Sprintf("in none of them does %s %s through the hub", d.Disk, d.Op)
				if out.Next == nil {
					out.Next = &NextPhase{Pattern: pattern(m, disks)}
				}
			}
		}
		out.Rows = append(out.Rows, predictRow(hubs, seen[m.Mix()], m, disks, why))
	}
	if len(hubs) > 1 && out.Next == nil {
		out.Next = leastCertain(out.Rows)
	}
	if out.Next != nil {
		out.Next.Words = Describe(out.Next.Pattern, disks)
	}
	for _, name := range disks {
		if c := p.Disk(name).Cache; c != nil {
			out.note("%s writes this fast for its first %s only, then at %s at most: the rates "+
				"here ignore that",
				name, unit.FormatBytes(c.Bytes), unit.FormatRate(c.After))
		}
	}
	out.fillKept()
	out.Placements = place(out.Rows, disks)
	return out, nil
}

func (out *Prediction) note(format string, args ...any) {
	out.Notes = append(out.Notes, fmt.Sprintf(format, args...))
}

// mixes lists what disks may do together on the hub, the fewer at work the sooner, as it would be
// observed if it had rates.
func mixes(disks []string) []*hub.Observation {
	all := [][]hub.Observed{nil}
	for _, disk := range disks {
		for _, m := range slices.Clip(all) {
			for _, op := range []trace.Role{trace.Write, trace.Read} {
				all = append(all, append(slices.Clip(m), hub.Observed{Disk: disk, Op: op}))
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

// predictRow returns what disks get together on each of the hubs, or what was measured if seen is
// not nil.
func predictRow(hubs []*hub.Profile, seen, m *hub.Observation, disks []string,
	refused string) Row {
	row := Row{Pattern: pattern(m, disks), Rates: make([]Estimate, len(disks))}
	rates := make([][]float64, len(m.Disks))
	totals := make([]float64, len(hubs))
	for i := range hubs {
		for j, rate := range hubs[i].Rates(m.Disks) {
			rates[j] = append(rates[j], rate)
			totals[i] += rate
		}
	}
	row.Measured = seen != nil
	sum, variance := 0.0, 0.0
	for j, d := range m.Disks {
		e := interval(rates[j], refused)
		if row.Measured {
			was := seen.Of(d.Disk)
			off := math.Exp(z95 * was.Error)
			e = Estimate{Rate: was.Rate, Low: was.Rate / off, High: was.Rate * off}
			sum += e.Rate
			variance += (e.High - e.Low) * (e.High - e.Low) / 4
		}
		row.Rates[slices.Index(disks, d.Disk)] = e
	}
	row.Total = interval(totals, refused)
	if half := math.Sqrt(variance); row.Measured {
		row.Total = Estimate{Rate: sum, Low: sum - half, High: sum + half}
	}
	return row
}

// interval holds what 95 in 100 of the hubs say; the rate is its middle, as they may agree on
// either end. It sorts them.
func interval(rates []float64, refused string) Estimate {
	slices.Sort(rates)
	e := Estimate{Low: stats.Quantile(rates, 0.025), High: stats.Quantile(rates, 0.975)}
	e.Rate = math.Sqrt(e.Low * e.High)
	e.Refused = refused
	if refused == "" && e.High > widest*e.Low {
		e.Refused = fmt.Sprintf("anything from %s to %s agrees with them",
			unit.FormatRate(e.Low), unit.FormatRate(e.High))
	}
	return e
}

// fillKept computes what the disks keep of their solo rates.
func (out *Prediction) fillKept() {
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
