// Package fit makes hub profiles from runs and predicts what was not measured. The model itself is in package hub.
//
// Start at Observe (from a run to evidence), FromEvidence (from evidence to a profile) and Predict.
package fit

import (
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

// Result is a hub's parameters as far as the evidence determines them.
type Result struct {
	Name       string       `json:"name"`
	Profile    *hub.Profile `json:"-"`        // ready to use; what is not known is assumed, as its parameter's note says
	Families   []Weight     `json:"families"` // the profile's is the first with at least a tenth of the largest weight
	Parameters []Parameter  `json:"parameters"`
	Residuals  []Residual   `json:"residuals"`
	// ModelError is the root mean square of the residuals in their errors: near 1 when the model holds.
	ModelError float64  `json:"model_error"`
	Warnings   []string `json:"warnings,omitempty"`
}

// Parameter is one figure of the profile with its 95 % interval, which ends at zero or at infinity if the evidence
// does not bound it.
type Parameter struct {
	Name             string // as its keys in the profile: capacity.read, A.write.weight
	Unit             string // B/s, s, or empty for a plain number
	Value, Low, High float64
	Note             string // why it is not known, or from one side only; empty if it is
}

// boundedBelow reports whether the evidence contradicts low values; noise and lags end at zero by nature.
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
	Off   float64 `json:"off"` // of the observation, relative to the model
}

// Options says how to fit.
type Options struct {
	Name string // of the profile
	Seed uint64 // of the starts and of the intervals' sampling
}

const (
	// wellKnown is the ratio of an interval's ends up to which a parameter counts as known.
	wellKnown = 1.5
	// Poor is the model error above which a fit comes with a warning.
	Poor = 1.5
	// probeStep is by how much a parameter is moved, up and down, to see what depends on it, as a logarithm; probeFar to
	// see whether the evidence bounds it.
	probeStep, probeFar = 0.2, 1.4
	// chi2Critical is the growth of the sum of squares that chance exceeds once in twenty: chi-square, one degree
	// of freedom.
	chi2Critical = 3.84
)

// FromEvidence finds the hub that explains the evidence best.
//
// Rates are fitted by least squares of their logarithms in their standard errors, from several starts, once for each
// family of sharing; lags and noise are means of what was observed. If the rates scatter more than their errors
// allow, the errors are widened until they do not. Size effects and caches are not fitted.
func FromEvidence(e *hub.Evidence, o Options) (*Result, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	en, err := newEnsemble(e, rng)
	if err != nil {
		return nil, err
	}
	p := &hub.Profile{Name: o.Name, Source: hub.Fitted, Link: math.Inf(1), Lane: math.Inf(1), Evidence: *e}
	r := &Result{Name: o.Name, Profile: p, Families: en.weights()}
	s, best := en.chosen().space, en.chosen().best
	s.set(best)
	for i := range s.obs {
		r.Residuals = append(r.Residuals, s.beside(&e.Rates[i], &s.obs[i])...)
	}
	var checked bool
	if r.ModelError, checked = s.modelError(best); r.ModelError > Poor {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the rates lie %.1f times as far from the model as their errors allow: "+
			"something outside the model was at work, such as heat, a full cache or another program; "+
			"the intervals are widened accordingly", r.ModelError))
	}
	if !checked {
		r.Warnings = append(r.Warnings,
			"there are no more observations than parameters: nothing checks the fit; record more phases")
	}
	r.rates(s, best, s.sample(rng, best, max(r.ModelError, 1)))
	r.lags(e)

	noise := Parameter{Name: "noise", Value: assumedNoise, High: hub.MaxNoise, Note: "too few files; assumed"}
	if sd, ok := e.Noise.Deviation(); ok {
		off := z95 / math.Sqrt(2*float64(e.Noise.Freedom)) // of a standard deviation, relative
		noise = Parameter{Name: "noise", Value: sd, Low: sd * (1 - off), High: sd * (1 + off)}
	}
	p.Noise = min(noise.Value, hub.MaxNoise)
	r.Parameters = append(r.Parameters, noise)
	return r, nil
}

// beside sets an observation beside what the model, as set, has of it.
func (s *space) beside(o *hub.Observation, t *target) (list []Residual) {
	for j, rate := range s.predict(t) {
		d := o.Disks[j]
		list = append(list, Residual{o.Phase, o.Mix(), d, rate, d.Rate/rate - 1})
	}
	return list
}

