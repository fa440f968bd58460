package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Schema is a JSON Schema of draft 2020-12, in keywords that mean the same in earlier drafts, as
// editors know those.
type Schema = map[string]any

// Value is what may stand at a key or in a list: how it is read, and its schema.
type Value struct {
	Read   func(Node)
	Schema func() Schema
}

// Read is a value that is read by a function.
func Read(schema Schema, read func(Node)) Value {
	return Value{read, func() Schema { return schema }}
}

// Then does something after the value has been read, if there is one.
func (v Value) Then(do func(Node)) Value {
	return Value{func(n Node) { v.Read(n); do(n) }, v.Schema}
}

// With is the value with another keyword in its schema, such as what Then refuses, or without one
// if value is nil.
func (v Value) With(keyword string, value any) Value {
	return Value{v.Read, func() Schema { return with(v.Schema(), keyword, value) }}
}

func with(s Schema, keyword string, value any) Schema {
	s = maps.Clone(s)
	if s[keyword] = value; value == nil {
		delete(s, keyword)
	}
	return s
}

// MappingOr is a mapping, or else another value.
func MappingOr(mapping, other Value) Value {
	return Value{
		func(n Node) {
			if n.Kind() == Map {
				mapping.Read(n)
			} else {
				other.Read(n)
			}
		},
		func() Schema { return Schema{"anyOf": []Schema{other.Schema(), mapping.Schema()}} },
	}
}

// into is a value that is read into a target, and left alone if it is wrong. The target's value
// beforehand is the default, unless it is zero.
func into[T comparable](to *T, read func(Node) (T, bool), format func(T) string,
	schema Schema) Value {
	return Value{
		func(n Node) {
			if v, ok := read(n); ok {
				*to = v
			}
		},
		func() Schema {
			var zero T
			switch {
			case *to == zero:
				return schema
			case format != nil:
				return with(schema, "default", format(*to))
			}
			return with(schema, "default", *to)
		},
	}
}

// String is a text. A number, true or false must be in quotes to be one.
func String(to *string) Value { return into(to, Node.Text, nil, Schema{"type": "string"}) }

// OneOf is one of the words.
func OneOf[T ~string](to *T, words ...string) Value {
	return into(to, func(n Node) (T, bool) {
		text, ok := n.Text()
		if ok && !slices.Contains(words, text) {
			n.outside(Suggest(text, words))
			return "", false
		}
		return T(text), ok
	}, nil, Schema{"enum": words})
}

// Bool is true or false.
func Bool(to *bool) Value {
	v := into(to, func(n Node) (is, ok bool) {
		text := n.Raw()
		if n.Plain() && (text == "true" || text == "false") {
			return text == "true", true
		}
		n.wrong(string(Boolean), "one of the two, without quotes")
		return false, false
	}, nil, Schema{"type": "boolean"})
	return Value{v.Read, func() Schema { return with(v.Schema(), "default", *to) }}
}

// Int is a whole number from lower to upper.
func Int[T ~int | ~int64 | ~uint64](to *T, lower, upper int64) Value {
	schema := Schema{"type": "integer", "minimum": lower, "maximum": upper}
	try := fmt.Sprintf("a whole number from %d to %d", lower, upper)
	if lower == upper {
		schema, try = Schema{"const": lower}, strconv.FormatInt(lower, 10)
	}
	return into(to, func(n Node) (T, bool) {
		v, err := strconv.ParseInt(n.Raw(), 10, 64)
		return T(v), isNumber(n, "a whole number", try, err, v >= lower && v <= upper)
	}, nil, schema)
}

// Float is a number from lower to upper.
func Float(to *float64, lower, upper float64) Value {
	try := fmt.Sprintf("a number from %v to %v", lower, upper)
	return into(to, func(n Node) (float64, bool) {
		v, err := strconv.ParseFloat(n.Raw(), 64)
		if math.IsNaN(v) {
			err = strconv.ErrSyntax
		}
		return v, isNumber(n, "a number", try, err, v >= lower && v <= upper)
	}, nil, Schema{"type": "number", "minimum": lower, "maximum": upper})
}

