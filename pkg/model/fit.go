// Package model fits hub profiles to runs and predicts what was not measured, by the one sharing
// law of package hub.
//
// Start at Observe (from a run to evidence), Fit (from evidence to a profile) and Predict.
package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// FitResult is a hub's parameters as far as the evidence determines them.
type FitResult struct {
	Name string `json:"name"`
	// Profile is ready to use; what is not known is assumed, as its parameter's note says.
	Profile    *hub.Profile `json:"-"`
	Parameters []Parameter  `json:"parameters"`
	Residuals  []Residual   `json:"residuals"`
	// ModelError is the root mean square of the residuals in their errors: near 1 when the model
	// holds.
	ModelError float64 `json:"model_error"`
	// Refused says why nothing that was not measured can be predicted.
	Refused  string   `json:"refused,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Parameter is one figure of the profile with its 95 % interval, which ends at zero or at infinity
// if the evidence does not bound it.
type Parameter struct {
	Name             string // as its keys in the profile: capacity.read, A.write.weight
	Unit             string // B/s, s, or empty for a plain number
	Value, Low, High float64
	Note             string // why it is not known, or from one side only; empty if it is
}

// boundedBelow reports whether the evidence contradicts low values; noise and lags end at zero by
// nature.
func (p *Parameter) boundedBelow() bool { return p.Low > 0 || p.Note == "" }

// Interval writes its 95 % interval as people read it; empty if the evidence bounds neither end.
func (p *Parameter) Interval() string {
	switch low, high := p.boundedBelow(), !math.IsInf(p.High, 1); {
	case low && high:
		return p.Format(p.Low) + " to " + p.Format(p.High)
	case low:
		return "at least " + p.Format(p.Low)
	case high:
		return "at most " + p.Format(p.High)
	}
	return ""
}

// Format writes a value of the parameter as people read it.
func (p *Parameter) Format(value float64) string {
	switch p.Unit {
	case "B/s":
		return unit.FormatRate(value)
	case "s":
		return unit.FormatSeconds(value)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// Residual is an observed rate beside the fitted model's.
type Residual struct {
	Phase string `json:"phase"`
	Mix   string `json:"mix"`
	hub.Observed
	Model float64 `json:"model"`
	Off   float64 `json:"off"` // deviation of the observation, relative to the model
}

// FitOptions says how to fit.
type FitOptions struct {
	Name string // name of the profile
	Seed uint64 // seed of the starts and the bootstrap samples
}

const (
	// wellKnown is the ratio of an interval's ends up to which a parameter counts as known.
	wellKnown = 1.5
	// probeStep is by how much a parameter is moved to see whether the evidence bounds it, as a
	// logarithm.
	probeStep = 1.4
	// chi2Critical is the growth of the sum of squares that chance exceeds once in twenty:
	// chi-square, one degree of freedom.
	chi2Critical = 3.84
)

// Fit finds the hub that explains the evidence best. Lags and noise are means of what was observed;
// effects of files' sizes and caches are not fitted.
func Fit(e *hub.Evidence, o FitOptions) (*FitResult, error) {
	base := &hub.Profile{Link: math.Inf(1), Lane: math.Inf(1)}
	for _, name := range e.Disks() {
		base.Disks = append(base.Disks, hub.DiskModel{Name: name})
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	f, err := fitLaw(base, e, rng)
	if err != nil {
		return nil, err
	}
	f.bootstrap(rng)
	r := &FitResult{Name: o.Name, ModelError: f.misfit}
	// What is not known takes the median of the fits, as its best fit is arbitrary.
	chosen := slices.Clone(f.best)
	for i := range f.params {
		p := f.parameter(i)
		if p.Note != "" {
			column := make([]float64, len(f.samples))
			for k, x := range f.samples {
				column[k] = x[i]
			}
			chosen[i] = stats.Median(column)
		}
		r.Parameters = append(r.Parameters, p)
	}
	chosen = f.descend(chosen, f.logs)
	f.set(chosen)
	for i := range r.Parameters {
		p := &r.Parameters[i]
		p.Value = *f.params[i].value
		p.Low, p.High = min(p.Low, p.Value), max(p.High, p.Value)
	}
	for _, o := range e.Rates {
		t := f.target(&o)
		for i, log := range f.appendLogs(nil, &t) {
			d := o.Disks[i]
			rate := math.Exp(log)
			r.Residuals = append(r.Residuals, Residual{o.Phase, o.Mix(), d, rate, d.Rate/rate - 1})
		}
	}
	if r.Refused = f.refused(); r.Refused != "" {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("the rates lie %.1f times as far from the model as "+
				"their errors allow; heat, a full cache or another program may have been at work",
				f.misfit))
	}
	if !f.isChecked {
		r.Warnings = append(r.Warnings,
			"there are no more observations than parameters: nothing checks the fit; "+
				"record more phases")
	}
	r.Profile = f.profile
	p := r.Profile
	p.Name = o.Name
	p.Source = hub.Fitted
	p.Evidence = *e
	for i := range p.Disks {
		assume(&p.Disks[i], &p.Capacity)
	}
	r.lags(e)
	noise := Parameter{Name: "noise", Value: assumedNoise, High: hub.MaxNoise}
	noise.Note = "too few files; assumed"
	if sd, ok := e.Noise.Deviation(); ok {
		off := z95 / math.Sqrt(2*float64(e.Noise.Freedom)) // relative error of a standard deviation
		noise = Parameter{Name: "noise", Value: sd, Low: sd * (1 - off), High: sd * (1 + off)}
	}
	p.Noise = min(noise.Value, hub.MaxNoise)
	r.Parameters = append(r.Parameters, noise)
	return r, nil
}

// assume gives a disk what was never measured of it: through the hub as on its own port, reads as
// writes, and the other way round.
func assume(d *hub.DiskModel, c *hub.Capacity) {
	for range 2 { // a side that has nothing takes what the other then has
		for _, pair := range [][2]*hub.Side{{&d.Read, &d.Write}, {&d.Write, &d.Read}} {
			side := pair[0]
			other := pair[1]
			side.Hub = cmp.Or(side.Hub, side.Direct, other.Hub)
			side.Direct = cmp.Or(side.Direct, side.Hub)
			side.Weight = cmp.Or(side.Weight, 1)
		}
	}
	d.Read.Hub, d.Write.Hub = min(d.Read.Hub, c.Read), min(d.Write.Hub, c.Write)
}

// parameter returns a parameter without its value. The evidence bounds one if the best fit
// contradicts it when it is much higher, or much lower.
func (f *fits) parameter(param int) Parameter {
	values := make([]float64, len(f.samples))
	for i, x := range f.samples {
		f.set(x)
		values[i] = *f.params[param].value
	}
	slices.Sort(values)
	p := Parameter{
		Name: f.params[param].name,
		Low:  stats.Quantile(values, 0.025),
		High: stats.Quantile(values, 0.975),
	}
	if f.params[param].spread != weightSpread && f.params[param].spread != fewSpread {
		p.Unit = "B/s"
	}
	lowest := f.squares(f.best, f.logs)
	contradicted := func(by float64) bool {
		x := slices.Clone(f.best)
		x[param] += by
		return f.squares(x, f.logs) > lowest+chi2Critical
	}
	up, down := contradicted(probeStep), contradicted(-probeStep)
	switch {
	case !up && !down:
		p.Note = "not identifiable: no phase depends on it; assumed"
	case !up:
		p.Note = "not identifiable from above: no phase reached it"
	case !down:
		p.Note = "not identifiable from below: lower values explain the same phases"
	case p.High > wellKnown*p.Low:
		p.Note = "poorly known: other values explain the same phases"
	}
	if !up {
		p.High = math.Inf(1)
	}
	if !down {
		p.Low = 0
	}
	return p
}

// lags takes the means of the lags observed, by what left, what stayed and how many.
func (r *FitResult) lags(e *hub.Evidence) {
	for _, list := range r.Profile.Lags.Lists() {
		means := map[int]float64{}
		for staying := 1; staying <= hub.MaxStaying; staying++ {
			var seen []hub.ObservedLag
			for _, l := range e.Lags {
				if l.Stays == list.Stays && l.Left == list.Left && l.Staying == staying {
					seen = append(seen, l)
				}
			}
			if len(seen) == 0 {
				continue
			}
			n := float64(len(seen))
			var mean float64
			var own, scatter float64 // variances: by the errors of each, and by how they differ
			for _, l := range seen {
				mean += l.Seconds / n
				own += l.Error * l.Error / n
			}
			for _, l := range seen {
				scatter += (l.Seconds - mean) * (l.Seconds - mean) / max(n-1, 1)
			}
			means[staying] = mean
			off := z95 * math.Sqrt((own+scatter)/n)
			r.Parameters = append(r.Parameters, Parameter{
				Name: fmt.Sprintf("recovery.%s[%d]", list.Key, staying), Unit: "s",
				Value: mean, Low: max(mean-off, 0), High: mean + off,
			})
		}
		*list.Lags = fillLags(means)
	}
}

// fillLags lists lags by how many disks stay. A number that was not seen takes the lag of the
// nearest that was, the smaller of two.
func fillLags(means map[int]float64) []time.Duration {
	seen := slices.Sorted(maps.Keys(means))
	longest := 0.0
	for _, mean := range means {
		longest = max(longest, mean)
	}
	if longest < 0.0005 { // half of a millisecond
		return nil
	}
	var list []time.Duration
	for staying := 1; staying <= seen[len(seen)-1]; staying++ {
		far := func(from int) int { return max(from-staying, staying-from) }
		nearest := slices.MinFunc(seen, func(a, b int) int { return far(a) - far(b) })
		list = append(list, time.Duration(means[nearest]*1e9).Round(time.Millisecond))
	}
	return list
}

// YAML writes the fitted profile as hub.Load reads it, with each parameter's interval beside it,
// and below what was observed.
func (r *FitResult) YAML() []byte {
	notes := map[string]string{}
	for _, p := range r.Parameters {
		notes[p.Name] = p.Interval()
		if p.Note != "" {
			notes[p.Name] = strings.TrimPrefix(p.Interval()+"; "+p.Note, "; ")
		}
	}
	return r.Profile.YAML(notes)
}

// known returns a number as JSON has it: null if it is not known, or infinite.
func known(v float64, known bool) *float64 {
	if !known || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// MarshalJSON writes null for an end that the evidence does not bound, which the note explains.
func (p Parameter) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name  string   `json:"name"`
		Unit  string   `json:"unit,omitempty"`
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		Note  string   `json:"note,omitempty"`
	}{
		p.Name, p.Unit, known(p.Value, true), known(p.Low, p.boundedBelow()), known(p.High, true),
		p.Note,
	})
}

// MarshalJSON writes null for what is refused.
func (e Estimate) MarshalJSON() ([]byte, error) {
	isKnown := e.Refused == ""
	return json.Marshal(struct {
		Rate    *float64 `json:"rate"`
		Low     *float64 `json:"low"`
		High    *float64 `json:"high"`
		Refused string   `json:"refused,omitempty"`
	}{known(e.Rate, isKnown), known(e.Low, isKnown), known(e.High, isKnown), e.Refused})
}

// MarshalJSON writes null for what the disks keep if that is not known.
func (r Row) MarshalJSON() ([]byte, error) {
	type row Row
	return json.Marshal(struct {
		row
		Kept *float64 `json:"kept"`
	}{row(r), known(r.Kept, r.Kept != 0)})
}
