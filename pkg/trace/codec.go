package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// A line of each type has these keys after its type, in this order. One with a question mark is
// left out if it says nothing; all others are written even if they are zero.
var lines = [...]struct {
	kind Type
	keys []string
}{
	{FileType, []string{"phase", "disk", "op", "seq", "bytes", "start_ns", "end_ns", "filler?"}},
	{ProgressType, []string{"phase", "disk", "seq", "bytes", "t_ns"}},
	{StartType, []string{"phase", "disk", "late_ns", "t_ns"}},
	{GaugeType, []string{"phase", "disk?", "t_ns", "name", "value"}},
	{StreamType, []string{"phase", "disk", "stream", "t_ns", "due", "late", "buffer_ns",
		"stall_ns"}},
	{LatencyType, []string{"phase", "disk", "op", "t_ns", "hist"}},
	{ErrorType, []string{"phase", "disk", "seq", "t_ns", "error"}},
	{PhaseType, []string{"phase", "roles", "stop?", "test?", "score?", "connections?", "work?",
		"search?", "steady_ns?", "saturation?"}},
	{PhaseEndType, []string{"phase", "status"}},
	{RunType, []string{"version", "name", "started", "disks", "hardware?"}},
	{EndType, []string{"status"}},
}

// The keys of the fields of Event, in their order. Nearly all lines have their keys in this order.
var fields = [...]string{
	"type", "phase", "disk", "op", "seq", "bytes", "start_ns", "end_ns", "filler", "late_ns",
	"stream", "t_ns", "due",
	"late", "buffer_ns", "stall_ns", "hist", "error", "version", "name", "value", "started",
	"disks", "hardware", "roles",
	"stop", "test", "score", "connections", "work", "search", "steady_ns", "saturation", "status",
}

// field returns the index of a key in fields, looked for from an index on and then before it; -1 if
// the key is not known.
func field(key string, from int) int {
	for i := range fields {
		if at := (from + i) % len(fields); fields[at] == key {
			return at
		}
	}
	return -1
}

// at points to the field of that index.
func (e *Event) at(field int) any {
	return reflect.ValueOf(e).Elem().Field(field).Addr().Interface()
}

// keys returns those of a type's lines; nil if it is not a known one.
func (t Type) keys() []string {
	for i := range lines {
		if lines[i].kind == t {
			return lines[i].keys
		}
	}
	return nil
}

// AppendEvent appends the event's line, newline included, to dst. Each type writes its own keys and
// none of the others'. Nothing is allocated except for run and phase lines and for text that must
// be escaped.
func AppendEvent(dst []byte, e *Event) []byte {
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, string(e.Type))
	at := 0
	for _, key := range e.Type.keys() {
		key, optional := strings.CutSuffix(key, "?")
		before := len(dst)
		dst = append(append(append(dst, `,"`...), key...), `":`...)
		at = field(key, at)
		var empty bool
		if dst, empty = appendValue(dst, e.at(at)); empty && optional {
			dst = dst[:before]
		}
	}
	return append(dst, "}\n"...)
}

// appendValue appends what at points to, and reports whether that says nothing.
func appendValue(dst []byte, at any) (_ []byte, empty bool) {
	switch v := at.(type) {
	case *string:
		return appendString(dst, *v), *v == ""
	case *Role:
		return appendString(dst, string(*v)), *v == ""
	case *int64:
		return strconv.AppendInt(dst, *v, 10), *v == 0
	case *int:
		return strconv.AppendInt(dst, int64(*v), 10), *v == 0
	case *bool:
		return strconv.AppendBool(dst, *v), !*v
	case *float64:
		return strconv.AppendFloat(dst, *v, 'g', -1, 64), *v == 0
	case *[]Disk:
		if *v == nil {
			at = []Disk{}
		}
	case *map[string]Role:
		if *v == nil {
			at = map[string]Role{}
		}
	}
	before := len(dst)
	dst = appendJSON(dst, at)
	text := string(dst[before:])
	return dst, text == "null" || text == "{}"
}

// appendString quotes s; bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return appendJSON(dst, s)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// appendJSON appends v as encoding/json has it, with <, > and & as they are, and nothing that a
// terminal acts on.
func appendJSON(dst []byte, v any) []byte {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	// Strings, and lists and mappings of them, have no value that cannot be encoded.
	_ = out.Encode(v)
	return append(dst, EscapeControls(bytes.TrimSpace(text.Bytes()))...)
}

// EscapeControls writes what encoding/json leaves as it is though a terminal acts on it, U+007F to
// U+009F and what turns the direction of text, as it writes the other controls. The value stays the
// same: they stand in strings only.
func EscapeControls(text []byte) []byte {
	acts := func(r rune) bool {
		return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r)
	}
	if !bytes.ContainsFunc(text, acts) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		if acts(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}
