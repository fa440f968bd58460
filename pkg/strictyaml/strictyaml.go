// Package strictyaml reads small YAML files that people write: every mistake is one line that names the
// file, line and column and says what to try. It is a thin layer over goccy/go-yaml's syntax tree; it is
// no general YAML decoder, as it refuses what such files do not need (anchors, aliases, tags, merge
// keys, complex keys, several documents, a null value) and anything that would take long to read.
//
// Start at Parse, and at Object, a table that is the file's JSON Schema as well:
//
//	doc, err := strictyaml.Parse("hub.yaml", data)
//	if err != nil {
//		return err
//	}
//	strictyaml.Object{Keys: []strictyaml.Key{ // any other key is unknown
//		strictyaml.Required("name", strictyaml.String(&hub.Name), "what it is called"),
//		strictyaml.Optional("read", strictyaml.Rate(&hub.Read, 1, 1e12), "what it carries"),
//	}}.Value().Read(doc.Root())
//	return doc.Err()
//
// A Value leaves its target alone when the key is absent, and reports to the document when it is wrong,
// so a whole file is read without a branch. Doc.Err returns all the mistakes in it.
//
// Stability: any version may change it.
package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a place in a file. Lines and columns count from 1, columns in characters.
type Pos struct {
	File         string
	Line, Column int
}

// Errorf makes an error of the place: what is wrong, then "; ", then what to try.
func (p Pos) Errorf(format string, args ...any) *Error {
	return &Error{Pos: p, Msg: fmt.Sprintf(format, args...)}
}

// String is file:line:column.
func (p Pos) String() string {
	return fmt.Sprintf("%s:%d:%d", printable(p.File), p.Line, p.Column)
}

// Error is a mistake in a file, at its place.
type Error struct {
	Pos
	Msg string

	in      Pos    // of a key, absent or unknown: the mapping that should have it
	missing string // the absent key
	meant   string // the key that an unknown one most likely stands for
}

// Error is the mistake on one line: file:line:column: what; what to try.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are several mistakes of one file, in the order of its lines.
type Errors []*Error

// Error is the first mistake, on one line, and how many more there are.
func (e Errors) Error() string {
	if len(e) == 0 {
		return "no mistakes"
	}
	return fmt.Sprintf("%s (and %d more)", e[0], len(e)-1)
}

// Unwrap returns each mistake.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i := range e {
		all[i] = e[i]
	}
	return all
}

// Doc is a parsed file, and the mistakes found in it so far.
type Doc struct {
	root     Node
	mistakes Errors
	known    map[place]bool // the mistakes' places
}

// place identifies a mistake: by where it is, and by what is missing there.
type place struct {
	Pos
	missing string
}

// Root is the document's only value.
func (d *Doc) Root() Node { return d.root }

// Report records a mistake. Of several at one place the first counts: the others mostly follow from it. Keys that are
// absent have no place of their own, and all count.
func (d *Doc) Report(err *Error) {
	at := place{err.Pos, err.missing}
	if d.known[at] {
		return
	}
	if d.known == nil {
		d.known = map[place]bool{}
	}
	d.known[at] = true
	d.mistakes = append(d.mistakes, err)
}

// Err is nil if there is no mistake, an *Error if there is one, and otherwise Errors. An absent key is no mistake
// of its own if an unknown one stands in its place, misspelt.
func (d *Doc) Err() error {
	misspelt := map[place]bool{}
	for _, e := range d.mistakes {
		if e.meant != "" {
			misspelt[place{e.in, e.meant}] = true
		}
	}
	all := slices.DeleteFunc(slices.Clone(d.mistakes), func(e *Error) bool { return misspelt[place{e.in, e.missing}] })
	slices.SortStableFunc(all, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		return all
	}
}

// maxQuoted is the maximum number of characters of a value that an error repeats.
const maxQuoted = 40

// Quote shows a piece of a file inside an error: in quotes, on one line, cut if it is long.
func Quote(text string) string {
	if utf8.RuneCountInString(text) > maxQuoted {
		text = string([]rune(text)[:maxQuoted]) + "..."
	}
	return strconv.Quote(text)
}

// printable is text as it stands, or quoted if it would garble a line.
func printable(text string) string {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// Choice writes out a choice: "none, fsync or full".
func Choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// minPrefix is how many letters of a word must stand for the beginning of another to mean it.
const minPrefix = 3

// Suggest is what to try in place of an unknown word: the nearest of the known ones, or else all of them.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return printable(near)
	}
	shown := slices.Clone(known)
	for i := range shown {
		shown[i] = printable(shown[i])
	}
	return Choice(shown)
}

// Nearest is the known word that an unknown one most likely stands for: the one it is the beginning of, or one that
// differs from it by a typing error. It is empty if there is none.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, smallest, begun := "", 0, 0
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); best == "" || d < smallest {
			best, smallest = k, d
		}
	}
	// A third of the letters wrong is still a typing error; more is another word.
	if letters := len([]rune(best)); smallest <= max(1, letters/3) && smallest < letters {
		return best
	}
	for _, k := range known {
		if len([]rune(word)) >= minPrefix && strings.HasPrefix(strings.ToLower(k), word) {
			best, begun = k, begun+1
		}
	}
	if begun == 1 {
		return best
	}
	return ""
}

// distance is the number of letters to add, drop, change or swap with their neighbour to make b of a
// (optimal string alignment). Words beyond 64 letters are as far apart as they are long.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	var before []int // the row above prev
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(y)]
}
