package strictyaml

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Node is one value of the document: a text, number, list or mapping. A Value reads it.
type Node struct {
	doc   *Doc
	ast   ast.Node
	pos   Pos
	label string // what errors call it: its key, with those around it
	path  string // what its own values' labels begin with
}

// Kind says what a node is.
type Kind string

// The kinds of node, in the words of error messages. Date-like and other odd scalars are Text.
const (
	Text    Kind = "text"
	Number  Kind = "a number"
	Boolean Kind = "true or false"
	Null    Kind = "empty"
	List    Kind = "a list"
	Map     Kind = "a mapping"
)

// Kind says what the node is.
func (n Node) Kind() Kind {
	switch n.ast.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return Number
	case *ast.BoolNode:
		return Boolean
	case *ast.NullNode:
		return Null
	case *ast.SequenceNode:
		return List
	case ast.MapNode:
		return Map
	}
	return Text
}

// Pos returns where the value begins.
func (n Node) Pos() Pos { return n.pos }

// Label returns what errors call the value: its key, with those around it.
func (n Node) Label() string { return n.label }

// Errorf reports a mistake at the value.
func (n Node) Errorf(format string, args ...any) { n.doc.Report(n.pos.Errorf(format, args...)) }

func (n Node) wrong(want, try string) {
	if n.Kind() == Null {
		n.Errorf("%s has no value; write one, or delete the key", n.label)
		return
	}
	n.Errorf("%s is %s, not %s; try %s", n.label, n.given(), want, try)
}

func (n Node) outside(try string) { n.Errorf("%s is %s; try %s", n.label, n.given(), try) }

// given returns the value as an error repeats it.
func (n Node) given() string {
	switch kind := n.Kind(); kind {
	case List, Map:
		return string(kind)
	case Text:
		return Quote(n.Raw())
	default:
		return n.ast.GetToken().Value
	}
}

// Raw returns the text of a value other than a list or mapping, whatever its kind; empty for those.
func (n Node) Raw() string {
	if l, ok := n.ast.(*ast.LiteralNode); ok {
		return l.Value.Value
	}
	if kind := n.Kind(); kind == List || kind == Map {
		return ""
	}
	return n.ast.GetToken().Value
}

// Plain reports whether the value stands there without quotes.
func (n Node) Plain() bool {
	_, literal := n.ast.(*ast.LiteralNode)
	t := n.ast.GetToken().Type
	return !literal && t != token.SingleQuoteType && t != token.DoubleQuoteType
}

