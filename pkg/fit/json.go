package fit

import (
	"encoding/json"
	"math"

	"github.com/hubbench/hubbench/pkg/trace"
)

// finite is a number as JSON can write it: null if there is none.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// MarshalJSON writes the fit without the profile, which is written as YAML.
func (r *Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name       string      `json:"name"`
		Families   []Weight    `json:"families"`
		Parameters []Parameter `json:"parameters"`
		Residuals  []Residual  `json:"residuals"`
		ModelError *float64    `json:"model_error"`
		Warnings   []string    `json:"warnings,omitempty"`
	}{r.Profile.Name, r.Families, r.Parameters, r.Residuals, finite(r.ModelError), r.Warnings})
}

// MarshalJSON writes null for an end that the evidence does not bound, which the note explains.
func (p Parameter) MarshalJSON() ([]byte, error) {
	low := finite(p.Low)
	if !p.boundedBelow() {
		low = nil
	}
	return json.Marshal(struct {
		Name  string   `json:"name"`
		Unit  string   `json:"unit,omitempty"`
		Value *float64 `json:"value"`
		Low   *float64 `json:"low"`
		High  *float64 `json:"high"`
		Note  string   `json:"note,omitempty"`
	}{p.Name, p.Unit, finite(p.Value), low, finite(p.High), p.Note})
}

// MarshalJSON writes what was observed flat beside the model's.
func (r Residual) MarshalJSON() ([]byte, error) {
	o := &r.Observed
	return json.Marshal(struct {
		Phase string     `json:"phase"`
		Mix   string     `json:"mix"`
		Disk  string     `json:"disk"`
		Op    trace.Role `json:"op"`
		Rate  *float64   `json:"rate"`
		Error *float64   `json:"error"`
		Model *float64   `json:"model"`
		Off   *float64   `json:"off"`
	}{r.Phase, r.Mix, o.Disk, o.Op, finite(o.Rate), finite(o.Error), finite(r.Model), finite(r.Off())})
}

// MarshalJSON writes null for what is refused.
func (e Estimate) MarshalJSON() ([]byte, error) {
	out := struct {
		Rate    *float64 `json:"rate"`
		Low     *float64 `json:"low"`
		High    *float64 `json:"high"`
		Refused string   `json:"refused,omitempty"`
	}{Refused: e.Refused}
	if e.Refused == "" {
		out.Rate, out.Low, out.High = finite(e.Rate), finite(e.Low), finite(e.High)
	}
	return json.Marshal(out)
}

// MarshalJSON writes null for what the disks keep if that is not known.
func (r Row) MarshalJSON() ([]byte, error) {
	kept := finite(r.Kept)
	if r.Kept == 0 {
		kept = nil
	}
	return json.Marshal(struct {
		Pattern  string     `json:"pattern"`
		Measured bool       `json:"measured"`
		Rates    []Estimate `json:"rates"`
		Total    Estimate   `json:"total"`
		Kept     *float64   `json:"kept"`
	}{r.Pattern, r.Measured, r.Rates, r.Total, kept})
}
