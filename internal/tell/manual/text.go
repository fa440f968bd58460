package manual

import (
	"regexp"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// How a page is set: the widest line, and the column of definitions, whose longer terms stand on
// lines of their own.
const (
	maxWidth   = 100
	definition = 18
)

// Text is the page for a terminal, in lines of at most so many columns.
func (t Topic) Text(width int) (string, error) {
	page, err := t.Markdown()
	return plain(page, min(max(width, 40), maxWidth)), err
}

// blocks are the headings, paragraphs, definitions, lists and lines to copy of a page.
func blocks(page string) []string {
	return regexp.MustCompile(`\n{2,}`).Split(strings.Trim(page, "\n"), -1)
}

// plain sets Markdown as plain text: headings underlined, definitions beside their terms.
func plain(page string, width int) string {
	var out strings.Builder
	afterHeading, afterDefinition := true, false // the first block is set like one after a heading
	for i, block := range blocks(page) {
		term, meaning, defines := strings.Cut(block, "\n: ")
		heading := strings.HasPrefix(block, "#")
		if !afterHeading && !(defines && afterDefinition) {
			out.WriteString("\n")
		}
		switch {
		case heading:
			title, line := strings.TrimLeft(words(block), "# "), "-"
			if i == 0 {
				line = "="
			}
			out.WriteString(title + "\n" + strings.Repeat(line, cells.Width(title)) + "\n")
		case strings.HasPrefix(block, "    "):
			out.WriteString(block + "\n")
		case defines:
			first := "  " + words(term)
			if gap := definition - cells.Width(first); gap >= 2 {
				first += strings.Repeat(" ", gap)
			} else {
				out.WriteString(first + "\n")
				first = strings.Repeat(" ", definition)
			}
			lines(&out, first, definition, words(meaning), width)
		case strings.HasPrefix(block, "- "):
			for item := range strings.SplitSeq(strings.TrimPrefix(block, "- "), "\n- ") {
				lines(&out, "  - ", 4, words(item), width)
			}
		default:
			lines(&out, "", 0, words(block), width)
		}
		afterHeading = heading
		afterDefinition = defines
	}
	return out.String()
}

// lines writes text in lines, the first after some words of the indent's width.
func lines(out *strings.Builder, first string, indent int, text string, width int) {
	for _, line := range cells.Wrap(text, "", width-indent) {
		out.WriteString(first + line + "\n")
		first = strings.Repeat(" ", indent)
	}
}

// words is a block on one line without its marks.
func words(block string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(block, "`", "")), " ")
}
