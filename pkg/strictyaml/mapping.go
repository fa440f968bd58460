package strictyaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Mapping is a node's keys and values. A reader leaves its target alone when the key is absent.
type Mapping struct {
	doc   *Doc
	pos   Pos
	path  string // of its values' labels; empty at the top and in lists
	pairs []Pair
	asked []string // the keys the file may have
	none  bool     // there is no mapping: what it lacks has been reported, or may be absent
}

// Pair is one key: value of a mapping.
type Pair struct {
	Key    string
	KeyPos Pos
	Value  Node
}

// child makes a value's node, whose errors name it by its keys: "hub.speedup".
func (m *Mapping) child(key string, value ast.Node) Node {
	label := printable(key)
	if m.path != "" {
		label = m.path + "." + label
	}
	return Node{doc: m.doc, ast: value, pos: posOf(m.pos.File, value), label: label, path: label}
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
		pair := Pair{Key: t.Value, KeyPos: tokenPos(n.pos.File, t)}
		pair.Value = m.child(pair.Key, it.Value())
		if at, again := first[pair.Key]; again {
			n.doc.Report(pair.KeyPos.Errorf("key %s is already on line %d; delete one of the two", Quote(pair.Key), at.Line))
			continue
		}
		first[pair.Key] = pair.KeyPos
		m.pairs = append(m.pairs, pair)
	}
	return m
}

// Pos is where the mapping begins.
func (m *Mapping) Pos() Pos { return m.pos }

// Errorf reports a mistake at the mapping's beginning, if there is a mapping.
func (m *Mapping) Errorf(format string, args ...any) {
	if m.none {
		return
	}
	m.doc.Report(m.pos.Errorf(format, args...))
}

// Missing reports that a key is absent from the mapping, if there is a mapping.
func (m *Mapping) Missing(key, format string, args ...any) {
	if m.none {
		return
	}
	err := m.pos.Errorf(format, args...)
	err.in, err.missing = m.pos, key
	m.doc.Report(err)
}

// Get returns the value of a key the file may have.
func (m *Mapping) Get(key string) (Node, bool) {
	if !slices.Contains(m.asked, key) {
		m.asked = append(m.asked, key)
	}
	for _, p := range m.pairs {
		if p.Key == key {
			return p.Value, true
		}
	}
	return Node{}, false
}

// PosOf is where a key's value begins; where the mapping does, if the key is absent.
func (m *Mapping) PosOf(key string) Pos {
	if n, ok := m.Get(key); ok {
		return n.pos
	}
	return m.pos
}

// Pairs returns everything in a mapping whose keys are names of the file's own choice.
func (m *Mapping) Pairs() []Pair { return m.pairs }

// Require reports each of the keys that is absent.
func (m *Mapping) Require(keys ...string) {
	for _, key := range keys {
		if _, ok := m.Get(key); !ok {
			m.Missing(key, "the key %s is missing; add it", key)
		}
	}
}

// Done reports every key that no reader has asked for.
func (m *Mapping) Done() {
	for _, p := range m.pairs {
		if slices.Contains(m.asked, p.Key) {
			continue
		}
		err := p.KeyPos.Errorf("unknown key %s; try %s", Quote(p.Key), Suggest(p.Key, m.asked))
		err.in, err.meant = m.pos, Nearest(p.Key, m.asked)
		if key, value, colon := strings.Cut(p.Key, ":"); colon && slices.Contains(m.asked, key) {
			err.Msg = fmt.Sprintf("%s lacks a space after its colon; write %s: %s", Quote(p.Key), key, printable(value))
			err.meant = key
		}
		m.doc.Report(err)
	}
}

// Read reads a key's value, if the key is there.
func (m *Mapping) Read(key string, v Value) {
	if n, ok := m.Get(key); ok {
		v.Read(n)
	}
}

// Mapping reads a mapping within; one without any key if it is absent.
func (m *Mapping) Mapping(key string) *Mapping {
	if n, ok := m.Get(key); ok {
		return n.Mapping()
	}
	return &Mapping{doc: m.doc, pos: m.pos, path: m.path, none: true}
}

// Items reads a list.
func (m *Mapping) Items(key string) []Node {
	if n, ok := m.Get(key); ok {
		return n.Items()
	}
	return nil
}
