// Package text writes a document for a terminal: plain words, tables of columns, no colour. By default that is the
// document's answer; on request everything but details that are no phase and no methods, which are left to the page. Start at
// Write.
package text

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// Width is how many columns a line may take where nobody knows better.
const Width = 100

// Options say how a document is printed.
type Options struct {
	Width int  // of a line in columns, whatever the names
	All   bool // the blocks as well if the document has an answer
}

// Write writes the document's answer, and its blocks if it has none or if all is asked for.
func Write(w io.Writer, doc *report.Document, opts Options) error {
	out := &printer{Writer: bufio.NewWriter(w), width: max(opts.Width, 40)}
	// Whoever has the run at hand knows when it was.
	origin := slices.DeleteFunc(doc.Origin(), func(part string) bool { return part == doc.Started })
	out.wrap("", strings.Join(append([]string{doc.Title}, origin...), ", "))
	if doc.Answer != nil {
		out.answer(doc.Answer)
	}
	if doc.Answer == nil || opts.All {
		out.blocks("", doc.Blocks)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

type printer struct {
	*bufio.Writer
	width int
}

func (p *printer) answer(a *report.Answer) {
	for _, doubt := range a.Doubts {
		p.wrap("! ", doubt)
	}
	p.wrap("", a.Headline)
	if a.Table != nil {
		p.table("", a.Table)
	}
	for _, text := range slices.Concat(a.Findings, a.Advice, []string{a.Sure}) {
		p.wrap("  ", text)
	}
}

func (p *printer) blocks(indent string, blocks []report.Block) {
	for _, block := range blocks {
		apart := func(is bool) { // an empty line goes before the block
			if is && indent == "" {
				fmt.Fprintln(p)
			}
		}
		switch block := block.(type) {
		case report.Heading:
			apart(true)
			p.wrap(indent, block.Text)
		case report.Sentence:
			p.wrap(indent, block.Text)
		case report.Warning:
			p.wrap(indent+"! ", block.Text)
		case report.List:
			apart(block.Title != "")
			if block.Title != "" {
				p.wrap(indent, block.Title+":")
			}
			for _, item := range block.Items {
				p.wrap(indent+"- ", item)
			}
		case *report.Table:
			apart(true)
			p.table(indent, block)
		case *report.Figure:
			if !block.OmitInText {
				p.wrap(indent, block.Describe())
			}
		case *report.Details:
			apart(block.Printed || block.Phase && block.Fold == "")
			switch {
			case block.Printed && indent == "":
				p.wrap("", block.Title)
				p.blocks("  ", block.Blocks)
			case block.Printed:
				p.blocks(indent, block.Blocks)
			case block.Phase && block.Fold == "":
				p.wrap(indent, block.Title)
				p.blocks(indent+"  ", block.Blocks)
			}
		}
	}
}

// marked are a cell's words, with a mark before good news and bad; in a column of numbers its remark takes as much room as any.
func marked(t *report.Table, row []report.Cell, i int) string {
	c := row[i]
	marks := map[report.Sign]string{report.Good: "✓ ", report.Doubt: "~ ", report.Bad: "✗ "}
	remark := 0
	for _, other := range t.Rows {
		if t.Columns[i].Numbers && c.Words() != "" {
			remark = max(remark, cells.Width(other[i].Small))
		}
	}
	small := cells.Pad(c.Small, -remark)
	c.Small = ""
	text := c.Tree + marks[c.Sign] + strings.TrimPrefix(c.Words(), c.Tree)
	if small != "" {
		text += " " + small
	}
	return text
}

// table prints the columns that have a value in any row, and of these as many as there is room for.
func (p *printer) table(indent string, t *report.Table) {
	keep := t.Used()
	if len(keep) == 0 {
		return
	}
	widths := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		widths[i] = cells.Width(column.Head)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], cells.Width(marked(t, row, i)))
		}
	}
	room := p.width - cells.Width(indent)
	if t.Sentences {
		p.sentences(indent, t, keep, widths)
		return
	}
	keep = fit(t, keep, widths, room)
	for len(keep) > 0 {
		now := 1
		for used := widths[keep[0]] + 2; now < len(keep); now++ {
			if used += widths[keep[now]] + 2; used > room && now > 1 {
				break
			}
		}
		p.rows(indent, t, keep[:now], widths, true)
		// What has no room beside the first column follows under it.
		if keep = keep[now:]; len(keep) > 0 {
			keep = append([]int{0}, keep...)
		}
	}
	if t.Note != "" {
		p.wrap(indent+"  ", t.Note)
	}
}

