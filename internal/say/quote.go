package say

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// quote says what the recommended figure is, and what stands beside it.
func quote(q *analysis.Quote, d *analysis.Disk) string {
	switch q.Kind {
	case analysis.QuoteLater:
		first, last := d.Throttle.Steps[0], d.Throttle.Steps[len(d.Throttle.Steps)-1]
		return fmt.Sprintf("%s, as it was after %s; before that %s for %s",
			rate(q.Rate), unit.FormatBytes(int64(last.AtBytes)), rate(first.FromRate), unit.FormatSeconds(d.Throttle.HeldS))
	case analysis.QuoteSettled:
		return rate(q.Rate) + " once its rate had settled"
	case analysis.QuoteOverlap:
		return rate(q.Rate) + " while all disks of the phase worked"
	default:
		text := rate(q.Rate) + " over time"
		if d.Modes != nil {
			text += fmt.Sprintf("; its files ran near %s or near %s", rate(d.Modes[0]), rate(d.Modes[1]))
		}
		return text
	}
}

// reason says why a recovery's lag is not known.
func reason(r *analysis.Recovery) string {
	c := r.Cut
	ended := "another disk paused"
	switch {
	case c.Disk == r.Disk:
		ended = "it ended"
	case c.Disk != "":
		ended = c.Disk + " " + c.Why
	}
	if c.Rose {
		return fmt.Sprintf("it rose %s after %s ended, but %s too soon to see the new rate hold", unit.FormatSeconds(c.S), r.After, ended)
	}
	return fmt.Sprintf("%s later, when %s, it still had not reached the rate it has alone", unit.FormatSeconds(c.S), ended)
}
