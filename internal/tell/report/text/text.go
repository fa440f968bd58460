// Package text writes a document for a terminal: plain words, tables of columns, bars, and colours
// that repeat what the words say. By default that is the document's answer; on request everything
// but details that are no phase and no methods, which are left to the page. Start at Write.
package text

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/report"
)

// Width is how many columns a line may take where nobody knows better.
const Width = 80

// Options say how a document is printed.
type Options struct {
	Width int  // maximum width of a line in columns
	All   bool // the blocks as well if the document has an answer
	Ink   ink.Ink
}

// Write writes the document's answer, and its blocks if it has none or if all is asked for.
func Write(w io.Writer, doc *report.Document, opts Options) error {
	out := &printer{Writer: bufio.NewWriter(w), width: max(opts.Width, 40), ink: opts.Ink,
		all: opts.All}
	out.printHead(doc)
	if doc.Page != nil {
		out.printPage(doc.Page)
		for _, block := range doc.Blocks {
			if d, ok := block.(*report.Details); ok && d.Lead && !opts.All {
				out.printBlocks("", d.Blocks)
			}
		}
	}
	if doc.Page == nil || opts.All {
		out.printBlocks("", doc.Blocks)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printHead prints what was measured, on what and when, and that it was not: a part that has no
// room begins a line.
func (p *printer) printHead(doc *report.Document) {
	const between = "   "
	title := cells.Cut(report.Clean(doc.Title), p.width)
	all := []string{title}
	parts := []string{doc.Setup(), doc.Started, doc.Unmeasured()}
	if doc.Page != nil {
		parts = slices.Concat(parts, doc.Page.Kicker, doc.Page.Marks)
	}
	for _, part := range parts {
		last := &all[len(all)-1]
		switch {
		case part == "":
		case *last == "":
			*last = cells.Cut(report.Clean(part), p.width)
		case cells.Width(*last+between+part) <= p.width:
			*last += between + report.Clean(part)
		default:
			all = append(all, cells.Wrap(report.Clean(part), "", p.width)...)
		}
	}
	for _, line := range all {
		p.printLine(p.ink.Dim(p.ink.Text(cells.NoCommand(line))))
	}
}

type printer struct {
	*bufio.Writer
	width int
	ink   ink.Ink
	all   bool // everything is printed, however long
	lines int  // so far
}

// printLine prints a line that is laid out already.
func (p *printer) printLine(text string) {
	fmt.Fprintln(p, text)
	p.lines++
}

func (p *printer) printBlocks(indent string, blocks []report.Block) {
	for _, block := range blocks {
		apart := func(is bool) { // an empty line goes before the block
			if is && indent == "" {
				fmt.Fprintln(p)
			}
		}
		switch block := block.(type) {
		case report.Heading:
			apart(true)
			p.printWrapped(indent, block.Text, nil)
		case report.Sentence:
			p.printWrapped(indent, block.Text, nil)
		case report.Warning:
			p.printWrapped(indent+"! ", block.Text, nil)
		case report.List:
			if apart(block.Title != ""); block.Title != "" {
				p.printWrapped(indent, block.Title+":", nil)
			}
			for _, item := range block.Items {
				p.printWrapped(indent+"- ", item, nil)
			}
		case *report.Table:
			apart(true)
			p.printTable(indent, block)
		case *report.Chart:
			if block.Drawn() {
				p.printWrapped(indent, block.Describe(), nil)
			}
		case report.Hero:
			apart(true)
			p.printHero(block)
		case *report.Details:
			apart(block.Printed || block.Phase && block.Fold == "")
			switch {
			case block.Printed && indent == "":
				p.printWrapped("", block.Title, nil)
				p.printBlocks("  ", block.Blocks)
			case block.Printed:
				p.printBlocks(indent, block.Blocks)
			case block.Phase && block.Fold == "":
				p.printWrapped(indent, block.Title, nil)
				p.printBlocks(indent+"  ", block.Blocks)
			}
		}
	}
}

// printTable prints the columns that have a value in any row, and of these as many as there is room
// for.
func (p *printer) printTable(indent string, t *report.Table) {
	if t = t.Shown(); len(t.Columns) == 0 {
		return
	}
	words, widths := t.Printed()
	room := p.width - cells.Width(indent)
	heads := make([]string, len(t.Columns))
	keep := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		heads[i] = column.Head
		keep[i] = i
	}
	if t.Sentences { // each row's short cells in columns, and what its others say under them
		var short []int
		for _, i := range keep {
			if t.Columns[i].Drop == 0 {
				short = append(short, i)
			}
		}
		short = fitColumns(t, short, widths, room)
		p.printRow(indent, t, nil, heads, short, widths)
		for k, row := range t.Rows {
			p.printRow(indent, t, row, words[k], short, widths)
			for _, i := range keep {
				if t.Columns[i].Drop > 0 {
					p.printWrapped(indent+"      ", words[k][i], nil)
				}
			}
		}
		return
	}
	keep = fitColumns(t, keep, widths, room)
	for len(keep) > 0 {
		fitting := 1
		for used := widths[keep[0]] + 2; fitting < len(keep); fitting++ {
			if used += widths[keep[fitting]] + 2; used > room && fitting > 1 {
				break
			}
		}
		p.printRow(indent, t, nil, heads, keep[:fitting], widths)
		for k, row := range t.Rows {
			p.printRow(indent, t, row, words[k], keep[:fitting], widths)
		}
		// What has no room beside the first column follows under it.
		if keep = keep[fitting:]; len(keep) > 0 {
			keep = append([]int{0}, keep...)
		}
	}
	p.printWrapped(indent+"  ", t.Note, nil)
}

// fitColumns leaves the least important columns out until the others have room; where none may go,
// columns of words are cut, the first only as far as that helps.
func fitColumns(t *report.Table, keep, widths []int, room int) []int {
	whole := slices.Clone(widths)
	for {
		used, drop, cut := 0, -1, -1
		for k, i := range keep {
			used += widths[i] + 2
			if t.Columns[i].Drop > 0 &&
				(drop < 0 || t.Columns[i].Drop > t.Columns[keep[drop]].Drop) {
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
			first := keep[0]
			widest := 0
			for _, i := range keep[1:] {
				widest = max(widest, widths[i])
			}
			widths[first] = max(widths[first], min(whole[first], room-widest-4))
			return keep
		}
	}
}

// printRow prints a row's words, or those of the heads if it is nil.
func (p *printer) printRow(indent string, t *report.Table, row []report.Cell, words []string,
	columns, widths []int) {
	line := indent + p.row(t, row, words, columns, widths)
	p.printLine(cells.NoCommand(strings.TrimRight(line, " ")))
}

// row lays a row's words out in columns.
func (p *printer) row(t *report.Table, row []report.Cell, words []string, columns,
	widths []int) string {
	var line strings.Builder
	for _, i := range columns {
		width := widths[i]
		branches := ""
		text := words[i]
		if t.Columns[i].Numbers {
			width = -width
		}
		if row != nil {
			branches, text = row[i].Tree, strings.TrimPrefix(text, row[i].Tree)
		}
		text = cells.CutMiddle(report.Clean(text), widths[i]-cells.Width(branches))
		// Or a terminal that turns such names around would take the numbers after them along.
		if report.RightToLeft(text) {
			text += "\u200E"
		}
		text = p.ink.Text(
			cells.Pad(strings.ReplaceAll(branches, "\u00a0", " ")+text, width))
		if row != nil {
			text = p.tone(cmp.Or(row[i].Sign, row[i].Tone))(text)
		}
		line.WriteString("  " + text)
	}
	return line.String()
}

// printWrapped prints text in lines that fit, the first after prefix, the others under it, in a
// colour if one is given.
func (p *printer) printWrapped(prefix, text string, colour func(string) string) {
	if text = report.Clean(text); strings.TrimSpace(text) == "" {
		return
	}
	indent := cells.Width(prefix)
	for i, line := range cells.Wrap(text, "", p.width-indent) {
		if i > 0 {
			prefix = strings.Repeat(" ", indent)
		}
		line = p.ink.Text(cells.NoCommand(prefix + line))
		if colour != nil {
			line = colour(line)
		}
		p.printLine(line)
	}
}
