package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Schema is a JSON Schema of draft 2020-12, in keywords that mean the same in earlier drafts, as
// editors know those.
type Schema = map[string]any

// Value is what may stand at a key or in a list: how it is read, and its schema.
type Value struct {
	Read   func(Node)
	Schema Schema
}

// Then does something after the value has been read, if there is one.
func (v Value) Then(do func(Node)) Value {
	return Value{func(n Node) { v.Read(n); do(n) }, v.Schema}
}

// With is the value with another keyword in its schema, such as what Then refuses.
func (v Value) With(keyword string, value any) Value {
	schema := maps.Clone(v.Schema)
	schema[keyword] = value
	return Value{v.Read, schema}
}

// MappingOr is a mapping, or else another value.
func MappingOr(mapping, other Value) Value {
	read := func(n Node) {
		if n.Kind() == Map {
			mapping.Read(n)
		} else {
			other.Read(n)
		}
	}
	return Value{read, Schema{"anyOf": []Schema{other.Schema, mapping.Schema}}}
}

// OneOf is one of the words.
func OneOf[T ~string](to *T, words ...string) Value {
	return Value{Schema: Schema{"enum": words}, Read: func(n Node) {
		switch text, ok := n.Text(); {
		case !ok:
		case !slices.Contains(words, text):
			n.outside(Suggest(text, words))
		default:
			*to = T(text)
		}
	}}
}

func anyText(to *string) Value {
	return Value{Schema: Schema{"type": "string"}, Read: func(n Node) { *to, _ = n.Text() }}
}

func truth(to *bool) Value {
	return Value{Schema: Schema{"type": "boolean"}, Read: func(n Node) {
		text := n.Raw()
		if !n.Plain() || text != "true" && text != "false" {
			n.wrong(string(Boolean), "one of the two, without quotes")
			return
		}
		*to = text == "true"
	}}
}

// amount is a kind of number.
type amount[T cmp.Ordered] struct {
	what    string // what errors call it
	parse   func(string) (T, error)
	number  string // type in a schema if it needs no unit
	pattern string // regular expression of a text with a unit, if it may have one
}

// within is an amount within bounds, such as "1 to 1024", or equal to the only one.
func (a amount[T]) within(to *T, bounds string) Value {
	from, upTo, several := strings.Cut(bounds, " to ")
	if !several {
		upTo = from
	}
	lower, err := a.parse(from)
	upper, err2 := a.parse(upTo)
	if err = cmp.Or(err, err2); err != nil {
		panic(fmt.Sprintf("the tag %q has no bounds: %v", bounds, err))
	}
	text := Schema{"type": "string", "pattern": a.pattern}
	number := Schema{"type": a.number, "minimum": lower, "maximum": upper}
	schema := Schema{"anyOf": []Schema{text, number}}
	switch {
	case !several:
		schema = Schema{"const": lower}
	case a.pattern == "":
		schema = number
	case a.number == "":
		schema = text // A schema compares no amounts with units.
	}
	return Value{Schema: schema, Read: func(n Node) {
		v, err := a.parse(n.Raw())
		kind := n.Kind()
		plain := a.pattern == ""
		huge := plain && errors.Is(err, strconv.ErrRange)
		switch {
		case kind != Text && kind != Number, plain && (err != nil && !huge || !n.Plain()):
			n.wrong(a.what, bounds)
		case err != nil && !huge:
			n.Errorf("%s: %v", n.label, err)
		case huge, !(v >= lower && v <= upper): // It may be NaN.
			n.outside(bounds)
		default:
			*to = v
		}
	}}
}

// sector divides the size of every request that goes past a system's cache.
const sector = 512

// wholeSectors refuses a size that is no multiple of a sector.
func (v Value) wholeSectors(to *int64) Value {
	not := Schema{"type": "number", "not": Schema{"multipleOf": sector}}
	return v.With("not", not).Then(func(n Node) {
		if *to%sector != 0 {
			n.outside("a multiple of 512 B, such as 1 MiB")
		}
	})
}

// MaxName is how many characters a name may have.
const MaxName = 64

// breaks are the characters that would garble the line of a terminal or log they stand in, as in a
// regular expression.
const breaks = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029"

// Name is the name of a disk, a phase or the scenario. It may be in any script and hold any
// character, as reports show it as plain text, but it appears in lines of a terminal.
func Name(to *string) Value {
	pattern := "^[^ " + breaks + "]([^" + breaks + "]*[^ " + breaks + "])?$"
	return line(to, MaxName, pattern).Then(func(n Node) {
		if strings.TrimSpace(*to) != *to {
			n.Errorf("%s %s begins or ends with a space; delete it", n.Label(), Quote(*to))
		}
	})
}

// FileName is a name that becomes a file name or part of one, as those of scenarios, phases and
// disks do.
func FileName(to *string) Value {
	return Name(to).With("not", Schema{"pattern": `[/\\]|^\.\.?$`}).Then(func(n Node) {
		switch {
		case strings.ContainsAny(*to, `/\`):
			n.Errorf(`%s %s contains / or \; use another character`, n.Label(), Quote(*to))
		case *to == "." || *to == "..":
			n.Errorf("%s %s means a folder; write a name", n.Label(), Quote(*to))
		}
	})
}

// maxText is how many characters a text may have.
const maxText = 4096

// Line is a text of one line, such as a path, a label or a note.
func Line(to *string) Value { return line(to, maxText, "^[^"+breaks+"]*$") }

func line(to *string, longest int, pattern string) Value {
	schema := Schema{"type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern}
	return Value{Schema: schema, Read: func(n Node) {
		text, ok := n.Text()
		path := n.Escaped()
		switch {
		case !ok:
		case text == "":
			n.Errorf("%s is empty; write one", n.Label())
		case utf8.RuneCountInString(text) > longest:
			n.Errorf("%s is longer than %d characters; shorten it", n.Label(), longest)
		case strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`:
			n.Errorf("%s is in double quotes, where \\ starts an escape sequence; "+
				"use single quotes: '%s'", n.Label(), path)
		case strings.ContainsFunc(text, breaksLine):
			n.Errorf("%s %s contains a control character or line break; delete it", n.Label(),
				Quote(text))
		default:
			*to = text
		}
	}}
}

func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