// Escaped returns what stands between a text's double quotes in the file, where a \ in it begins an
// escape. It is empty for any other value.
func (n Node) Escaped() string {
	t := n.ast.GetToken()
	source := strings.Trim(strings.TrimSpace(t.Origin), `"`)
	unpaired := strings.Contains(strings.ReplaceAll(source, `\\`, ""), `\`)
	if t.Type != token.DoubleQuoteType || !unpaired {
		return ""
	}
	return source
}

// Text reads a text. A number, true or false must be in quotes to be one.
func (n Node) Text() (string, bool) {
	switch text := n.Raw(); n.Kind() {
	case Text:
		if utf8.ValidString(text) {
			return text, true
		}
		n.Errorf("%s contains an escape sequence that is not a character; write the character "+
			"itself", n.label)
	case Number, Boolean:
		n.wrong("text", fmt.Sprintf("%q, in quotes", text))
	default:
		n.wrong("text", "one word or a text in quotes")
	}
	return "", false
}

// Items reads a list.
func (n Node) Items() []Node {
	list, ok := n.ast.(*ast.SequenceNode)
	if !ok {
		n.wrong("a list", "one \"- ...\" line for each item, or [..., ...]")
		return nil
	}
	items := make([]Node, len(list.Values))
	for i, v := range list.Values {
		label := fmt.Sprintf("item %d of %s", i+1, n.label)
		items[i] = Node{doc: n.doc, ast: v, pos: posOf(n.pos.File, v), label: label}
	}
	return items
}

// Find returns the value at a path of keys and indices of items, or else the nearest around it.
func (n Node) Find(path ...any) Node {
	for _, step := range path {
		switch step := step.(type) {
		case int:
			n = n.Items()[step]
		case string:
			value, ok := n.Mapping().Get(step)
			if !ok {
				return n
			}
			n = value
		}
	}
	return n
}

// Mapping is a node's keys and values.
type Mapping struct {
	doc   *Doc
	pos   Pos
	path  string // path of its values' labels; empty at the top and in lists
	pairs []Pair
	none  bool // there is no mapping: what it lacks has been reported, or may be absent
}

// Pair is one key: value of a mapping.
type Pair struct {
	Key    string
	KeyPos Pos
	Value  Node
	Not    []string // the rules that refuse the key, if it is a field's
}

// Errorf reports a mistake at the key.
func (p Pair) Errorf(format string, args ...any) {
	p.Value.doc.Report(p.KeyPos.Errorf(format, args...))
}

// Mapping reads a mapping; one without any key if the node is none, having said so.
func (n Node) Mapping() *Mapping {
	m := &Mapping{doc: n.doc, pos: n.pos, path: n.path}
	node, ok := n.ast.(ast.MapNode)
	if !ok {
		n.wrong("a mapping", "lines of key: value, or {key: value, ...}")
		m.none = true
		return m
	}
	first := map[string]Pos{}
	for it := node.MapRange(); it.Next(); {
		t := it.Key().GetToken()
		at := tokenPos(n.pos.File, t)
		if before, again := first[t.Value]; again {
			n.doc.Report(at.Errorf("key %s is already on line %d; delete one of the two",
				Quote(t.Value), before.Line))
			continue
		}
		first[t.Value] = at
		label := printable(t.Value) // errors name a value by its keys: "hub.speedup"
		if m.path != "" {
			label = m.path + "." + label
		}
		value := Node{doc: n.doc, ast: it.Value(), pos: posOf(at.File, it.Value()), label: label,
			path: label}
		m.pairs = append(m.pairs, Pair{Key: t.Value, KeyPos: at, Value: value})
	}
	return m
}

// Pos returns where the mapping begins.
func (m *Mapping) Pos() Pos { return m.pos }

// Path returns the mapping's keys, as errors name a value: "hub.speedup".
func (m *Mapping) Path() string { return m.path }

// Errorf reports a mistake at the mapping's beginning, if there is a mapping.
func (m *Mapping) Errorf(format string, args ...any) { m.Missing("", format, args...) }

// Missing reports that a key is absent from the mapping, if there is a mapping.
func (m *Mapping) Missing(key, format string, args ...any) {
	if m.none {
		return
	}
	err := m.pos.Errorf(format, args...)
	if key != "" {
		err.in = m.pos
		err.missing = key
	}
	m.doc.Report(err)
}

// Get returns the value of a key. A nil Mapping, which is one that the file does not have, has
// none.
func (m *Mapping) Get(key string) (Node, bool) {
	if p := m.pair(key); p != nil {
		return p.Value, true
	}
	return Node{}, false
}

// pair returns a key with its value; nil if it is absent.
func (m *Mapping) pair(key string) *Pair {
	for i := range m.Pairs() {
		if p := &m.pairs[i]; p.Key == key {
			return p
		}
	}
	return nil
}

// Has reports whether a key is there.
func (m *Mapping) Has(key string) bool {
	_, ok := m.Get(key)
	return ok
}

// PosOf returns where a key's value begins; where the mapping does, if the key is absent.
func (m *Mapping) PosOf(key string) Pos {
	if n, ok := m.Get(key); ok {
		return n.pos
	}
	return m.pos
}

// Pairs returns everything in a mapping.
func (m *Mapping) Pairs() []Pair {
	if m == nil {
		return nil
	}
	return m.pairs
}

// refuseOthers reports every key that is not among those known.
func (m *Mapping) refuseOthers(known []string) {
	for _, p := range m.pairs {
		if slices.Contains(known, p.Key) {
			continue
		}
		err := p.KeyPos.Errorf("unknown key %s; try %s", Quote(p.Key), Suggest(p.Key, known))
		err.in = m.pos
		err.meant = Nearest(p.Key, known)
		if key, value, colon := strings.Cut(p.Key, ":"); colon && slices.Contains(known, key) {
			err.Msg = fmt.Sprintf("%s lacks a space after its colon; write %s: %s", Quote(p.Key),
				key, printable(value))
			err.meant = key
		}
		m.doc.Report(err)
	}
}
