package md

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/delta"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
)

// WriteComparison writes runs beside the first: what was not measured alike, a table per phase, what appeared and went,
// and how far to trust it.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	out := bufio.NewWriter(w)
	scale := delta.Scale(c)
	for i := range c.Pairs {
		pair(out, c, &c.Pairs[i], scale)
	}
	list(out, "To keep in mind", c.Warnings)
	for _, note := range delta.Notes(c) {
		fmt.Fprintf(out, "%s\n\n", escape(note))
	}
	fmt.Fprintln(out, "1 GB = 10^9 bytes. Measured with hubbench.")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

func pair(out io.Writer, c *compare.Comparison, p *compare.Pair, scale chart.Scale) {
	fmt.Fprintf(out, "## %s beside %s\n\n", escape(p.Label), escape(c.Base.Label))
	var method []string
	for _, d := range p.Method {
		method = append(method, delta.Method(d))
	}
	list(out, strings.TrimSuffix(delta.MethodTitle, ":"), method)
	fmt.Fprintf(out, "%s\n\n", escape(delta.Summary(p)))
	for i := range p.Phases {
		comparedPhase(out, &p.Phases[i], scale)
	}
	list(out, "", delta.Missing(p))
	list(out, "Findings that appeared", findings(p.Appeared))
	list(out, "Findings that went", findings(p.Went))
}

func comparedPhase(out io.Writer, p *compare.Phase, scale chart.Scale) {
	fmt.Fprintf(out, "**%s**\n\n", escape(p.Phase))
	if len(p.Rates) > 0 {
		heads := delta.Heads(scale)
		cells(out, heads)
		fmt.Fprintf(out, "|---|---|%s---|\n", strings.Repeat("---:|", len(heads)-3))
		for _, r := range p.Rates {
			cells(out, delta.Row(r, scale))
		}
		fmt.Fprintln(out)
	}
	list(out, "", append(delta.Recoveries(p), delta.Doubts(p)...))
}

func cells(out io.Writer, row []string) {
	for _, cell := range row {
		fmt.Fprintf(out, "| %s ", escape(cell))
	}
	fmt.Fprintln(out, "|")
}

func findings(found []analysis.Finding) []string {
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.Text
	}
	return texts
}
