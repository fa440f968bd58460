package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Valuer is a type that says itself how it is read.
type Valuer interface{ Value() Value }

// Holder is a type whose field has the tag of the values that it holds.
type Holder interface {
	Holds(tag reflect.StructTag) Value
}

// Shorter is a struct that something else may stand for than a mapping.
type Shorter interface{ Short() Value }

// Ruler is a struct with rules between its keys, in an Object without any.
type Ruler interface{ Object() Object }

// Of is the value that a type describes. A struct is a mapping with a key for each field that has a
// tag:
//
//	Depth int `yaml:"depth" is:"1 to 1024" doc:"requests in flight"`
//
// These are the tags:
//
//	yaml     the key, and after it ",required" if it must be there. In place of a key ",inline" is for a
//	         struct whose keys stand in the same mapping, unless a field before it has that key, and
//	         ",inherit" for one of these without defaults, see Inherit
//	is       the bounds of an amount, whose units say what it is an amount of, or the words of a text
//	default  what the field holds if the key is absent
//	shows    a default that the field does not hold, for people
//	doc      what it means, for people
//	not      the caller's rules that refuse the key, see Pair
//	word     the key of a mapping that a word in its place most likely is
//	max      how many items a list may have
//	empty    what is wrong with a list without items, and what to try
//
// A field At of type *Mapping is where the struct stands in the file.
func Of(to any) Value { return Tagged(to, "") }

// Tagged is the value that a type describes with the tag of its field.
func Tagged(to any, tag reflect.StructTag) Value { return valueOf(reflect.ValueOf(to).Elem(), tag) }

// Field is the value of one field of a struct.
func Field(of any, name string) Value {
	v := reflect.ValueOf(of).Elem()
	field, _ := v.Type().FieldByName(name)
	return valueOf(v.FieldByIndex(field.Index), field.Tag)
}

func valueOf(field reflect.Value, tag reflect.StructTag) Value {
	is := tag.Get("is")
	switch to := field.Addr().Interface().(type) {
	case Valuer:
		return to.Value()
	case Holder:
		return to.Holds(tag)
	case *bool:
		return Bool(to)
	case *time.Duration:
		return between(to, is, unit.ParseDuration, Duration)
	case *int:
		return between(to, is, wholeNumber, Int)
	case *uint64:
		return between(to, is, wholeNumber, Int)
	case *int64:
		if size, _, stepped := strings.Cut(is, " by 512 B"); stepped {
			return between(to, size, unit.ParseBytes, sectors)
		}
		return between(to, is, unit.ParseBytes, Bytes)
	case *float64:
		switch {
		case strings.HasSuffix(is, "/s"):
			return between(to, is, unit.ParseRate, Rate)
		case strings.HasSuffix(is, "%"):
			return between(to, is, unit.ParsePercent, Percent)
		}
		return between(to, is, number, Float)
	}
	switch field.Kind() {
	case reflect.String:
		to, _ := reflect.TypeAssert[*string](field.Addr().Convert(reflect.TypeFor[*string]()))
		switch is {
		case "":
			return Line(to)
		case "name":
			return Name(to)
		}
		return OneOf(to, strings.Split(is, " | ")...)
	case reflect.Pointer:
		target := reflect.New(field.Type().Elem())
		value := valueOf(target.Elem(), tag)
		return Value{func(n Node) { field.Set(target); value.Read(n) }, value.Schema}
	case reflect.Slice:
		return list(field, tag)
	default:
		return object(field, tag)
	}
}

func object(field reflect.Value, tag reflect.StructTag) Value {
	var o Object
	if ruler, ok := reflect.TypeAssert[Ruler](field.Addr()); ok {
		o = ruler.Object()
	}
	o.Short = cmp.Or(o.Short, tag.Get("word"))
	if at := field.FieldByName("At"); at.IsValid() {
		o.at, _ = reflect.TypeAssert[**Mapping](at.Addr())
	}
	o.Keys = keysOf(field, true)
	if shorter, ok := reflect.TypeAssert[Shorter](field.Addr()); ok {
		return MappingOr(o.Value(), shorter.Short())
	}
	return o.Value()
}

