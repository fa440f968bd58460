package chart

import "github.com/hubbench/hubbench/pkg/analysis"

// Alone is what a disk does when the others leave it be, and how the run shows it.
type Alone struct {
	Rate      float64  // bytes per second
	Retention *float64 // the rate in the overlap over it
	From      string   // "alone in phase X", "after C ended"
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
	from := "alone in " + c.ReferenceFrom
	if c.Reference == analysis.ReferenceLater {
		from = "after " + c.ReferenceFrom + " ended"
	}
	return &Alone{*c.ReferenceRate, c.Retention, from}
}
