package report

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/hubbench/hubbench/internal/cells"
)

// longest is how many columns of a terminal a label takes at most.
const longest = 22

// newKeys gives names their labels: cut in the middle where they are long, for their ends are what tells "Samsung T7
// Shield 2TB" from "... 4TB"; numbered where cutting made two of them alike.
func newKeys(names []string) []Key {
	keys := make([]Key, len(names))
	var taken []string
	for i, name := range names {
		label := shorten(name, longest)
		for n := 2; slices.Contains(taken, label); n++ {
			label = shorten(name, longest-4) + fmt.Sprintf(" (%d)", n)
		}
		taken = append(taken, label)
		keys[i] = Key{Name: name, Label: label, Index: i}
	}
	return keys
}

// shorten cuts a name in its middle.
func shorten(name string, limit int) string { return cells.CutMiddle(Clean(name), limit) }

// Clean is a name as it can be shown: on one line, and without what would turn the line around.
func Clean(text string) string { return cells.Clean(strings.ToValidUTF8(text, "·")) }

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