// modelError is the root mean square of the residuals in their errors; 1, and not ok, if there are too few of them.
func (s *space) modelError(best []float64) (rms float64, ok bool) {
	data := s.data(best)
	known := 0
	for i := range s.params {
		if up, down := s.matters(best, i); up || down {
			known++
		}
	}
	if len(data) <= known {
		return 1, false
	}
	return math.Sqrt(squares(data) / float64(len(data)-known)), true
}

// matters reports whether the evidence contradicts a parameter that is raised, and one that is lowered, with all others
// fixed: at the edge of a capacity it may contradict one and not the other.
func (s *space) matters(at []float64, param int) (up, down bool) {
	worse, _ := s.effect(at, param, probeStep)
	up = worse > chi2Critical
	worse, _ = s.effect(at, param, -probeStep)
	return up, worse > chi2Critical
}

// effect is what moving a parameter does: by how much the sum of squares grows, and the largest relative change of a
// rate.
func (s *space) effect(at []float64, param int, by float64) (worse, largest float64) {
	before := s.data(at)
	x := slices.Clone(at)
	x[param] += by
	after := s.data(x)
	i := 0
	for _, t := range s.obs {
		for _, err := range t.errors {
			largest = max(largest, err*math.Abs(after[i]-before[i]))
			i++
		}
	}
	return squares(after) - squares(before), largest
}

// data is the residuals without the priors'.
func (s *space) data(x []float64) []float64 {
	r := s.residuals(x, nil)
	return r[:len(r)-len(x)]
}

// rates makes parameters and profile of the vectors drawn. What is not known takes the median of the possible values,
// as its best fit is arbitrary; what is known is then fitted to that.
func (r *Result) rates(s *space, best []float64, vectors [][]float64) {
	chosen := slices.Clone(best)
	for i := range s.params {
		column, values := make([]float64, len(vectors)), make([]float64, len(vectors))
		for j, v := range vectors {
			s.set(v)
			column[j], values[j] = v[i], *s.params[i].value
		}
		slices.Sort(values)
		p := s.parameter(best, i, values)
		if p.Note != "" {
			chosen[i] = stats.Quantile(slices.Sorted(slices.Values(column)), 0.5)
		}
		r.Parameters = append(r.Parameters, p)
	}
	for i, p := range r.Parameters {
		if p.Note != "" {
			s.params[i].low, s.params[i].high = chosen[i], chosen[i]
		}
	}
	s.descend(chosen)
	s.set(chosen)
	for i := range chosen {
		p := &r.Parameters[i]
		p.Value = *s.params[i].value
		// A disk's rate through the hub is bounded by the hub's: more would make no difference.
		if kind := s.params[i].kind; kind == readThrough || kind == writeThrough {
			carries := &r.Parameters[int(kind-readThrough)]
			p.Value, p.Low, p.High = min(p.Value, carries.Value), min(p.Low, carries.Low), min(p.High, carries.High)
		}
		p.Low, p.High = min(p.Low, p.Value), max(p.High, p.Value)
	}
	c := s.capacity
	c.Both = min(c.Both, c.Read+c.Write)
	r.Profile.Capacity = c
	for _, name := range s.disks {
		// What was never measured is assumed to equal what was: through the hub as direct, reads as writes, and vice versa.
		d := hub.Disk{Name: name, Read: s.sides[name][0], Write: s.sides[name][1]}
		sides, keys, carries := []*hub.Side{&d.Read, &d.Write}, []string{".read", ".write"}, []float64{c.Read, c.Write}
		for i, side := range sides {
			through, direct := s.has(name+keys[i]+".hub"), s.has(name+keys[i]+".direct")
			switch {
			case through && !direct:
				side.Direct = side.Hub
			case direct && !through:
				side.Hub = side.Direct
			case !through:
				*side = hub.Side{}
			}
			side.Hub = min(side.Hub, carries[i])
		}
		for i, side := range sides {
			if other := sides[1-i]; *side == (hub.Side{}) {
				*side = hub.Side{Hub: min(other.Hub, carries[i]), Direct: other.Direct, Weight: 1}
			}
		}
		r.Profile.Disks = append(r.Profile.Disks, d)
	}
}

