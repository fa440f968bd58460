package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Markdown writes the whole document. Names stay text: what Markdown or HTML would take as markup
// is escaped.
func Markdown(w io.Writer, doc *report.Document) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, markdownHead(doc))
	markdownBlocks(out, doc.AnswerBlocks())
	markdownBlocks(out, doc.Blocks)
	fmt.Fprintln(out, markdownFoot)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

const markdownFoot = "1 GB = 10^9 bytes. Made with hubbench."

func markdownHead(doc *report.Document) string {
	head := fmt.Sprintf("## %s\n\n", cells.Markdown(doc.Title))
	if origin := doc.Origin(); len(origin) > 0 {
		head += cells.Markdown(strings.Join(origin, ", ")) + "\n\n"
	}
	return head
}

// maxLines is how long the answer of a run is in Markdown: what a review or an issue has room for.
const maxLines = 120

// ShortMarkdown writes the answer and what sums the document up, on maxLines lines at most: no
// phases and no folds, and of what is longer its beginning.
func ShortMarkdown(w io.Writer, doc *report.Document) error {
	const reserved = 4 // lines that say what is missing, and the foot
	var out strings.Builder
	out.WriteString(markdownHead(doc))
	blocks := doc.Blocks
	blocks = append(doc.AnswerBlocks(), blocks...)
	isCut := false
	for _, block := range blocks {
		room := maxLines - reserved - strings.Count(out.String(), "\n")
		if d, ok := block.(*report.Details); ok && !d.Open {
			isCut = true
			continue
		}
		var part strings.Builder
		markdownBlocks(&part, []report.Block{block})
		lines := strings.SplitAfter(part.String(), "\n")
		if len(lines)-1 > room {
			isCut = true
			part.Reset()
			if t, ok := block.(*report.Table); ok && room > 2*reserved {
				short := *t
				short.Rows = t.Rows[:min(len(t.Rows), room-2*reserved)]
				short.Note = ""
				markdownTable(&part, &short)
				fmt.Fprintf(&part, "And %s.\n\n",
					unit.Plural(len(t.Rows)-len(short.Rows), "more row"))
			}
		}
		out.WriteString(part.String())
	}
	if isCut {
		out.WriteString("Everything else: --all.\n\n")
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", out.String(), markdownFoot); err != nil {
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
		case report.Hero:
			markdownBlocks(out, report.Flat(block))
		case *report.Details:
			switch {
			case !block.Phase && !block.Open:
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
