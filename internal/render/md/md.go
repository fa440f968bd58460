// Package md writes a run's results as Markdown to paste into a review or an issue: the verdicts, the table of
// phases, the findings and what to doubt. Start at Write.
package md

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Write writes the whole analysis. Names stay text: what Markdown or HTML would take as markup is escaped.
func Write(w io.Writer, a *analysis.Analysis) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", escape(a.Name))
	matrix(out, a)
	for i := range a.Phases {
		phase(out, a, &a.Phases[i])
	}
	list(out, "To keep in mind", texts(a.Warnings))
	fmt.Fprintln(out, "Rates are bytes over time while all working disks were active; 1 GB = 10^9 bytes. Measured with hubbench.")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// matrix is the table of all phases: each disk's rate with its letter, and the total.
func matrix(out io.Writer, a *analysis.Analysis) {
	if len(a.Matrix) == 0 {
		return
	}
	scale := chart.ScaleOf(a)
	fmt.Fprintf(out, "| phase, %s |", scale.Unit)
	for _, disk := range a.Order {
		fmt.Fprintf(out, " %s |", escape(disk))
	}
	fmt.Fprintf(out, " together | overlap |\n|---|%s\n", strings.Repeat("---:|", len(a.Order)+2))
	for _, row := range a.Matrix {
		fmt.Fprintf(out, "| %s |", escape(row.Phase))
		for _, disk := range a.Order {
			role := row.Roles[disk]
			rate, ok := row.Rates[disk]
			switch {
			case role != trace.Read && role != trace.Write:
				fmt.Fprint(out, " idle |")
			case !ok:
				fmt.Fprintf(out, " %c – |", role.Letter())
			default:
				fmt.Fprintf(out, " %c %s |", role.Letter(), scale.Number(rate))
			}
		}
		total, window := "–", "–"
		for i := range a.Phases {
			if p := &a.Phases[i]; p.Phase == row.Phase && p.Overlap != nil {
				total, window = scale.Number(row.Total), unit.FormatSeconds(p.Overlap.DurationS)
			}
		}
		fmt.Fprintf(out, " %s | %s |\n", total, window)
	}
	fmt.Fprintln(out)
}

func phase(out io.Writer, a *analysis.Analysis, p *analysis.Phase) {
	fmt.Fprintf(out, "**%s.** %s\n\n", escape(p.Phase), escape(p.Verdict))
	list(out, "", chart.Findings(a, p))
	list(out, "To keep in mind", texts(p.Warnings))
}

func texts(warnings []analysis.Warning) []string {
	out := make([]string, len(warnings))
	for i, warning := range warnings {
		out[i] = warning.Text
	}
	return out
}

func list(out io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintf(out, "%s:\n\n", title)
	}
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", escape(line))
	}
	fmt.Fprintln(out)
}

// escape keeps text on one line and out of the way of markup. Most punctuation means nothing inside a line;
// what does is put behind a backslash, and < and & become entities, which hold in raw HTML too.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			out.WriteByte(' ')
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '&':
			out.WriteString("&amp;")
		case r == '@': // a mention would call somebody
			out.WriteString("&#64;")
		case strings.ContainsRune("\\`*_[]|#~", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