// keysOf are the keys of a struct's fields, which get their defaults if it has any.
func keysOf(field reflect.Value, defaults bool) (keys []Key) {
	for i := range field.NumField() {
		tag := field.Type().Field(i).Tag
		name, option, _ := strings.Cut(tag.Get("yaml"), ",")
		if option == "inline" || option == "inherit" {
			for _, key := range keysOf(field.Field(i), defaults && option == "inline") {
				if !slices.ContainsFunc(keys, func(k Key) bool { return k.Name == key.Name }) {
					keys = append(keys, key)
				}
			}
		}
		if name == "" {
			continue
		}
		value := valueOf(field.Field(i), tag)
		switch text, shown := tag.Get("default"), tag.Get("shows"); {
		case !defaults:
			value = value.With("default", nil)
		case text != "":
			doc, err := Parse(name, []byte(text))
			if err != nil {
				panic(err)
			}
			value.Read(doc.root)
		case shown != "":
			value = value.With("default", shown)
		}
		keys = append(keys, Key{Name: name, Value: value, About: tag.Get("doc"),
			Need: option == "required", Not: strings.Fields(tag.Get("not"))})
	}
	return keys
}

// list is a list of values alike.
func list(field reflect.Value, tag reflect.StructTag) Value {
	item := func() reflect.Value { return reflect.New(field.Type().Elem()).Elem() }
	limit, _ := strconv.Atoi(tag.Get("max"))
	of := Items[reflect.Value]{Max: limit, Empty: tag.Get("empty"),
		Item: func(to *reflect.Value) Value {
			*to = item()
			return valueOf(*to, tag)
		}}
	return Value{func(n Node) {
		var items []reflect.Value
		of.To = &items
		of.read(n)
		field.Set(reflect.Append(reflect.Zero(field.Type()), items...))
	}, of.Value().Schema}
}

// sectors is a size that is a multiple of the smallest sector.
func sectors(to *int64, lower, upper int64) Value {
	const sector = 512
	not := Schema{"type": "number", "not": Schema{"multipleOf": sector}}
	return Bytes(to, lower, upper).With("not", not).Then(func(n Node) {
		if *to%sector != 0 {
			n.outside("a multiple of 512 B, such as 1 MiB")
		}
	})
}

func wholeNumber(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

func number(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// between is a value within the bounds of a tag, such as "1 to 1024".
func between[T, B any](to *T, is string, parse func(string) (B, error),
	value func(*T, B, B) Value) Value {
	from, most, _ := strings.Cut(is, " to ")
	lower, err := parse(from)
	upper, err2 := parse(most)
	if err = cmp.Or(err, err2); err != nil {
		panic(fmt.Sprintf("the tag %q has no bounds: %v", is, err))
	}
	return value(to, lower, upper)
}

// Inherit fills the fields whose keys are not in the mapping.
func Inherit[T any](to *T, from T, m *Mapping) {
	inherit(reflect.ValueOf(to).Elem(), reflect.ValueOf(from), m)
}

func inherit(to, from reflect.Value, m *Mapping) {
	for i := range to.NumField() {
		name, option, _ := strings.Cut(to.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			inherit(to.Field(i), from.Field(i), m)
		case name != "" && !m.Has(name):
			to.Field(i).Set(from.Field(i))
		}
	}
}

// Named is a mapping whose keys are names of the file's own choice, and whose values are alike.
type Named[T any] struct{ Entries []Entry[T] }

// Entry is one key of a Named, and what its value says.
type Entry[T any] struct {
	Pair
	To T
}

// Holds reads the mapping.
func (m *Named[T]) Holds(tag reflect.StructTag) Value {
	return Value{func(n Node) {
		pairs := n.Mapping().Pairs()
		if n.Kind() == Map && len(pairs) == 0 {
			n.Errorf("%s is empty; name a disk, or delete it", n.Label())
		}
		for _, pair := range pairs {
			entry := Entry[T]{Pair: pair}
			Tagged(&entry.To, tag).Read(pair.Value)
			m.Entries = append(m.Entries, entry)
		}
	}, func() Schema {
		return Schema{"type": "object", "additionalProperties": Tagged(new(T), tag).Schema(),
			"minProperties": 1}
	}}
}
