// Package ink is what a terminal's text looks like: a colour and a shape for each disk, bold
// and dim text, bars, and the ASCII that replaces them where the locale has no more. It lays
// nothing out (see cells): colour a text after it has got its width, since escape sequences
// would be counted as cells. Start at For.
package ink

import (
	"cmp"
	"io"
	"math"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// Ink is what can be shown. The zero Ink has no colours and all characters, as a file has.
type Ink struct {
	Colours int  // 256, 16 or none
	ASCII   bool // nothing else is readable
	Redraws bool // it is a terminal whose lines can be drawn over
}

// For returns what can be shown on w, by the environment: colours if it is a terminal that has
// some and NO_COLOR is not set, and ASCII alone if it is a file or terminal and the locale is
// not UTF-8. No locale at all means ASCII on a terminal.
func For(w io.Writer, getenv func(name string) string) Ink {
	file, ok := w.(*os.File)
	if !ok {
		return Ink{}
	}
	k := inkOf(term.IsTerminal(int(file.Fd())), runtime.GOOS, getenv)
	if k.Redraws && !obeys(file) {
		k.Redraws = false
		k.Colours = 0
	}
	return k
}

func inkOf(terminal bool, system string, getenv func(string) string) (k Ink) {
	kind := getenv("TERM")
	k.Redraws = terminal && kind != "dumb" && (kind != "" || system == "windows")
	switch {
	case !k.Redraws || getenv("NO_COLOR") != "":
	case system == "windows" || getenv("COLORTERM") != "" || strings.Contains(kind, "256color"):
		k.Colours = 256
	default:
		k.Colours = 16
	}
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	utf8 := strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
	k.ASCII = !utf8 && system != "windows" && (terminal || locale != "")
	return k
}

// Glyph returns a disk's shape. The disk is given by its index in the run.
func (k Ink) Glyph(disk int) string {
	glyphs := [...]string{"●", "▲", "◆", "■", "▼", "⬟"}
	return k.Text(glyphs[disk%len(glyphs)])
}

// Disk returns the text in a disk's colour.
func (k Ink) Disk(disk int, text string) string {
	codes := [...]string{"34", "33", "32", "35", "36", "94"}
	if k.Colours == 256 {
		codes = [...]string{"38;5;33", "38;5;208", "38;5;36", "38;5;169", "38;5;178", "38;5;75"}
	}
	return k.code(codes[disk%len(codes)], text)
}

// Bold returns the text in bold letters.
func (k Ink) Bold(text string) string { return k.code("1", text) }

// Dim returns the text in faint letters.
func (k Ink) Dim(text string) string { return k.code("2", text) }

// Red returns the text in the colour of what is lost, or beyond a limit.
func (k Ink) Red(text string) string { return k.code("31", text) }

// Green returns the text in the colour of what to do, and of what is well.
func (k Ink) Green(text string) string { return k.code("32", text) }

// Yellow returns the text in the colour of warnings.
func (k Ink) Yellow(text string) string { return k.code("33", text) }

func (k Ink) code(code, text string) string {
	if k.Colours == 0 || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bar returns a bar of that many cells. An eighth block ends it; in ASCII it is rounded to
// whole cells.
func (k Ink) Bar(cells float64) string {
	if k.ASCII {
		return strings.Repeat("#", int(math.Round(cells)))
	}
	const eighths = 8
	n := int(cells * eighths)
	bar := strings.Repeat("█", n/eighths)
	if part := n % eighths; part > 0 {
		bar += string('█' + rune(eighths-part))
	}
	return bar
}

// Column returns one cell of a sparkline: how high a share of its full height it stands. Zero
// is empty.
func (k Ink) Column(share float64) string {
	const full = 8
	if !(share > 0) {
		return " "
	}
	return k.Text(string('▁' + rune(min(full, math.Ceil(share*full))) - 1))
}

// Text returns the text with ASCII in place of the characters that hubbench draws with, if need
// be. An arrow and ± take two cells then.
func (k Ink) Text(text string) string {
	if !k.ASCII {
		return text
	}
	return strings.NewReplacer(
		"●", "o", "▲", "^", "◆", "+", "■", "#", "▼", "v", "⬟", "*",
		"▁", "_", "▂", ".", "▃", ":", "▄", "-", "▅", "=", "▆", "+", "▇", "*", "█", "#",
		"░", ".", "━", "=", "│", "|", "▕", "[", "▏", "]",
		"→", "->", "±", "+-", "×", "x", "✓", "*", "✗", "x", "–", "-", "−", "-", "…", "~", "·", ".",
		"µ", "u",
		"\u00a0", " ",
	).Replace(text)
}
