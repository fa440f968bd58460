package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columns is how many cells of a terminal the text takes: two for wide East Asian letters and emoji,
// none for marks that combine with the letter before.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += cells(r)
	}
	return n
}

func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1F300 && r <= 0x1FAFF: // emoji: some are neutral in Unicode's table, all are wide on screens
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// clip shortens text to a number of columns, with an ellipsis where something was cut.
func clip(text string, limit int) string {
	if columns(text) <= limit {
		return text
	}
	var out strings.Builder
	n := 0
	for _, r := range text {
		if n+cells(r) > limit-1 {
			break
		}
		n += cells(r)
		out.WriteRune(r)
	}
	return out.String() + "…"
}

// clean replaces what would move the cursor, colour the screen or turn the line around.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return '·'
		default:
			return r
		}
	}, text)
}
