package say

import (
	"encoding/json"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// change is an entry of a phase's changes in analysis.json.
type change struct {
	Phase    string
	StartS   float64 `json:"start_s"`
	EndS     float64 `json:"end_s"`
	Disks    []string
	Kind     string
	Cause    string
	By       string
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// reading is what analysis.json and the opening say.
type reading struct {
	changes []change
	quotes  map[string]float64 // by phase/disk
	codes   []string           // of findings
	texts   []string
}

func read(run *trace.Run) reading {
	a := Analyze(run, analysis.Options{})
	r := reading{quotes: map[string]float64{}}
	for i := range a.Phases {
		p := &a.Phases[i]
		for name, d := range p.Disks {
			if d.Quote != nil {
				r.quotes[p.Phase+"/"+name] = d.Quote.Rate
			}
		}
		p.Series = nil // large, and without a word
	}
	for _, f := range a.Findings {
		r.codes = append(r.codes, f.Code)
	}
	r.texts = append(r.texts, Opening(a))
	data, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	var phases struct {
		Phases []struct {
			Phase   string
			Changes []change
		}
	}
	var all any
	for _, to := range []any{&phases, &all} {
		if err := json.Unmarshal(data, to); err != nil {
			panic(err)
		}
	}
	for _, p := range phases.Phases {
		for _, c := range p.Changes {
			c.Phase = p.Phase
			r.changes = append(r.changes, c)
		}
	}
	r.collect(all)
	return r
}

// collect finds all sentences.
func (r *reading) collect(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, of := range v {
			r.collect(of)
		}
	case []any:
		for _, of := range v {
			r.collect(of)
		}
	case string:
		if strings.Contains(v, " ") {
			r.texts = append(r.texts, v)
		}
	}
}
