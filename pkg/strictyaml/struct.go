package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Values are those that the type and tags of a field do not describe, by their keys.
type Values map[string]Value

// Struct is the keys of a struct, one for each field that has a tag:
//
//	Depth int `yaml:"depth" is:"1 to 1024" doc:"requests in flight"`
//
// After the key's name may come ",required", or ",inline" in place of a name for a struct whose keys stand in
// the same mapping. The tag is gives the bounds of an amount, whose units say which kind of amount it is, or
// the words that a text may be. The tag default describes a default that the field does not hold, and not
// names the rules by which Key.Not refuses the key.
func Struct(to any, values Values) (keys []Key) {
	v := reflect.ValueOf(to).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, option, _ := strings.Cut(tag.Get("yaml"), ",")
		if option == "inline" {
			keys = append(keys, Struct(v.Field(i).Addr().Interface(), values)...)
		}
		if name == "" {
			continue
		}
		value, ok := values[name]
		if !ok {
			value = fieldValue(v.Field(i), tag.Get("is"))
		}
		if text := tag.Get("default"); text != "" {
			value = value.With("default", text)
		}
		keys = append(keys, Key{Name: name, Value: value, About: tag.Get("doc"),
			Need: option == "required", Not: strings.Fields(tag.Get("not"))})
	}
	return keys
}

// fieldValue is the value of a field by its type, within the bounds or among the words of its tag.
func fieldValue(field reflect.Value, is string) Value {
	switch to := field.Addr().Interface().(type) {
	case *bool:
		return Bool(to)
	case *string:
		if is == "" {
			return Line(to)
		}
		return OneOf(to, strings.Split(is, " | ")...)
	case *time.Duration:
		lower, upper := bounds(is, unit.ParseDuration)
		return Duration(to, lower, upper)
	case *int:
		lower, upper := bounds(is, wholeNumber)
		return Int(to, lower, upper)
	case *uint64:
		lower, upper := bounds(is, wholeNumber)
		return Int(to, lower, upper)
	case *int64:
		lower, upper := bounds(is, unit.ParseBytes)
		return Bytes(to, lower, upper)
	case *float64:
		switch {
		case strings.HasSuffix(is, "/s"):
			lower, upper := bounds(is, unit.ParseRate)
			return Rate(to, lower, upper)
		case strings.HasSuffix(is, "%"):
			lower, upper := bounds(is, unit.ParsePercent)
			return Percent(to, lower, upper)
		}
		lower, upper := bounds(is, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
		return Float(to, lower, upper)
	}
	return Object{Keys: Struct(field.Addr().Interface(), nil)}.Value()
}

func wholeNumber(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

// bounds reads a tag such as "1 to 1024".
func bounds[T any](is string, parse func(string) (T, error)) (lower, upper T) {
	from, to, _ := strings.Cut(is, " to ")
	lower, err := parse(from)
	if err == nil {
		upper, err = parse(to)
	}
	if err != nil {
		panic(fmt.Sprintf("the tag %q is no lower to upper bound: %v", is, err))
	}
	return lower, upper
}
