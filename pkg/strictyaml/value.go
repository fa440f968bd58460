package strictyaml

import (
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Schema is a JSON Schema of draft 2020-12, in keywords that mean the same in earlier drafts, as editors know those.
type Schema = map[string]any

// Value is what may stand at a key or in a list: how it is read, and its schema.
type Value struct {
	Read   func(Node)
	Schema func() Schema
}

// First does something before the value is read, if there is one.
func (v Value) First(do func()) Value {
	return Value{func(n Node) { do(); v.Read(n) }, v.Schema}
}

// Then does something after the value has been read, if there is one.
func (v Value) Then(do func(Node)) Value {
	return Value{func(n Node) { v.Read(n); do(n) }, v.Schema}
}

// Default is the value with a default that its target does not have: one that depends on other keys.
func (v Value) Default(value any) Value {
	return Value{v.Read, func() Schema { return with(v.Schema(), "default", value) }}
}

// Lazy is a value that is made only when it is read, out of what has been read by then.
func Lazy(value func() Value) Value {
	return Value{func(n Node) { value().Read(n) }, func() Schema { return value().Schema() }}
}

// MappingOr is a mapping, or else another value.
func MappingOr(mapping, other Value) Value {
	return Value{
		func(n Node) {
			if n.Kind() == Map {
				mapping.Read(n)
				return
			}
			other.Read(n)
		},
		func() Schema { return Schema{"anyOf": []Schema{other.Schema(), mapping.Schema()}} },
	}
}

// WordOr is one word with a meaning of its own, or else another value.
func WordOr(word string, mean func(), other Value) Value {
	return Value{
		func(n Node) {
			if n.Raw() == word {
				mean()
				return
			}
			other.Read(n)
		},
		func() Schema { return Schema{"anyOf": []Schema{{"const": word}, other.Schema()}} },
	}
}

// String is a text. See Node.Text, and so on for the others.
func String(to *string) Value { return into(to, Node.Text, nil, Schema{"type": "string"}) }

// Bool is true or false.
func Bool(to *bool) Value {
	v := into(to, Node.Bool, nil, Schema{"type": "boolean"})
	return Value{v.Read, func() Schema { return with(v.Schema(), "default", *to) }}
}

// Int is a whole number from lower to upper.
func Int[T ~int | ~int64 | ~uint64](to *T, lower, upper int64) Value {
	schema := Schema{"type": "integer", "minimum": lower, "maximum": upper}
	if lower == upper {
		schema = Schema{"const": lower}
	}
	return into(to, func(n Node) (T, bool) {
		v, ok := n.Int(lower, upper)
		return T(v), ok
	}, nil, schema)
}

// Float is a number from lower to upper.
func Float(to *float64, lower, upper float64) Value {
	return into(to, func(n Node) (float64, bool) { return n.Float(lower, upper) }, nil,
		Schema{"type": "number", "minimum": lower, "maximum": upper})
}

// Bytes is a size from lower to upper bytes.
func Bytes(to *int64, lower, upper int64) Value {
	return into(to, func(n Node) (int64, bool) { return n.Bytes(lower, upper) }, unit.FormatBlock, quantitySchema(unit.SizePattern, lower, upper))
}

// Rate is a rate from lower to upper bytes per second.
func Rate(to *float64, lower, upper float64) Value {
	return into(to, func(n Node) (float64, bool) { return n.Rate(lower, upper) }, unit.FormatRate, quantitySchema(unit.RatePattern, lower, upper))
}

// Duration is a time from lower to upper.
func Duration(to *time.Duration, lower, upper time.Duration) Value {
	format := func(d time.Duration) string { return unit.FormatSeconds(d.Seconds()) }
	return into(to, func(n Node) (time.Duration, bool) { return n.Duration(lower, upper) }, format,
		Schema{"type": "string", "pattern": unit.TimePattern})
}

// Percent is a share from lower to upper, of which 1 is all: 50 % is 0.5.
func Percent(to *float64, lower, upper float64) Value {
	return into(to, func(n Node) (float64, bool) { return n.Percent(lower, upper) }, unit.FormatPercent,
		Schema{"type": "string", "pattern": unit.PercentPattern})
}

// OneOf is one of the words.
func OneOf[T ~string](to *T, words ...string) Value {
	return into(to, func(n Node) (T, bool) {
		v, ok := n.OneOf(words...)
		return T(v), ok
	}, nil, Schema{"enum": words})
}

// into is a value that is read into a target, and left alone if it is wrong. The target's value beforehand is the
// default, unless it is zero.
func into[T comparable](to *T, read func(Node) (T, bool), format func(T) string, schema Schema) Value {
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

// quantitySchema is that of a quantity which may stand without a unit. A schema compares numbers, and no texts.
func quantitySchema[T int64 | float64](pattern string, lower, upper T) Schema {
	return Schema{"anyOf": []Schema{
		{"type": "string", "pattern": pattern},
		{"type": "number", "minimum": lower, "maximum": upper},
	}}
}

func with(s Schema, keyword string, value any) Schema {
	more := Schema{keyword: value}
	for k, v := range s {
		if k != keyword {
			more[k] = v
		}
	}
	return more
}
