package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/width"
)

// longest is how many columns of a terminal a label takes at most.
const longest = 22

// newKeys gives names their labels: cut in the middle where they are long, for their ends are what tells "Samsung T7
// Shield 2TB" from "... 4TB"; numbered where cutting made two of them alike.
func newKeys(names []string) []Key {
	keys := make([]Key, len(names))
	var taken []string
	for i, name := range names {
		label := Cut(Clean(name), longest)
		for n := 2; slices.Contains(taken, label); n++ {
			label = Cut(Clean(name), longest-4) + fmt.Sprintf(" (%d)", n)
		}
		taken = append(taken, label)
		keys[i] = Key{Name: name, Label: label, Index: i}
	}
	return keys
}

// Columns is how many cells of a terminal the text takes: two for wide East Asian letters and emoji, none for marks
// that combine with the letter before.
func Columns(text string) int {
	n, joined := 0, false
	for _, r := range text {
		switch {
		case r == '\uFE0F': // the sign before is shown as an emoji
			n++
		case !joined:
			n += cells(r)
		}
		joined = r == '\u200D'
	}
	return n
}

func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1F3FB && r <= 0x1F3FF: // a tone of the emoji before
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

// Cut shortens text to a number of columns, with an ellipsis in its middle.
func Cut(text string, limit int) string {
	if Columns(text) <= limit {
		return text
	}
	letters := []rune(text)
	head, tail := 0, len(letters)
	for used, front := 1, true; head < tail; front = !front {
		next := letters[pick(front, head, tail-1)]
		if used += cells(next); used > limit {
			break
		}
		if front {
			head++
		} else {
			tail--
		}
	}
	for head < tail && cells(letters[head]) == 0 { // marks stay with their letters
		head++
	}
	for tail < len(letters) && cells(letters[tail]) == 0 {
		tail++
	}
	return strings.TrimRight(string(letters[:head]), " ") + "…" + strings.TrimLeft(string(letters[tail:]), " ")
}

// Clip shortens text to a number of columns at its end.
func Clip(text string, limit int) string {
	if Columns(text) <= limit {
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

// Clean replaces what would move a cursor, colour a screen or turn a line around.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			return '·'
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "·"))
}

// RightToLeft reports whether the text has letters that are written from the right.
func RightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.R || p.Class() == bidi.AL
	})
}

// join writes names as people do: "A, B and C".
func join(names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
