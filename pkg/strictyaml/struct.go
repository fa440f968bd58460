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

// Checker is a struct whose keys depend on one another.
type Checker interface{ Check(*Mapping) }

// Among is the type of a field, without a name, for keys of the struct that stand for one another:
//
//	_ Among `keys:"pattern roles" both:"what is wrong if two are there" neither:"if none is"`
//
// Without both or neither that is allowed. In neither, %s is what errors call the mapping.
type Among struct{}

// Of is the value that a type describes. A struct is a mapping with a key for each field that has a
// tag:
//
//	Depth int `yaml:"depth" is:"1 to 1024" doc:"requests in flight"`
//
// These are the tags:
//
//	yaml     the key, and after it ",required" if it must be there. In place of a key ",inline" is
//	         for a struct whose keys stand in the same mapping, unless a field before it has that
//	         key, and ",inherit" for one of these without defaults, see Inherit
//	is       the bounds of an amount, whose units say what it is an amount of, or the words of a
//	         text, or "text" for any, "name" or "file name" for one that can be that; without it a
//	         text is one line, and a field in a struct whose field has the tag has that
//	default  what the field holds if the key is absent
//	shows    a default that the field does not hold, for people
//	doc      what it means, for people
//	not      the caller's rules that refuse the key, see Pair
//	missing  what is wrong if a key that must be there is not, and what to try
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
	const wholeNumber, integer = "a whole number", "integer"
	const number = "number"
	switch to := field.Addr().Interface().(type) {
	case Valuer:
		return to.Value()
	case Holder:
		return to.Holds(tag)
	case *bool:
		return truth(to)
	case *time.Duration:
		span := amount[time.Duration]{"a time", unit.ParseDuration, "", unit.TimePattern}
		return span.within(to, is)
	case *int:
		return amount[int]{wholeNumber, strconv.Atoi, integer, ""}.within(to, is)
	case *uint64:
		parse := func(text string) (uint64, error) {
			n, err := strconv.ParseInt(text, 10, 64) // What is negative becomes too large.
			return uint64(n), err
		}
		return amount[uint64]{wholeNumber, parse, integer, ""}.within(to, is)
	case *int64:
		size := amount[int64]{"a size", unit.ParseBytes, number, unit.SizePattern}
		if bounds, _, stepped := strings.Cut(is, " by 512 B"); stepped {
			return size.within(to, bounds).wholeSectors(to)
		}
		return size.within(to, is)
	case *float64:
		float := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
		switch {
		case strings.HasSuffix(is, "/s"):
			rate := amount[float64]{"a rate", unit.ParseRate, number, unit.RatePattern}
			return rate.within(to, is)
		case strings.HasSuffix(is, "%"):
			share := amount[float64]{"a share", unit.ParsePercent, "", unit.PercentPattern}
			return share.within(to, is)
		}
		return amount[float64]{"a number", float, number, ""}.within(to, is)
	}
	switch field.Kind() {
	case reflect.String:
		to, _ := reflect.TypeAssert[*string](field.Addr().Convert(reflect.TypeFor[*string]()))
		switch is {
		case "":
			return Line(to)
		case "text":
			return anyText(to)
		case "name":
			return Name(to)
		case "file name":
			return FileName(to)
		}
		return OneOf(to, strings.Split(is, " | ")...)
	case reflect.Pointer:
		target := reflect.New(field.Type().Elem())
		value := valueOf(target.Elem(), tag)
		return Value{func(n Node) { field.Set(target); value.Read(n) }, value.Schema}
	case reflect.Slice:
		return list(field, tag)
	default:
		value := mappingOf(field, tag)
		if shorter, ok := reflect.TypeAssert[Shorter](field.Addr()); ok {
			return MappingOr(value, shorter.Short())
		}
		return value
	}
}

// object is a mapping with known keys.
type object struct {
	keys      []key
	exclusive []reflect.StructTag
	at        **Mapping // where to put the mapping; nil: nowhere
	word      string    // key whose value a word in place of the mapping most likely is
	check     func(*Mapping)
}

type key struct {
	name    string
	value   Value
	missing string // what is wrong if it is absent; empty: nothing
	not     []string
}

func mappingOf(field reflect.Value, tag reflect.StructTag) Value {
	o := object{word: tag.Get("word"), check: func(*Mapping) {}}
	if checker, ok := reflect.TypeAssert[Checker](field.Addr()); ok {
		o.check = checker.Check
	}
	if at := field.FieldByName("At"); at.IsValid() {
		o.at, _ = reflect.TypeAssert[**Mapping](at.Addr())
	}
	o.add(field, tag.Get("is"), true)
	return Value{o.read, o.schema()}
}

// add adds the keys of a struct's fields, which get their defaults if it has any.
func (o *object) add(of reflect.Value, is string, defaults bool) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		tag := field.Tag
		name, option, _ := strings.Cut(tag.Get("yaml"), ",")
		switch {
		case field.Type == reflect.TypeFor[Among]():
			o.exclusive = append(o.exclusive, tag)
		case option == "inline" || option == "inherit":
			o.add(of.Field(i), "", defaults && option == "inline")
		case name != "" && !slices.Contains(o.names(), name):
			if is != "" {
				tag += reflect.StructTag(fmt.Sprintf(" is:%q", is))
			}
			value := valueOf(of.Field(i), tag)
			if defaults {
				value = value.withDefault(tag)
			}
			if doc := tag.Get("doc"); doc != "" {
				value = value.With("description", doc)
			}
			missing := ""
			if option == "required" {
				missing = cmp.Or(tag.Get("missing"), missingText(name, value))
			}
			o.keys = append(o.keys, key{name, value, missing, strings.Fields(tag.Get("not"))})
		}
	}
}

