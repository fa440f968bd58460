package text

import (
	"bufio"
	"fmt"
	"io"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/delta"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
)

// WriteComparison prints runs beside the first: what was not measured alike, a table per phase, what appeared and went,
// and how far to trust it.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	out := bufio.NewWriter(w)
	for i := range c.Pairs {
		if i > 0 {
			fmt.Fprintln(out)
		}
		pair(out, c, &c.Pairs[i])
	}
	fmt.Fprintln(out)
	for _, warning := range c.Warnings {
		wrap(out, "! ", warning)
	}
	for _, note := range delta.Notes(c) {
		wrap(out, "", note)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	return nil
}

func pair(out io.Writer, c *compare.Comparison, p *compare.Pair) {
	side(out, "base", c.Base)
	side(out, "new ", p.Side)
	if len(p.Method) > 0 {
		fmt.Fprintln(out)
		wrap(out, "", delta.MethodTitle)
		for _, d := range p.Method {
			wrap(out, "  ", delta.Method(d))
		}
	}
	fmt.Fprintln(out)
	wrap(out, "", delta.Summary(p))
	for i := range p.Phases {
		comparedPhase(out, &p.Phases[i], delta.Scale(c))
	}
	if missing := delta.Missing(p); len(missing) > 0 {
		fmt.Fprintln(out)
		for _, line := range missing {
			wrap(out, "", line)
		}
	}
	comparedFindings(out, "Findings that appeared:", p.Appeared)
	comparedFindings(out, "Findings that went:", p.Went)
}

func side(out io.Writer, title string, s compare.Side) {
	line := s.Label
	if s.Name != "" && s.Name != s.Label {
		line += ": " + s.Name
	}
	if s.Started != "" {
		line += ", " + s.Started
	}
	wrap(out, title+"  ", line)
}

func comparedPhase(out io.Writer, p *compare.Phase, scale chart.Scale) {
	fmt.Fprintln(out)
	fmt.Fprintln(out, clip(clean(p.Phase), most))
	if len(p.Rates) > 0 {
		t := table{delta.Heads(scale)}
		for _, r := range p.Rates {
			t = append(t, delta.Row(r, scale))
		}
		t.print(out)
	}
	for _, line := range delta.Recoveries(p) {
		wrap(out, "  ", line)
	}
	for _, doubt := range delta.Doubts(p) {
		wrap(out, "  ! ", doubt)
	}
}

func comparedFindings(out io.Writer, title string, findings []analysis.Finding) {
	if len(findings) == 0 {
		return
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, title)
	for _, f := range findings {
		wrap(out, "  ", f.Text)
	}
}
