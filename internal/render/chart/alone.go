package chart

import "github.com/hubbench/hubbench/pkg/analysis"

// Alone is what a disk does when the others leave it be, and how the run shows it.
type Alone struct {
	Rate      float64  // bytes per second
	Retention *float64 // the rate in the overlap over it
	From      string   // "alone in phase X", "after the others"
}

// AloneRate is a disk's rate without the others as the analysis found it, or nil where the run shows none.
func AloneRate(phase *analysis.Phase, disk string) *Alone {
	if phase.Contention == nil {
		return nil
	}
	c, ok := phase.Contention.Disks[disk]
	if !ok || c.ReferenceRate == nil || *c.ReferenceRate <= 0 {
		return nil
	}
	from := c.Reference
	if from != afterOthers {
		from = "alone in " + from
	}
	return &Alone{*c.ReferenceRate, c.Retention, from}
}

// afterOthers is the analysis' word for a rate taken from the end of the same phase; any other is a phase's name.
const afterOthers = "after the others"
