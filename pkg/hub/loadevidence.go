package hub

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Bounds of what may have been observed.
const (
	mostErr      = 1.0 // relative: more says nothing
	mostFreedom  = 1_000_000_000
	mostSquares  = 1e9
	longestLagS  = 3600
	leastLagErrS = 1e-6
)

// loadEvidence reads what was observed. Every disk of it must be the profile's.
func loadEvidence(m *strictyaml.Mapping, p *Profile) {
	e := &p.Evidence
	for _, item := range m.Items("rates") {
		seen := item.Mapping()
		seen.Require("disks")
		var o Observation
		seen.Text("phase", &o.Phase)
		seen.Bool("direct", &o.Direct)
		for _, item := range seen.Items("disks") {
			o.Disks = append(o.Disks, loadObserved(item.Mapping(), p, o.Disks))
		}
		if n := len(o.Disks); n == 0 {
			report(seen, "disks", "disks is empty; say which were active, or delete the observation")
		} else if o.Direct && n > 1 {
			report(seen, "direct", "%d disks together are no direct observation; write one for each", n)
		}
		seen.Done()
		e.Rates = append(e.Rates, o)
	}
	for _, item := range m.Items("lags") {
		seen := item.Mapping()
		seen.Require("stays", "left", "staying", "seconds", "error")
		var l ObservedLag
		seen.Text("phase", &l.Phase)
		seen.OneOf("stays", (*string)(&l.Stays), string(trace.Read), string(trace.Write))
		seen.OneOf("left", (*string)(&l.Left), string(trace.Read), string(trace.Write))
		seen.Int("staying", &l.Staying, 1, MostStaying)
		seen.Float("seconds", &l.Seconds, 0, longestLagS)
		seen.Float("error", &l.Error, leastLagErrS, longestLagS)
		seen.Done()
		e.Lags = append(e.Lags, l)
	}
	noise := m.Mapping("noise")
	noise.Float("squares", &e.Noise.Squares, 0, mostSquares)
	noise.Int("freedom", &e.Noise.Freedom, 0, mostFreedom)
	noise.Done()
	m.Done()
}

func loadObserved(m *strictyaml.Mapping, p *Profile, others []Observed) Observed {
	m.Require("disk", "op", "rate", "error")
	var d Observed
	m.Text("disk", &d.Disk)
	m.OneOf("op", (*string)(&d.Op), string(trace.Read), string(trace.Write))
	m.Rate("rate", &d.Rate, leastRate, mostRate)
	m.Float("error", &d.Error, math.SmallestNonzeroFloat64, mostErr)
	m.Done()
	switch {
	case p.Disk(d.Disk) == nil:
		report(m, "disk", "the profile has no disk %s; try %s", strictyaml.Quote(d.Disk), strictyaml.Suggest(d.Disk, p.Names()))
	case slices.ContainsFunc(others, func(o Observed) bool { return o.Disk == d.Disk }):
		report(m, "disk", "disk %s is in the observation twice; delete one", strictyaml.Quote(d.Disk))
	}
	return d
}
