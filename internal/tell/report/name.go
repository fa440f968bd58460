package report

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/hubbench/hubbench/internal/tell/cells"
)

// longest is how many columns of a terminal a label takes at most.
const longest = 22

// newKeys gives names their labels: cut in the middle where they are long, for their ends are what tells "Samsung T7
// Shield 2TB" from "... 4TB"; cut around where they differ where that makes two of them alike; else numbered.
func newKeys(names []string) []Key {
	keys := make([]Key, len(names))
	alike := map[string][]string{} // names by what cutting in the middle makes of them
	for _, name := range names {
		label := shorten(name, longest)
		alike[label] = append(alike[label], name)
	}
	var taken []string
	for i, name := range names {
		label := shorten(name, longest)
		if group := alike[label]; len(group) > 1 {
			label = around(name, group)
		}
		for n := 2; slices.Contains(taken, label); n++ {
			label = shorten(name, longest-4) + fmt.Sprintf(" (%d)", n)
		}
		taken = append(taken, label)
		keys[i] = Key{Name: name, Label: label, Index: i}
	}
	return keys
}

// around shortens a name to its beginning and the words in which it differs from the others of a group.
func around(name string, group []string) string {
	runes := []rune(Clean(name))
	prefix, suffix := len(runes), len(runes)
	for _, other := range group {
		o := []rune(Clean(other))
		if other == name {
			continue
		}
		n := 0
		for n < min(prefix, len(o)) && runes[n] == o[n] {
			n++
		}
		prefix = n
		for n = 0; n < min(suffix, len(o)) && runes[len(runes)-1-n] == o[len(o)-1-n]; n++ {
		}
		suffix = n
	}
	from, to := min(prefix, len(runes)), max(prefix, len(runes)-suffix)
	for from > 0 && runes[from-1] != ' ' {
		from--
	}
	for to < len(runes) && runes[to] != ' ' {
		to++
	}
	words := string(runes[from:to])
	if to < len(runes) {
		words += "…"
	}
	room := longest - cells.Width(words)
	if from == 0 || room < 4 {
		return shorten(name, longest)
	}
	return cells.Cut(string(runes[:from]), room) + words
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
