package fit

import (
	"encoding/json"
	"math"
)

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
