package manual

import (
	"regexp"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// The widest a page is set, and the widest column of terms: a longer term stands on a line of its own.
const (
	maxWidth = 100
	maxTerm  = 20
)

// Text is the page for a terminal, in lines of at most so many columns.
func (t Topic) Text(width int) (string, error) {
	page, err := t.Markdown()
	if err != nil {
		return "", err
	}
	return plain(page, min(max(width, 40), maxWidth)), nil
}

// blocks are the headings, paragraphs, definitions, lists and lines to copy of a page.
func blocks(page string) []string {
	return regexp.MustCompile(`\n{2,}`).Split(strings.Trim(page, "\n"), -1)
}

// plain sets Markdown as plain text: headings underlined, definitions beside their terms.
func plain(page string, width int) string {
	var out strings.Builder
	blocks, column := blocks(page), 0 // of the definitions in this list
	for i, block := range blocks {
		term, meaning, defines := strings.Cut(block, "\n: ")
		if i > 0 && (!defines || column == 0) && !strings.HasPrefix(blocks[i-1], "#") {
			out.WriteString("\n")
		}
		switch {
		case strings.HasPrefix(block, "#"):
			column = 0
			title, line := strings.TrimLeft(words(block), "# "), "-"
			if i == 0 {
				line = "="
			}
			out.WriteString(title + "\n" + strings.Repeat(line, cells.Width(title)) + "\n")
		case strings.HasPrefix(block, "    "):
			column = 0
			out.WriteString(block + "\n")
		case defines:
			if column == 0 {
				column = termsWidth(blocks[i:])
			}
			definition(&out, words(term), words(meaning), column, width)
		case strings.HasPrefix(block, "- "):
			column = 0
			for item := range strings.SplitSeq(strings.TrimPrefix(block, "- "), "\n- ") {
				lines(&out, "  - ", "    ", words(item), width)
			}
		default:
			column = 0
			lines(&out, "", "", words(block), width)
		}
	}
	return out.String()
}

// termsWidth is the column that the definitions of the list at the beginning of blocks stand in.
func termsWidth(blocks []string) int {
	widest := 0
	for _, block := range blocks {
		term, _, defines := strings.Cut(block, "\n: ")
		if !defines {
			break
		}
		if w := cells.Width(words(term)); w <= maxTerm {
			widest = max(widest, w)
		}
	}
	return widest + 4
}

func definition(out *strings.Builder, term, meaning string, column, width int) {
	indent := strings.Repeat(" ", column)
	if gap := column - 2 - cells.Width(term); gap >= 2 {
		lines(out, "  "+term+strings.Repeat(" ", gap), indent, meaning, width)
		return
	}
	out.WriteString("  " + term + "\n")
	lines(out, indent, indent, meaning, width)
}

// lines writes text in lines, the first after one indent and the others after another of the same width.
func lines(out *strings.Builder, first, indent, text string, width int) {
	for _, line := range cells.Wrap(text, "", width-cells.Width(indent)) {
		out.WriteString(first + line + "\n")
		first = indent
	}
}

// words is a block on one line without its marks.
func words(block string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(block, "`", "")), " ")
}