// parameter is a parameter without its value, by the sorted values drawn of it. The evidence bounds one that it
// contradicts if it is much higher, or much lower, whatever the others are: where the profile likelihood falls (Venzon
// and Moolgavkar, J. R. Stat. Soc. C 37, 1988).
func (s *space) parameter(best []float64, param int, drawn []float64) Parameter {
	c := &s.params[param]
	p := Parameter{Name: c.name, Low: stats.Quantile(drawn, 0.025), High: stats.Quantile(drawn, 0.975)}
	if c.kind != aFactor {
		p.Unit = "B/s"
	}
	low, high := c.low, c.high
	lowest := squares(s.data(best))
	contradicted := func(by float64) bool {
		x := slices.Clone(best)
		x[param] = min(max(x[param]+by, low), high)
		c.low, c.high = x[param], x[param]
		s.descend(x)
		c.low, c.high = low, high
		return squares(s.data(x)) > lowest+chi2Critical
	}
	up, down := contradicted(probeFar), contradicted(-probeFar)
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
func (r *Result) lags(e *hub.Evidence) {
	for _, list := range r.Profile.Lags.Lists() {
		means := map[int]float64{}
		for staying := 1; staying <= hub.MaxStaying; staying++ {
			seen := slices.DeleteFunc(slices.Clone(e.Lags), func(l hub.ObservedLag) bool {
				return l.Stays != list.Stays || l.Left != list.Left || l.Staying != staying
			})
			if len(seen) == 0 {
				continue
			}
			n := float64(len(seen))
			var mean, own, scatter float64 // variances: by the errors of each, and by how they differ
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

// fillLags lists lags by how many disks stay. A number that was not seen takes the lag of the nearest that was, the
// smaller of two.
func fillLags(means map[int]float64) []time.Duration {
	seen := slices.Sorted(maps.Keys(means))
	if !slices.ContainsFunc(seen, func(staying int) bool { return means[staying] >= 0.0005 }) { // of a millisecond
		return nil
	}
	var list []time.Duration
	for staying := 1; staying <= seen[len(seen)-1]; staying++ {
		nearest := slices.MinFunc(seen, func(a, b int) int { return max(a-staying, staying-a) - max(b-staying, staying-b) })
		list = append(list, time.Duration(means[nearest]*1e9).Round(time.Millisecond))
	}
	return list
}

// YAML writes the fitted profile as hub.Load reads it, with each parameter's interval beside it, and below what was
// observed.
func (r *Result) YAML() []byte {
	notes := map[string]string{}
	for _, p := range r.Parameters {
		notes[p.Name] = p.Interval()
		if p.Note != "" {
			notes[p.Name] = strings.TrimPrefix(p.Interval()+"; "+p.Note, "; ")
		}
	}
	return r.Profile.YAML(notes)
}

// known is a number as JSON has it: null if it is not known, or infinite.
func known(v float64, known bool) *float64 {
	if !known || math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// MarshalJSON writes null for an error that is not finite.
func (r Result) MarshalJSON() ([]byte, error) {
	type result Result
	return json.Marshal(struct {
		result
		ModelError *float64 `json:"model_error"`
	}{result(r), known(r.ModelError, true)})
}

// MarshalJSON writes null for what is not finite, such as how far a rate lies from a model's of zero.
func (r Residual) MarshalJSON() ([]byte, error) {
	type residual Residual
	return json.Marshal(struct {
		residual
		Rate  *float64 `json:"rate"`
		Error *float64 `json:"error"`
		Model *float64 `json:"model"`
		Off   *float64 `json:"off"`
	}{residual(r), known(r.Rate, true), known(r.Error, true), known(r.Model, true), known(r.Off, true)})
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
	}{p.Name, p.Unit, known(p.Value, true), known(p.Low, p.boundedBelow()), known(p.High, true), p.Note})
}

// MarshalJSON writes null for what is refused.
func (e Estimate) MarshalJSON() ([]byte, error) {
	told := e.Refused == ""
	return json.Marshal(struct {
		Rate    *float64 `json:"rate"`
		Low     *float64 `json:"low"`
		High    *float64 `json:"high"`
		Refused string   `json:"refused,omitempty"`
	}{known(e.Rate, told), known(e.Low, told), known(e.High, told), e.Refused})
}

// MarshalJSON writes null for what the disks keep if that is not known.
func (r Row) MarshalJSON() ([]byte, error) {
	type row Row
	return json.Marshal(struct {
		row
		Kept *float64 `json:"kept"`
	}{row(r), known(r.Kept, r.Kept != 0)})
}