// sentences prints each row's short cells in columns, and what its others say under them.
func (p *printer) sentences(indent string, t *report.Table, keep, widths []int) {
	var short, long []int
	for _, i := range keep {
		if t.Columns[i].Drop > 0 {
			long = append(long, i)
		} else {
			short = append(short, i)
		}
	}
	short = fit(t, short, widths, p.width-cells.Width(indent))
	for k := range t.Rows {
		part := *t
		part.Rows = t.Rows[k : k+1]
		p.rows(indent, &part, short, widths, k == 0)
		for _, i := range long {
			p.wrap(indent+"      ", marked(t, t.Rows[k], i))
		}
	}
}

// fit leaves the least important columns out until the others have room; where none may go, columns of words are cut,
// the first only as far as that helps.
func fit(t *report.Table, keep, widths []int, room int) []int {
	whole := slices.Clone(widths)
	for {
		used, drop, cut := 0, -1, -1
		for k, i := range keep {
			used += widths[i] + 2
			if t.Columns[i].Drop > 0 && (drop < 0 || t.Columns[i].Drop > t.Columns[keep[drop]].Drop) {
				drop = k
			}
			if !t.Columns[i].Numbers && widths[i] > 8 && (cut < 0 || widths[i] > widths[cut]) {
				cut = i
			}
		}
		switch {
		case used <= room:
			return keep
		case drop >= 0:
			keep = slices.Delete(keep, drop, drop+1)
		case cut >= 0:
			widths[cut]-- // one by one: columns of like widths are cut alike
		default: // they go one under another: each must fit beside the first
			first, widest := keep[0], 0
			for _, i := range keep[1:] {
				widest = max(widest, widths[i])
			}
			widths[first] = max(widths[first], min(whole[first], room-widest-4))
			return keep
		}
	}
}

func (p *printer) rows(indent string, t *report.Table, columns, widths []int, heads bool) {
	line := func(cell func(int) (branches, words string)) {
		var out strings.Builder
		for _, i := range columns {
			width := widths[i]
			branches, words := cell(i)
			if t.Columns[i].Numbers {
				width = -width
			}
			words = cells.CutMiddle(report.Clean(words), widths[i]-cells.Width(branches))
			if report.RightToLeft(words) { // or a terminal that turns such names around would take the numbers after them along
				words += "\u200E"
			}
			out.WriteString("  " + cells.Pad(branches+words, width))
		}
		fmt.Fprintln(p, strings.TrimRight(indent+out.String(), " "))
	}
	if heads {
		line(func(i int) (branches, words string) { return "", t.Columns[i].Head })
	}
	for _, row := range t.Rows {
		line(func(i int) (branches, words string) {
			branches = row[i].Tree
			return strings.ReplaceAll(branches, "\u00a0", " "), strings.TrimPrefix(marked(t, row, i), branches)
		})
	}
}

// wrap prints text in lines that fit, the first after prefix, the others under it.
func (p *printer) wrap(prefix, text string) {
	if text = report.Clean(text); strings.TrimSpace(text) == "" {
		return
	}
	indent := cells.Width(prefix)
	for i, line := range cells.Wrap(text, "", p.width-indent) {
		if i > 0 {
			prefix = strings.Repeat(" ", indent)
		}
		fmt.Fprintln(p, prefix+line)
	}
}
