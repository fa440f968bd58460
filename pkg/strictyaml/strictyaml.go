// Package strictyaml reads small YAML files that people write: every mistake is one line that names
// the file, line and column and says what to try. It is a thin layer over goccy/go-yaml's syntax
// tree; it is no general YAML decoder, as it refuses what such files do not need (anchors, aliases,
// tags, merge keys, complex keys, several documents, a null value) and anything that would take
// long to read.
//
// Start at Parse and at Of, which makes the reader of a type and its JSON Schema:
//
//	var hub struct {
//		Name string  `yaml:"name,required" doc:"what it is called"`
//		Read float64 `yaml:"read" is:"1 B/s to 1 TB/s" doc:"what it carries"`
//	}
//	doc, err := strictyaml.Parse("hub.yaml", data)
//	if err != nil {
//		return err
//	}
//	strictyaml.Of(&hub).Read(doc.Root()) // any other key is unknown
//	return doc.Err()
//
// A Value leaves its target alone when the key is absent, and reports to the document when it is
// wrong, so a whole file is read without a branch. Doc.Err returns all the mistakes in it.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
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

	in      Pos    // for an absent or unknown key: the mapping that should have it
	missing string // the absent key
	meant   string // the key that an unknown one most likely stands for
}

// Error returns the mistake on one line: file:line:column: what; what to try.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Errors are several mistakes of one file, in the order of its lines.
type Errors []*Error

// Error returns the first mistake, on one line, and how many more there are.
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
}

// Root returns the document's only value.
func (d *Doc) Root() Node { return d.root }

// Report records a mistake.
func (d *Doc) Report(err *Error) { d.mistakes = append(d.mistakes, err) }

// Err is nil if there is no mistake, an *Error if there is one, and otherwise Errors. Of several at
// one place the first counts: the others mostly follow from it. Keys that are absent have no place
// of their own, and all count, unless an unknown one stands in their place, misspelt.
func (d *Doc) Err() error {
	type place struct {
		Pos
		missing string
	}
	seen := map[place]bool{}
	for _, e := range d.mistakes {
		if e.meant != "" {
			seen[place{e.in, e.meant}] = true
		}
	}
	var all Errors
	for _, e := range d.mistakes {
		at := place{e.Pos, e.missing}
		if !seen[at] {
			all = append(all, e)
		}
		seen[at] = true
	}
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

// printable returns text as it stands, or quoted if it would garble a line.
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

// Suggest returns what to try in place of an unknown word: the nearest of the known ones, or else
// all of them.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return printable(near)
	}
	return printable(Choice(known))
}

// Nearest returns the known word that an unknown one most likely stands for: the one it is the
// beginning of, or one that differs from it by a typing error. It is empty if there is none.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best := ""
	smallest := 0
	begun := 0
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); best == "" || d < smallest {
			best = k
			smallest = d
		}
	}
	// A third of the letters wrong is still a typing error; more is another word.
	if letters := len([]rune(best)); smallest <= max(1, letters/3) && smallest < letters {
		return best
	}
	for _, k := range known {
		if len([]rune(word)) >= minPrefix && strings.HasPrefix(strings.ToLower(k), word) {
			best = k
			begun++
		}
	}
	if begun == 1 {
		return best
	}
	return ""
}

// distance returns the number of letters to add, drop, change or swap with their neighbour to make
// b of a (optimal string alignment). Words beyond 64 letters are as far apart as they are long.
func distance(a, b string) int {
	x := []rune(a)
	y := []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	edits := make([][]int, len(x)+1) // from the first i letters of a to the first j of b
	for i := range edits {
		edits[i] = make([]int, len(y)+1)
		for j := range edits[i] {
			if i == 0 || j == 0 {
				edits[i][j] = i + j
				continue
			}
			changed := edits[i-1][j-1]
			if x[i-1] != y[j-1] {
				changed++
			}
			edits[i][j] = min(changed, edits[i-1][j]+1, edits[i][j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				edits[i][j] = min(edits[i][j], edits[i-2][j-2]+1)
			}
		}
	}
	return edits[len(x)][len(y)]
}

// MaxBytes is the largest file Parse takes. A caller that reads files need read no more than one
// byte beyond it.
const MaxBytes = 1 << 20

// Limits that keep the parser fast and its recursion shallow. Under them the worst input found
// takes half a second.
const (
	maxTokens = 50_000
	maxDepth  = 32  // maximum nesting of brackets and braces
	maxIndent = 100 // columns, of which each list and mapping in another takes one at least
)

// Parse reads one YAML document. file is only a name for errors.
func Parse(file string, data []byte) (*Doc, error) {
	start := Pos{File: file, Line: 1, Column: 1}
	if len(data) > MaxBytes {
		return nil, start.Errorf("the file is over 1 MiB; try the right file, or fewer values")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkText(start, data); err != nil {
		return nil, err
	}
	body, err := parse(start, string(data))
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, start.Errorf("the file is empty; write its keys, one key: value to a line")
	}
	doc := &Doc{}
	doc.root = Node{doc: doc, ast: body, pos: posOf(file, body), label: "the file"}
	return doc, nil
}

// checkText refuses what is not text: bytes that are not UTF-8, and control characters.
func checkText(at Pos, data []byte) *Error {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return at.Errorf("byte 0x%02x is not UTF-8 text; save the file as UTF-8", data[i])
		case r == '\n':
			at.Line++
			at.Column = 0
		case r == '\t' || r == '\r':
		case unicode.IsControl(r) || r == '\ufeff':
			return at.Errorf("control character %U; delete it", r)
		}
		at.Column++
		i += size
	}
	return nil
}

