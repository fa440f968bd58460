package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Node is one value of the document: a text, number, list or mapping. Its readers report a value of
// the wrong kind to the document and return false.
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

// Pos is where the value begins.
func (n Node) Pos() Pos { return n.pos }

// Label is what errors call the value: its key, with those around it.
func (n Node) Label() string { return n.label }

// Errorf reports a mistake at the value.
func (n Node) Errorf(format string, args ...any) {
	n.doc.Report(n.pos.Errorf(format, args...))
}

// wrong reports that the value is not what it should be.
func (n Node) wrong(want, try string) {
	if n.Kind() == Null {
		n.Errorf("%s has no value; write one, or delete the key", n.label)
		return
	}
	n.Errorf("%s is %s, not %s; try %s", n.label, n.given(), want, try)
}

// given is the value as an error repeats it.
func (n Node) given() string {
	switch kind := n.Kind(); kind {
	case List, Map:
		return string(kind)
	case Text:
		text, _ := n.raw()
		return Quote(text)
	default:
		return n.ast.GetToken().Value
	}
}

// raw is a scalar's text, and whether it stood there without quotes.
func (n Node) raw() (text string, plain bool) {
	if l, ok := n.ast.(*ast.LiteralNode); ok {
		return l.Value.Value, false
	}
	t := n.ast.GetToken()
	return t.Value, t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType
}

// Raw is the text of a value other than a list or mapping, whatever its kind; empty for those.
func (n Node) Raw() string {
	if kind := n.Kind(); kind == List || kind == Map {
		return ""
	}
	text, _ := n.raw()
	return text
}

// Plain reports whether the value stands there without quotes.
func (n Node) Plain() bool {
	_, plain := n.raw()
	return plain
}

// Escaped is what stands between a text's double quotes in the file, where a \ in it begins an escape. It is empty for
// any other value.
func (n Node) Escaped() string {
	t := n.ast.GetToken()
	if t.Type != token.DoubleQuoteType {
		return ""
	}
	source := strings.Trim(strings.TrimSpace(t.Origin), `"`)
	if !strings.Contains(strings.ReplaceAll(source, `\\`, ""), `\`) {
		return ""
	}
	return source
}

// Text reads a text. A number, true or false must be in quotes to be one.
func (n Node) Text() (string, bool) {
	text, _ := n.raw()
	switch n.Kind() {
	case Text:
		if !utf8.ValidString(text) {
			n.Errorf("%s contains an escape sequence that is not a character; write the character itself", n.label)
			return "", false
		}
		return text, true
	case Number, Boolean:
		n.wrong("text", strconv.Quote(text)+", in quotes")
	default:
		n.wrong("text", "one word or a text in quotes")
	}
	return "", false
}

// Int reads a whole number from lower to upper.
func (n Node) Int(lower, upper int64) (int64, bool) {
	try := fmt.Sprintf("a whole number from %d to %d", lower, upper)
	if lower == upper {
		try = strconv.FormatInt(lower, 10)
	}
	text, plain := n.raw()
	v, err := strconv.ParseInt(text, 10, 64)
	if !plain || err != nil && !errors.Is(err, strconv.ErrRange) {
		n.wrong("a whole number", try)
		return 0, false
	}
	if err != nil || v < lower || v > upper {
		n.outside(try)
		return 0, false
	}
	return v, true
}

// Float reads a number from lower to upper.
func (n Node) Float(lower, upper float64) (float64, bool) {
	try := fmt.Sprintf("a number from %v to %v", lower, upper)
	text, plain := n.raw()
	v, err := strconv.ParseFloat(text, 64)
	if !plain || math.IsNaN(v) || err != nil && !errors.Is(err, strconv.ErrRange) {
		n.wrong("a number", try)
		return 0, false
	}
	if v < lower || v > upper {
		n.outside(try)
		return 0, false
	}
	return v, true
}

// Bool reads true or false.
func (n Node) Bool() (bool, bool) {
	switch text, plain := n.raw(); {
	case plain && text == "true":
		return true, true
	case plain && text == "false":
		return false, true
	}
	try := "true or false"
	switch strings.ToLower(n.Raw()) {
	case "yes", "on", "1":
		try = "true"
	case "no", "off", "0":
		try = "false"
	}
	n.wrong(string(Boolean), try)
	return false, false
}

// Bytes reads a size from lower to upper bytes, such as 8 MiB or 4096.
func (n Node) Bytes(lower, upper int64) (int64, bool) {
	return quantity[int64]{"a size", "8 MiB", unit.ParseBytes, unit.FormatBytes}.read(n, lower, upper)
}

// Rate reads a rate from lower to upper bytes per second, such as 2.8 GB/s.
func (n Node) Rate(lower, upper float64) (float64, bool) {
	return quantity[float64]{"a rate", "2.8 GB/s", unit.ParseRate, unit.FormatRate}.read(n, lower, upper)
}

// Duration reads a time from lower to upper, such as 30 s.
func (n Node) Duration(lower, upper time.Duration) (time.Duration, bool) {
	format := func(d time.Duration) string { return unit.FormatSeconds(d.Seconds()) }
	return quantity[time.Duration]{"a time", "30 s", unit.ParseDuration, format}.read(n, lower, upper)
}

// Percent reads a share from lower to upper, such as 50 %, which is 0.5.
func (n Node) Percent(lower, upper float64) (float64, bool) {
	return quantity[float64]{"a share", "50 %", unit.ParsePercent, unit.FormatPercent}.read(n, lower, upper)
}

// OneOf reads one of the allowed words.
func (n Node) OneOf(allowed ...string) (string, bool) {
	text, ok := n.Text()
	if !ok || slices.Contains(allowed, text) {
		return text, ok
	}
	n.outside(Suggest(text, allowed))
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
		items[i] = Node{doc: n.doc, ast: v, pos: posOf(n.pos.File, v), label: fmt.Sprintf("item %d of %s", i+1, n.label)}
	}
	return items
}

// outside reports that a value of the right kind is not an allowed one.
func (n Node) outside(try string) {
	n.Errorf("%s is %s; try %s", n.label, n.given(), try)
}

// quantity is a kind of number with a unit.
type quantity[T cmp.Ordered] struct {
	what, example string
	parse         func(string) (T, error)
	format        func(T) string
}

// read reads a quantity from lower to upper.
func (q quantity[T]) read(n Node, lower, upper T) (T, bool) {
	var zero T
	if kind := n.Kind(); kind != Text && kind != Number {
		n.wrong(q.what, q.example)
		return zero, false
	}
	v, err := q.parse(n.Raw())
	if err != nil {
		n.Errorf("%s: %v", n.label, err)
		return zero, false
	}
	if v < lower || v > upper {
		n.outside(q.format(lower) + " to " + q.format(upper))
		return zero, false
	}
	return v, true
}