// isNumber reports a number that could not be read, or is outside of its bounds.
func isNumber(n Node, what, try string, err error, within bool) bool {
	large := errors.Is(err, strconv.ErrRange)
	switch {
	case !n.Plain() || err != nil && !large:
		n.wrong(what, try)
	case large || !within:
		n.outside(try)
	default:
		return true
	}
	return false
}

type quantity[T cmp.Ordered] struct {
	what, example string
	parse         func(string) (T, error)
	format        func(T) string
}

func (q quantity[T]) read(lower, upper T) func(Node) (T, bool) {
	return func(n Node) (v T, ok bool) {
		if kind := n.Kind(); kind != Text && kind != Number {
			n.wrong(q.what, q.example)
			return v, false
		}
		v, err := q.parse(n.Raw())
		switch {
		case err != nil:
			n.Errorf("%s: %v", n.label, err)
		case v < lower || v > upper:
			n.outside(q.format(lower) + " to " + q.format(upper))
		default:
			return v, true
		}
		return v, false
	}
}

// Bytes is a size from lower to upper bytes, such as 8 MiB or 4096.
func Bytes(to *int64, lower, upper int64) Value {
	size := quantity[int64]{"a size", "8 MiB", unit.ParseBytes, unit.FormatBytes}
	return into(to, size.read(lower, upper), unit.FormatBlock,
		orNumber(unit.SizePattern, lower, upper))
}

// Rate is a rate from lower to upper bytes per second, such as 2.8 GB/s.
func Rate(to *float64, lower, upper float64) Value {
	rate := quantity[float64]{"a rate", "2.8 GB/s", unit.ParseRate, unit.FormatRate}
	return into(to, rate.read(lower, upper), rate.format, orNumber(unit.RatePattern, lower, upper))
}

// orNumber is the schema of a quantity which may stand without a unit. A schema compares numbers,
// and no texts.
func orNumber[T int64 | float64](pattern string, lower, upper T) Schema {
	return Schema{"anyOf": []Schema{
		{"type": "string", "pattern": pattern},
		{"type": "number", "minimum": lower, "maximum": upper},
	}}
}

// Duration is a time from lower to upper, such as 30 s.
func Duration(to *time.Duration, lower, upper time.Duration) Value {
	format := func(d time.Duration) string { return unit.FormatSeconds(d.Seconds()) }
	span := quantity[time.Duration]{"a time", "30 s", unit.ParseDuration, format}
	return into(to, span.read(lower, upper), format,
		Schema{"type": "string", "pattern": unit.TimePattern})
}

// Percent is a share from lower to upper, of which 1 is all: 50 % is 0.5.
func Percent(to *float64, lower, upper float64) Value {
	share := quantity[float64]{"a share", "50 %", unit.ParsePercent, unit.FormatPercent}
	return into(to, share.read(lower, upper), share.format,
		Schema{"type": "string", "pattern": unit.PercentPattern})
}

// MaxName is how many characters a name may have.
const MaxName = 64

// Breaks are the characters that would garble the line of a terminal or log they stand in, as in a
// regular expression.
const Breaks = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029"

// Name is the name of a disk, a phase or the scenario. It may be in any script and hold any
// character, as reports show it as plain text, but it appears in lines of a terminal.
func Name(to *string) Value {
	pattern := "^[^ " + Breaks + "]([^" + Breaks + "]*[^ " + Breaks + "])?$"
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
func Line(to *string) Value { return line(to, maxText, "^[^"+Breaks+"]*$") }

func line(to *string, longest int, pattern string) Value {
	schema := Schema{"type": "string", "minLength": 1, "maxLength": longest, "pattern": pattern}
	return Read(schema, func(n Node) {
		text, ok := n.Text()
		path := n.Escaped()
		breaks := func(r rune) bool {
			return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
		}
		switch {
		case !ok:
		case text == "":
			n.Errorf("%s is empty; write one", n.Label())
		case utf8.RuneCountInString(text) > longest:
			n.Errorf("%s is longer than %d characters; shorten it", n.Label(), longest)
		case strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`:
			n.Errorf(`%s is in double quotes, where \ starts an escape sequence; use single quotes: '%s'`, n.Label(), path)
		case strings.ContainsFunc(text, breaks):
			n.Errorf("%s %s contains a control character or line break; delete it", n.Label(),
				Quote(text))
		default:
			*to = text
		}
	})
}
