package hub

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Bounds of what may have been observed.
const (
	minErr      = 1e-6 // relative: no rate is known better
	maxErr      = 1.0  // more says nothing
	maxFreedom  = 1_000_000_000
	maxSquares  = 1e9
	longestLagS = 3600
	minLagErrS  = 1e-6
)

// loadEvidence reads what was observed. Every disk of it must be the profile's.
func loadEvidence(m *strictyaml.Mapping, p *Profile) {
	e := &p.Evidence
	for _, item := range m.Items("rates") {
		seen := item.Mapping()
		seen.Require("disks")
		var o Observation
		seen.Read("phase", strictyaml.String(&o.Phase))
		seen.Read("direct", strictyaml.Bool(&o.Direct))
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
		seen.Read("phase", strictyaml.String(&l.Phase))
		seen.Read("stays", strictyaml.OneOf(&l.Stays, string(trace.Read), string(trace.Write)))
		seen.Read("left", strictyaml.OneOf(&l.Left, string(trace.Read), string(trace.Write)))
		seen.Read("staying", strictyaml.Int(&l.Staying, 1, MaxStaying))
		seen.Read("seconds", strictyaml.Float(&l.Seconds, 0, longestLagS))
		seen.Read("error", strictyaml.Float(&l.Error, minLagErrS, longestLagS))
		seen.Done()
		e.Lags = append(e.Lags, l)
	}
	noise := m.Mapping("noise")
	noise.Read("squares", strictyaml.Float(&e.Noise.Squares, 0, maxSquares))
	noise.Read("freedom", strictyaml.Int(&e.Noise.Freedom, 0, maxFreedom))
	noise.Done()
	m.Done()
}

func loadObserved(m *strictyaml.Mapping, p *Profile, others []Observed) Observed {
	m.Require("disk", "op", "rate", "error")
	var d Observed
	m.Read("disk", strictyaml.String(&d.Disk))
	m.Read("op", strictyaml.OneOf(&d.Op, string(trace.Read), string(trace.Write)))
	m.Read("rate", strictyaml.Rate(&d.Rate, minRate, maxRate))
	m.Read("error", strictyaml.Float(&d.Error, minErr, maxErr))
	m.Done()
	switch {
	case p.Disk(d.Disk) == nil:
		report(m, "disk", "the profile has no disk %s; try %s", strictyaml.Quote(d.Disk), strictyaml.Suggest(d.Disk, p.Names()))
	case slices.ContainsFunc(others, func(o Observed) bool { return o.Disk == d.Disk }):
		report(m, "disk", "disk %s is listed twice in the observation; delete one", strictyaml.Quote(d.Disk))
	}
	return d
}
