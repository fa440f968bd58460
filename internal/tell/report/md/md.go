// Package md writes a document as Markdown, to paste into a review or an issue. Start at Write.
package md

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// Write writes the whole document. Names stay text: what Markdown or HTML would take as markup is escaped.
func Write(w io.Writer, doc *report.Document) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", cells.Markdown(doc.Title))
	if origin := doc.Origin(); len(origin) > 0 {
		fmt.Fprintf(out, "%s\n\n", cells.Markdown(strings.Join(origin, ", ")))
	}
	if doc.Answer != nil {
		blocks(out, doc.Answer.Blocks())
	}
	blocks(out, doc.Blocks)
	fmt.Fprintln(out, "1 GB = 10^9 bytes. Made with hubbench.")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

func blocks(out io.Writer, list []report.Block) {
	for _, block := range list {
		switch block := block.(type) {
		case report.Heading:
			fmt.Fprintf(out, "### %s\n\n", cells.Markdown(block.Text))
		case report.Sentence:
			fmt.Fprintf(out, "%s\n\n", cells.Markdown(block.Text))
		case report.Warning:
			fmt.Fprintf(out, "> ⚠ %s\n\n", cells.Markdown(block.Text))
		case report.List:
			if block.Title != "" {
				fmt.Fprintf(out, "%s:\n\n", cells.Markdown(block.Title))
			}
			for _, item := range block.Items {
				fmt.Fprintf(out, "- %s\n", cells.Markdown(item))
			}
			fmt.Fprintln(out)
		case *report.Table:
			table(out, block)
		case *report.Figure:
			figure(out, block)
		case *report.Details:
			switch {
			case !block.Phase:
				fmt.Fprintf(out, "<details><summary>%s</summary>\n\n", cells.Markdown(block.Title))
				blocks(out, block.Blocks)
				fmt.Fprint(out, "</details>\n\n")
			case block.Fold == "":
				fmt.Fprintf(out, "### %s\n\n", cells.Markdown(block.Title))
				blocks(out, block.Blocks)
			}
		}
	}
}

func table(out io.Writer, t *report.Table) {
	if t = t.Shown(); len(t.Columns) == 0 {
		return
	}
	var rule strings.Builder
	for _, column := range t.Columns {
		fmt.Fprintf(out, "| %s ", cells.Markdown(column.Head))
		rule.WriteString("|---")
		if column.Numbers {
			rule.WriteString(":")
		}
	}
	fmt.Fprintf(out, "|\n%s|\n", rule.String())
	for _, row := range t.Rows {
		for _, cell := range row {
			text := cells.Markdown(cell.Words())
			if cell.Strong && text != "" {
				text = "**" + text + "**"
			}
			fmt.Fprintf(out, "| %s ", text)
		}
		fmt.Fprintln(out, "|")
	}
	fmt.Fprintln(out)
	if t.Note != "" {
		fmt.Fprintf(out, "%s\n\n", cells.Markdown(t.Note))
	}
}

// figure draws what letters can: a line of blocks for each disk, as high as its marks in the main panel; and says the
// numbers.
func figure(out io.Writer, f *report.Figure) {
	fmt.Fprintf(out, "%s\n\n", cells.Markdown(f.Describe()))
	if f.Main().Y.Rows || f.X.Log {
		return
	}
	const columns = 60
	var lines []string
	longest := 0
	for _, key := range f.Keys {
		longest = max(longest, cells.Width(key.Label))
	}
	for i, key := range f.Keys {
		if line := spark(f, i, columns); strings.TrimSpace(line) != "" {
			lines = append(lines, cells.NoCommand(cells.Pad(report.Clean(key.Label), longest+1)+line))
		}
	}
	if lines != nil {
		fmt.Fprintf(out, "```\n%s\n```\n\n", strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''"))
	}
}

// spark is the mean height of a disk's marks along the figure.
func spark(f *report.Figure, key, columns int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	y := f.Main().Y
	sum, weight := make([]float64, columns), make([]float64, columns)
	for _, m := range f.Main().Marks {
		if m.Key != key {
			continue
		}
		for _, row := range m.Rows {
			var height float64
			switch m.Shape {
			case report.Segment:
				height = (row[2] + row[3]) / 2
			case report.Rectangle:
				height = row[3] - row[2]
			case report.Ribbon:
				height = row[4]
			default:
				continue
			}
			scale := float64(columns) / (f.X.Max - f.X.Min)
			from, to := (row[0]-f.X.Min)*scale, (row[1]-f.X.Min)*scale
			for c := max(0, int(from)); c < columns && float64(c) < to; c++ {
				w := math.Min(to, float64(c+1)) - math.Max(from, float64(c))
				sum[c], weight[c] = sum[c]+w*height, weight[c]+w
			}
		}
	}
	var out strings.Builder
	for c := range sum {
		if weight[c] == 0 {
			out.WriteByte(' ')
			continue
		}
		level := int(sum[c] / weight[c] / (y.Max - y.Min) * float64(len(levels)))
		out.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return strings.TrimRight(out.String(), " ")
}
