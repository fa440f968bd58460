// Package text prints an analysis for a terminal: a table per phase, plain words, no colour. It draws
// nothing and counts nothing. Start at Write.
package text

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Write prints each phase: the verdict, a line per disk, the overlap, and what to doubt.
// No line is wider than 100 columns, whatever the names.
func Write(w io.Writer, a *analysis.Analysis) error {
	out := bufio.NewWriter(w)
	for i := range a.Phases {
		if i > 0 {
			fmt.Fprintln(out)
		}
		phase(out, a, &a.Phases[i])
	}
	if len(a.Warnings) > 0 {
		fmt.Fprintln(out)
		warnings(out, a.Warnings)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print the tables: %w", err)
	}
	return nil
}

func phase(out io.Writer, a *analysis.Analysis, p *analysis.Phase) {
	fmt.Fprintln(out, clip(clean(p.Phase), most))
	wrap(out, "  ", p.Verdict)
	scale := chart.ScaleOf(a)
	t := table{{"disk", "does", "files", "bytes", scale.Unit, "±", "share", "alone", "recovered in"}}
	for _, name := range disks(a, p) {
		t = append(t, row(p, name, scale))
	}
	if o := p.Overlap; o != nil && len(o.Disks) > 1 {
		t = append(t, []string{"together", "", "", unit.FormatBytes(o.Bytes), scale.Number(o.Rate), margin(o.CI95, o.Rate, scale), "", "", ""})
	}
	t.print(out)
	if o := p.Overlap; o != nil && len(o.Disks) > 1 {
		line := fmt.Sprintf("bytes, %s and share: in the overlap of %s, from %s to %s s", scale.Unit,
			unit.FormatSeconds(o.DurationS), chart.Clock(o.StartS, o.EndS), chart.Clock(o.EndS, o.EndS))
		if o.CI95 != nil {
			line += "; ±: 95 % sure"
		}
		if o.ReadRate > 0 && o.WriteRate > 0 {
			line += fmt.Sprintf("; %s read, %s written", scale.Number(o.ReadRate), scale.Number(o.WriteRate))
		}
		wrap(out, "  ", line+fmt.Sprintf("; fairness %.2f", o.Jain))
	}
	warnings(out, p.Warnings)
}

// disks are the phase's working disks in the run's order.
func disks(a *analysis.Analysis, p *analysis.Phase) []string {
	var names []string
	for _, name := range a.Order {
		if role := p.Roles[name]; role == trace.Read || role == trace.Write {
			names = append(names, name)
		}
	}
	return names
}

func row(p *analysis.Phase, name string, scale chart.Scale) []string {
	stats := p.Disks[name]
	cells := []string{name, string(p.Roles[name]), strconv.Itoa(stats.Files), unit.FormatBytes(stats.Bytes), "", "", "", "", ""}
	if p.Overlap != nil {
		if part, ok := p.Overlap.Disks[name]; ok {
			cells[3] = unit.FormatBytes(part.Bytes)
			cells[4], cells[5] = scale.Number(part.Rate), margin(part.CI95, part.Rate, scale)
			if len(p.Overlap.Disks) > 1 {
				cells[6] = strconv.FormatFloat(100*part.Share, 'f', 0, 64) + " %"
			}
		}
	} else if stats.Rate != nil {
		cells[4] = scale.Number(*stats.Rate)
	}
	if alone := chart.AloneRate(p, name); alone != nil {
		cells[7] = scale.Number(alone.Rate)
	}
	longest := -1.0
	for _, r := range p.Recoveries {
		if r.Disk == name && r.LagS != nil && *r.LagS > longest {
			longest = *r.LagS
			cells[8] = unit.FormatSeconds(longest)
		}
	}
	return cells
}

// margin is half the interval, rounded up to the last decimal of the rate that it stands beside.
func margin(ci *analysis.Interval, rate float64, scale chart.Scale) string {
	if ci == nil {
		return ""
	}
	_, decimals, _ := strings.Cut(scale.Number(rate), ".")
	step := math.Pow10(-len(decimals))
	half := math.Ceil((ci[1]-ci[0])/2/scale.Size/step-1e-9) * step
	return strconv.FormatFloat(half, 'f', len(decimals), 64)
}

func warnings(out io.Writer, list []analysis.Warning) {
	for _, warning := range list {
		wrap(out, "  ! ", warning.Text)
	}
}
