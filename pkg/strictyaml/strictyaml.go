// Package strictyaml reads small YAML files that people write: every mistake is one line that names the
// file, line and column and says what to try. It is a thin layer over goccy/go-yaml's syntax tree; it is
// no general YAML decoder, as it refuses what such files do not need (anchors, aliases, tags, merge
// keys, complex keys, several documents, a null value) and anything that would take long to read.
//
// Start at Parse; then Doc.Root().Mapping(), the Mapping's readers, Mapping.Done, and Doc.Err:
//
//	doc, err := strictyaml.Parse("hub.yaml", data)
//	if err != nil {
//		return err
//	}
//	m := doc.Root().Mapping()
//	m.Text("name", &hub.Name)
//	m.Rate("read", &hub.Read, 1, 1e12)
//	m.Done() // any key not asked for by now is unknown
//	return doc.Err()
//
// Readers leave their target alone when the key is absent, and report to the document when its value
// is wrong, so a whole file is read without a branch. Doc.Err returns all the mistakes in it.
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

// compare is below zero if p comes earlier in the file than q, and zero at the same place.
func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
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
	slices.SortStableFunc(all, func(a, b *Error) int { return a.compare(b.Pos) })
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