func parse(start Pos, text string) (body ast.Node, err error) {
	// The scanner and parser are a third party's: whatever they trip over is a broken file, not a
	// crash.
	defer func() {
		if r := recover(); r != nil {
			body = nil
			err = start.Errorf("not YAML that can be read; check its brackets, quotes and " +
				"indentation")
		}
	}()
	tokens := lexer.Tokenize(text)
	if err := checkTokens(start.File, tokens); err != nil {
		return nil, err
	}
	// Mapping refuses duplicates, in its own words.
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		if at, ok := errors.AsType[yaml.Error](err); ok {
			return nil, syntaxError(tokenPos(start.File, at.GetToken()), at.GetMessage())
		}
		return nil, syntaxError(start, err.Error())
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			return doc.Body, nil
		}
	}
	return nil, nil
}

// checkTokens refuses, before any tree is built, the syntax that files here do not need, and
// nesting so deep that the parser would exhaust its stack.
func checkTokens(file string, tokens token.Tokens) *Error {
	flow := 0 // brackets and braces open
	content := false
	for i, t := range tokens {
		at := tokenPos(file, t)
		if i >= maxTokens {
			return at.Errorf("more than %d values and punctuation marks; shorten the lists",
				maxTokens)
		}
		if err := checkToken(at, t, content); err != nil {
			return err
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		}
		indent := 0
		switch {
		case flow > 0:
		case t.Type == token.SequenceEntryType:
			indent = at.Column
		case t.Type == token.MappingValueType && i > 0:
			indent = tokenPos(file, tokens[i-1]).Column // the key's
		}
		if flow > maxDepth || indent > maxIndent {
			return at.Errorf("nested too deep; check the brackets and indentation")
		}
		if t.Type != token.DocumentHeaderType && t.Type != token.CommentType {
			content = true
		}
	}
	return nil
}

// checkToken refuses a single token. content says that some came before it.
func checkToken(at Pos, t *token.Token, content bool) *Error {
	switch t.Type {
	case token.InvalidType:
		return syntaxError(at, t.Error)
	case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType, token.MappingKeyType,
		token.DirectiveType:
		return at.Errorf("%s is YAML syntax that is not supported here; write plain keys and "+
			"values, or put the text in quotes",
			Quote(t.Value))
	case token.DocumentHeaderType:
		if content {
			return at.Errorf("a second document starts here; keep one document per file")
		}
	}
	return nil
}

// syntaxError puts the parser's complaint on one line and says what to try.
func syntaxError(at Pos, message string) *Error {
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "?")), " ")
	switch {
	case strings.Contains(message, "that cannot start any token"):
		return at.Errorf("a tab indents this line; indent with spaces")
	case strings.Contains(message, "reserved character"):
		return at.Errorf("%s in YAML; put the value in quotes", message)
	case strings.Contains(message, "mapping value is not allowed"):
		return at.Errorf("a key: value is not allowed here; check the indentation, or put a " +
			"text with a colon in quotes")
	case strings.Contains(message, "escape") || strings.Contains(message, "surrogate"):
		return at.Errorf(`in double quotes \ starts an escape sequence, and this is not one; ` +
			`put the text in single quotes, such as 'D:\data'`)
	case strings.Contains(message, "end character of double-quoted"):
		return at.Errorf("the quote opened here is never closed; " +
			"close it, or use single quotes if there is a \\ in it")
	case strings.Contains(message, "could not find end character"):
		return at.Errorf("the quote opened here is never closed; close it")
	}
	return at.Errorf("not valid YAML (%s); check the indentation, brackets and quotes here",
		printable(message))
}

func posOf(file string, n ast.Node) Pos {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		// A block mapping's own token is its first colon.
		return tokenPos(file, m.Values[0].Key.GetToken())
	}
	return tokenPos(file, n.GetToken())
}

// tokenPos returns where a token stands, within the file even if the scanner lost count.
func tokenPos(file string, t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: file, Line: 1, Column: 1}
	}
	return Pos{File: file, Line: max(t.Position.Line, 1), Column: max(t.Position.Column, 1)}
}
