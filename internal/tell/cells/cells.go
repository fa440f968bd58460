// Package cells measures, cuts and wraps text by the cells of a terminal that it takes: two for a
// wide East Asian letter or an emoji, none for a mark that combines with the letter before. It
// draws nothing. Start at Width.
package cells

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = "…"

// Width is how many cells the text takes.
func Width(text string) int {
	n := 0
	joined := false
	for _, r := range text {
		switch {
		case r == '\uFE0F': // the sign before it is shown as an emoji
			n++
		case !joined: // what is joined to an emoji is shown in its place
			n += cellsOf(r)
		}
		joined = r == '\u200D'
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1F3FB && r <= 0x1F3FF: // a tone of the emoji before
		return 0
	case r >= 0x1F300 && r <= 0x1FAFF: // emoji: all are wide on screens, whatever Unicode says
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// Cut shortens text to so many cells at most, with an ellipsis at its end where something was cut.
func Cut(text string, limit int) string {
	if Width(text) <= limit {
		return text
	}
	if limit < 1 {
		return ""
	}
	return head(text, limit-1) + ellipsis
}

// CutMiddle shortens text to so many cells at most, in the middle: names of disks mostly differ at
// their ends.
func CutMiddle(text string, limit int) string {
	if Width(text) <= limit {
		return text
	}
	if limit < 3 {
		return Cut(text, limit)
	}
	front := head(text, (limit-1)/2)
	letters := []rune(text[len(front):])
	from, room := len(letters), limit-1-Width(front)
	for i := len(letters) - 1; i >= 0 && cellsOf(letters[i]) <= room; i-- {
		room -= cellsOf(letters[i])
		if cellsOf(letters[i]) > 0 { // a mark alone would combine with the ellipsis
			from = i
		}
	}
	return front + ellipsis + string(letters[from:])
}

func head(text string, limit int) string {
	n := 0
	for i, r := range text {
		if n += cellsOf(r); n > limit {
			return text[:i]
		}
	}
	return text
}

// Pad fills text up with spaces to so many cells, on the right, or on the left where the width is
// negative.
func Pad(text string, to int) string {
	fill := strings.Repeat(" ", max(0, max(to, -to)-Width(text)))
	if to < 0 {
		return fill + text
	}
	return text + fill
}

// IsControl reports whether a character does something to a line instead of standing in it: it
// moves the cursor, ends the line or turns its direction.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
		r == '\u2029'
}

// Clean replaces what would move the cursor, colour the screen or turn the line around.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case IsControl(r):
			return '·'
		default:
			return r
		}
	}, text)
}

// NoFormula returns text as a spreadsheet, terminal or workflow may read it: cleaned, and with a
// quote before what would run as a formula or a command. Spreadsheets in East Asia take full-width
// signs for the others.
func NoFormula(text string) string {
	text = Clean(text)
	first, _ := utf8.DecodeRuneInString(text)
	if text != "" && strings.ContainsRune("=+-@＝＋－＠", first) || strings.HasPrefix(text, "::") {
		return "'" + text
	}
	return text
}

// NoCommand is a line that a workflow of GitHub does not take for one of its commands, which begin
// with "::".
func NoCommand(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		return strings.Replace(line, ":", "·", 1)
	}
	return line
}

// Markdown keeps text on one line and out of the way of markup. Most punctuation means nothing
// inside a line; what does is put behind a backslash, and < and & become entities, which hold in
// raw HTML too.
func Markdown(text string) string {
	text = strings.Map(func(r rune) rune {
		if IsControl(r) {
			return ' '
		}
		return r
	}, text)
	// A mention with @ would call somebody; a line that begins with :: is a command of GitHub's
	// workflows.
	pairs := []string{"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;", "::", `:\:`}
	for _, r := range "\\`*_[]|#~" {
		pairs = append(pairs, string(r), `\`+string(r))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Wrap breaks text into lines of so many cells at most, all but the first after an indent. A word
// that is longer than a line is cut. A number and its unit stay together.
func Wrap(text, indent string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range Words(text) {
		word = Cut(word, max(1, limit-Width(indent)))
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) > limit:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// longestUnit is "GB/s" and what may stand behind it, in bytes.
const longestUnit = 5

// Words splits a text where a line of it may end: a number and its unit stay together.
func Words(text string) []string {
	var out []string
	words := strings.Fields(text)
	for i, word := range words {
		if i > 0 && len(word) <= longestUnit && endsInDigit(words[i-1]) {
			out[len(out)-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}

func endsInDigit(word string) bool {
	last := word[len(word)-1]
	return '0' <= last && last <= '9'
}

// Shell writes a path so that it can be pasted into a command line.
func Shell(path string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != filepath.Separator &&
			!strings.ContainsRune("/_-.,:+@%", r)
	}
	switch {
	case path != "" && !strings.ContainsFunc(path, special):
		return path
	case runtime.GOOS == "windows":
		return `"` + path + `"`
	case strings.ContainsFunc(path, IsControl):
		// What a terminal gets is cleaned of these, and the command would name another path.
		var quoted strings.Builder
		for _, b := range []byte(path) {
			if b < ' ' || b >= 0x7f || b == '\'' || b == '\\' {
				fmt.Fprintf(&quoted, `\%03o`, b)
			} else {
				quoted.WriteByte(b)
			}
		}
		return "$'" + quoted.String() + "'"
	default:
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
}
