package export

import (
	"bufio"
	"fmt"
	"io"
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
				fmt.Fprintf(out, "%s\n\n", cells.Markdown(block.Describe()))
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
