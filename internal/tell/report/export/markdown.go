package export

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// Markdown writes the whole document. Names stay text: what Markdown or HTML would take as markup
// is escaped.
func Markdown(w io.Writer, doc *report.Document) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## %s\n\n", cells.Markdown(doc.Title))
	if origin := doc.Origin(); len(origin) > 0 {
		fmt.Fprintf(out, "%s\n\n", cells.Markdown(strings.Join(origin, ", ")))
	}
	if doc.Answer != nil {
		markdownBlocks(out, doc.Answer.Blocks())
	}
	markdownBlocks(out, doc.Blocks)
	fmt.Fprintln(out, "1 GB = 10^9 bytes. Made with hubbench.")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

func markdownBlocks(out io.Writer, list []report.Block) {
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
			markdownTable(out, block)
		case *report.Chart:
			if block.Drawn() {
				markdownChart(out, block)
			}
		case *report.Details:
			switch {
			case !block.Phase:
				fmt.Fprintf(out, "<details><summary>%s</summary>\n\n", cells.Markdown(block.Title))
				markdownBlocks(out, block.Blocks)
				fmt.Fprint(out, "</details>\n\n")
			case block.Fold == "":
				fmt.Fprintf(out, "### %s\n\n", cells.Markdown(block.Title))
				markdownBlocks(out, block.Blocks)
			}
		}
	}
}

func markdownTable(out io.Writer, t *report.Table) {
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

// markdownChart draws what letters can: a line of blocks for each disk, as high as its points; and
// says the numbers.
func markdownChart(out io.Writer, c *report.Chart) {
	fmt.Fprintf(out, "%s\n\n", cells.Markdown(c.Describe()))
	if c.X.Log {
		return
	}
	var lines []string
	longest := 0
	for _, key := range c.Keys {
		longest = max(longest, cells.Width(key.Label))
	}
	for i, key := range c.Keys {
		if line := spark(c, i); strings.TrimSpace(line) != "" {
			lines = append(lines, cells.NoCommand(cells.Pad(report.Clean(key.Label), longest+1)+
				line))
		}
	}
	if lines != nil {
		fmt.Fprintf(out, "```\n%s\n```\n\n", strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''"))
	}
}

// sparkColumns is how many letters wide a chart is.
const sparkColumns = 60

// spark is the mean height of a disk's lines and files along the chart.
func spark(c *report.Chart, key int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	sum, weight := make([]float64, sparkColumns), make([]float64, sparkColumns)
	stretch := func(from, to, height float64) {
		scale := sparkColumns / (c.X.Max - c.X.Min)
		from, to = (from-c.X.Min)*scale, (to-c.X.Min)*scale
		for column := max(0, int(from)); column < sparkColumns && float64(column) < to; column++ {
			w := math.Min(to, float64(column+1)) - math.Max(from, float64(column))
			sum[column] += w * height
			weight[column] += w
		}
	}
	for _, s := range c.Series {
		if s.Key != key || s.Faint {
			continue
		}
		for i, point := range s.Points {
			switch {
			case s.Kind == report.Files:
				stretch(point[0], point[1], point[2])
			case s.Kind == report.Line && i > 0:
				stretch(s.Points[i-1][0], point[0], (s.Points[i-1][1]+point[1])/2)
			}
		}
	}
	var out strings.Builder
	for column := range sum {
		if weight[column] == 0 {
			out.WriteByte(' ')
			continue
		}
		share := (sum[column]/weight[column] - c.Y.Min) / (c.Y.Max - c.Y.Min)
		level := int(share * float64(len(levels)))
		out.WriteRune(levels[min(max(level, 0), len(levels)-1)])
	}
	return strings.TrimRight(out.String(), " ")
}