// missingText says that a key must be there.
func missingText(key string, value Value) string {
	add := "it"
	if only, ok := value.Schema["const"]; ok {
		add = fmt.Sprintf("%s: %v", key, only)
	}
	return fmt.Sprintf("the key %s is missing; add %s", key, add)
}

// withDefault reads the default of a tag, and has the schema show it.
func (v Value) withDefault(tag reflect.StructTag) Value {
	text := tag.Get("default")
	if text == "" {
		if shown := tag.Get("shows"); shown != "" {
			return v.With("default", shown)
		}
		return v
	}
	doc, err := Parse("default", []byte(text))
	if err != nil {
		panic(err)
	}
	v.Read(doc.root)
	var shown any = text
	switch doc.root.Kind() {
	case Number:
		shown, _ = strconv.ParseFloat(text, 64)
	case Boolean:
		shown = text == "true"
	}
	return v.With("default", shown)
}

func (o *object) names() []string {
	names := make([]string, len(o.keys))
	for i, k := range o.keys {
		names[i] = k.name
	}
	return names
}

func (o *object) read(n Node) {
	m := &Mapping{doc: n.doc, pos: n.pos, none: true}
	if n.Kind() == Text && o.word != "" {
		n.Errorf("%[1]s is %[2]s, not a mapping; try %[1]s: {%[3]s: %[2]s}", n.label,
			Quote(n.Raw()), o.word)
	} else {
		m = n.Mapping()
	}
	if o.at != nil {
		*o.at = m
	}
	if m.none {
		return
	}
	for _, tag := range o.exclusive {
		m.checkAmong(strings.Fields(tag.Get("keys")), tag.Get("both"), tag.Get("neither"))
	}
	for _, k := range o.keys {
		if pair := m.pair(k.name); pair != nil {
			pair.Not = k.not
			k.value.Read(pair.Value)
		} else if k.missing != "" {
			m.Missing(k.name, "%s", k.missing)
		}
	}
	o.check(m)
	m.refuseOthers(o.names())
}

// checkAmong refuses two keys that stand for one another, or none of them.
func (m *Mapping) checkAmong(keys []string, both, neither string) {
	var last *Pair
	for _, key := range keys {
		pair := m.pair(key)
		switch {
		case pair == nil:
		case last != nil && both != "":
			pair.Value.Errorf("%s", both)
			return
		default:
			last = pair
		}
	}
	if last == nil && neither != "" {
		m.Missing(keys[0], "%s", strings.ReplaceAll(neither, "%s", m.path))
	}
}

func (o *object) schema() Schema {
	properties := Schema{}
	var required []string
	for _, k := range o.keys {
		properties[k.name] = k.value.Schema
		if k.missing != "" {
			required = append(required, k.name)
		}
	}
	s := Schema{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		s["required"] = required
	}
	var all []Schema
	for _, tag := range o.exclusive {
		var each []Schema
		for key := range strings.FieldsSeq(tag.Get("keys")) {
			each = append(each, Schema{"required": []string{key}})
		}
		if tag.Get("neither") == "" {
			each = append(each, Schema{"not": Schema{"anyOf": slices.Clone(each)}})
		}
		word := "anyOf"
		if tag.Get("both") != "" {
			word = "oneOf"
		}
		all = append(all, Schema{word: each})
	}
	if all != nil {
		s["allOf"] = all
	}
	return s
}

// list is a list of values of one kind.
func list(field reflect.Value, tag reflect.StructTag) Value {
	item := func() (to reflect.Value, value Value) {
		to = reflect.New(field.Type().Elem()).Elem()
		return to, valueOf(to, tag)
	}
	_, one := item()
	schema := Schema{"type": "array", "items": one.Schema}
	empty := tag.Get("empty")
	if empty != "" {
		schema["minItems"] = 1
	}
	limit, _ := strconv.Atoi(tag.Get("max"))
	if limit > 0 {
		schema["maxItems"] = limit
	}
	return Value{Schema: schema, Read: func(n Node) {
		items := n.Items()
		if len(items) == 0 && n.Kind() == List && empty != "" {
			n.Errorf("%s", empty)
		}
		if limit > 0 && len(items) > limit {
			items[limit].Errorf("more than %d %s; remove some", limit, n.label)
			return
		}
		field.SetZero()
		for _, each := range items {
			to, value := item()
			value.Read(each)
			field.Set(reflect.Append(field, to))
		}
	}}
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

// Named is a mapping whose keys are names of the file's own choice, and whose values are of one
// kind.
type Named[T any] struct{ Entries []Entry[T] }

// Entry is one key of a Named, and what its value says.
type Entry[T any] struct {
	Pair
	To T
}

// Holds reads the mapping.
func (m *Named[T]) Holds(tag reflect.StructTag) Value {
	schema := Schema{"type": "object", "additionalProperties": Tagged(new(T), tag).Schema,
		"minProperties": 1}
	return Value{Schema: schema, Read: func(n Node) {
		pairs := n.Mapping().Pairs()
		if n.Kind() == Map && len(pairs) == 0 {
			n.Errorf("%s is empty; name a disk, or delete it", n.Label())
		}
		for _, pair := range pairs {
			entry := Entry[T]{Pair: pair}
			Tagged(&entry.To, tag).Read(pair.Value)
			m.Entries = append(m.Entries, entry)
		}
	}}
}
