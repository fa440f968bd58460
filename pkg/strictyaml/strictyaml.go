// Package strictyaml reads small YAML files that people write: every mistake is one line that names the
// file, line and column and says what to try. It is a thin layer over goccy/go-yaml's syntax tree; it is
// no general YAML decoder, for it refuses what such files have no need of (anchors, aliases, tags, merge
// keys, complex keys, several documents, a null value) and whatever would take long to read.
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
// is wrong, so a whole file is read without a branch. Doc.Err returns the mistake that comes first in it.
package strictyaml

import (
	"fmt"
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

// before reports whether p comes earlier in the file than q.
func (p Pos) before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Error is a mistake in a file, at its place.
type Error struct {
	Pos
	Msg string

	missing bool // something is absent, not wrong
}

// Error is the mistake on one line: file:line:column: what; what to try.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Doc is a parsed file, and the first mistake found in it so far.
type Doc struct {
	root  Node
	first *Error
}

// Root is the document's only value.
func (d *Doc) Root() Node { return d.root }

// Report records a mistake. Of all reported, Err returns the one that comes first in the file; one
// about what is absent only if there is no other, for that other may be the absent key misspelt.
func (d *Doc) Report(err *Error) {
	switch {
	case d.first == nil:
	case err.missing != d.first.missing:
		if err.missing {
			return
		}
	case !err.before(d.first.Pos):
		return
	}
	d.first = err
}

// Err is the mistake that comes first in the file, or nil. Its type is *Error.
func (d *Doc) Err() error {
	if d.first == nil {
		return nil
	}
	return d.first
}

// maxQuoted is the most characters of a value that an error repeats.
const maxQuoted = 40

// Quote shows a piece of a file inside an error: in quotes, on one line, cut where it is long.
func Quote(text string) string {
	if utf8.RuneCountInString(text) > maxQuoted {
		text = string([]rune(text)[:maxQuoted]) + "..."
	}
	return strconv.Quote(text)
}

// printable is text as it stands, or quoted where it would garble a line.
func printable(text string) string {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// Choice writes a choice out: "none, fsync or full".
func Choice(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
