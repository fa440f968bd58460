package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/work"
)

// A line of each type has these keys after its type, in this order. One with a question mark is left out if it says
// nothing; all others are written even if they are zero.
var lines = [...]struct {
	kind Type
	keys []string
}{
	{FileType, []string{"phase", "disk", "op", "seq", "bytes", "start_ns", "end_ns", "filler?"}},
	{ProgressType, []string{"phase", "disk", "seq", "bytes", "t_ns"}},
	{StartType, []string{"phase", "disk", "late_ns", "t_ns"}},
	{GaugeType, []string{"phase", "disk?", "t_ns", "name", "value"}},
	{StreamType, []string{"phase", "disk", "stream", "t_ns", "due", "late", "buffer_ns", "stall_ns"}},
	{LatencyType, []string{"phase", "disk", "op", "t_ns", "hist"}},
	{ErrorType, []string{"phase", "disk", "seq", "t_ns", "error"}},
	{PhaseType, []string{"phase", "roles", "stop?", "test?", "score?", "connections?", "work?", "paced?", "search?", "steady_ns?", "saturation?"}},
	{PhaseEndType, []string{"phase", "status"}},
	{RunType, []string{"version", "name", "started", "disks", "hardware?"}},
	{EndType, []string{"status"}},
}

// keys are those of a type's lines; nil if it is not a known one.
func (t Type) keys() []string {
	for i := range lines {
		if lines[i].kind == t {
			return lines[i].keys
		}
	}
	return nil
}

// at is where the event keeps a key's value; nil for a key that is not known.
func (e *Event) at(key string) any {
	switch key {
	case "type":
		return &e.Type
	case "phase":
		return &e.Phase
	case "disk":
		return &e.Disk
	case "seq":
		return &e.Seq
	case "bytes":
		return &e.Bytes
	case "op":
		return &e.Op
	case "start_ns":
		return &e.StartNS
	case "end_ns":
		return &e.EndNS
	case "t_ns":
		return &e.TNS
	case "filler":
		return &e.Filler
	case "late_ns":
		return &e.LateNS
	case "error":
		return &e.Error
	case "roles":
		return &e.Roles
	case "stop":
		return &e.Stop
	case "test":
		return &e.Test
	case "score":
		return &e.Score
	case "connections":
		return &e.Connections
	case "work":
		return &e.Work
	case "paced":
		return (*pacedWork)(&e.Work)
	case "search":
		return &e.Search
	case "saturation":
		return &e.Saturation
	case "steady_ns":
		return &e.SteadyNS
	case "status":
		return &e.Status
	case "version":
		return &e.Version
	case "name":
		return &e.Name
	case "value":
		return &e.Value
	case "hardware":
		return &e.Hardware
	case "started":
		return &e.Started
	case "disks":
		return &e.Disks
	}
	return e.atSample(key)
}

// atSample is where the event keeps the value of a key that only stream and latency lines have; nil for any other.
func (e *Event) atSample(key string) any {
	switch key {
	case "hist":
		return &e.Hist
	case "stream":
		return &e.Stream
	case "due":
		return &e.Due
	case "late":
		return &e.Late
	case "buffer_ns":
		return &e.BufferNS
	case "stall_ns":
		return &e.StallNS
	}
	return nil
}

// AppendEvent appends the event's line, newline included, to dst. Each type writes its own keys and none of the
// others'. Nothing is allocated except for run and phase lines and for text that must be escaped.
func AppendEvent(dst []byte, e *Event) []byte {
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, string(e.Type))
	for _, key := range e.Type.keys() {
		key, optional := strings.CutSuffix(key, "?")
		before := len(dst)
		dst = append(dst, ',', '"')
		dst = append(dst, key...)
		dst = append(dst, '"', ':')
		var empty bool
		if dst, empty = appendValue(dst, e.at(key)); empty && optional {
			dst = dst[:before]
		}
	}
	return append(dst, '}', '\n')
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
	case **hardware.Setup:
		if *v == nil {
			return append(dst, "null"...), true
		}
		return appendJSON(dst, *v), false
	case *[]Disk:
		if len(*v) == 0 {
			return append(dst, "[]"...), true
		}
		return appendJSON(dst, *v), false
	case *map[string]Role:
		if len(*v) == 0 {
			return append(dst, "{}"...), true
		}
		return appendJSON(dst, *v), false
	case *map[string]work.Work:
		return appendWork(dst, *v)
	case *pacedWork:
		paced := work.PacedOf(*v)
		return appendJSON(dst, paced), paced == nil
	case **Try:
		if *v == nil {
			return append(dst, "null"...), true
		}
		return appendJSON(dst, *v), false
	case **Saturation:
		if *v == nil {
			return append(dst, "null"...), true
		}
		return appendJSON(dst, *v), false
	case *map[string]string:
		return appendJSON(dst, *v), len(*v) == 0
	}
	return dst, true
}

// pacedWork reads and writes works by the key "paced", which says less of them and came before "work".
type pacedWork map[string]work.Work

// UnmarshalJSON reads them. Keys are read in the order of the alphabet, so that "work" wins.
func (p *pacedWork) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*work.Paced)(p)) }

// appendWork appends the works that were recorded.
func appendWork(dst []byte, all map[string]work.Work) (_ []byte, empty bool) {
	declared := maps.Clone(all)
	maps.DeleteFunc(declared, func(_ string, w work.Work) bool { return w.Op == "" })
	return appendJSON(dst, declared), len(declared) == 0
}

// appendString quotes s; bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return appendJSON(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendJSON appends v as encoding/json has it, with <, > and & as they are.
func appendJSON(dst []byte, v any) []byte {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	_ = out.Encode(v) // strings, and lists and mappings of them, have no value that cannot be encoded
	return append(dst, bytes.TrimSpace(text.Bytes())...)
}

// MarshalJSON is the event's line, so that it reads the same wherever it is written.
func (e Event) MarshalJSON() ([]byte, error) { return bytes.TrimSpace(AppendEvent(nil, &e)), nil }

// UnmarshalJSON reads an event's line.
func (e *Event) UnmarshalJSON(line []byte) error {
	known, err := (&decoder{}).decode(line, e)
	if err == nil && !known {
		err = fmt.Errorf("unknown type %q", e.Type)
	}
	return err
}

// decoder reads lines, the plain ones some twenty times faster than encoding/json. Names are the words seen so far:
// a trace has few, repeated endlessly.
type decoder struct {
	names map[string]string
}

// decode reads a line into an event, and reports whether its type is a known one.
func (d *decoder) decode(line []byte, e *Event) (known bool, err error) {
	if !d.decodePlain(line, e) {
		if err := decodeAny(line, e); err != nil {
			return false, err
		}
	}
	return e.Type.keys() != nil, nil
}

// decodeAny reads a line by encoding/json. Of one of an unknown type it reads no more than that.
func decodeAny(line []byte, e *Event) error {
	*e = Event{}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return fmt.Errorf("not an event: %w", err)
	}
	if err := json.Unmarshal(values["type"], &e.Type); err != nil || e.Type == "" {
		return errors.New(`not an event: no "type"`)
	}
	if e.Type.keys() == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if at := e.at(key); at != nil {
			if err := json.Unmarshal(values[key], at); err != nil {
				return fmt.Errorf("bad %s line: %q: %w", e.Type, key, err)
			}
		}
	}
	return nil
}

// decodePlain reads a line whose meaning is beyond doubt: a flat object of known keys in any order, strings without
// escapes, plain integers. At anything else it returns false, and encoding/json decides; FuzzReader holds the two to
// the same answers.
func (d *decoder) decodePlain(line []byte, e *Event) bool {
	*e = Event{}
	p := parser{b: line}
	if !p.eat('{') {
		return false
	}
	for {
		key, ok := p.str()
		if !ok || !p.eat(':') || !d.value(&p, e.at(string(key))) {
			return false
		}
		if p.eat(',') {
			continue
		}
		return p.eat('}') && p.atEnd() && e.Type != ""
	}
}

// value reads a value to where it is kept.
func (d *decoder) value(p *parser, at any) (ok bool) {
	var word string
	switch v := at.(type) {
	case *string:
		*v, ok = d.word(p)
	case *Role:
		word, ok = d.word(p)
		*v = Role(word)
	case *Type:
		text, _ := p.str()
		for i := range lines {
			if string(lines[i].kind) == string(text) {
				*v, ok = lines[i].kind, true
			}
		}
	case *int64:
		*v, ok = p.integer()
	case *int:
		var n int64
		n, ok = p.integer()
		*v = int(n)
		ok = ok && n == int64(*v)
	case *bool:
		*v, ok = p.boolean()
	}
	return ok
}

// These bound what a decoder keeps of a trace of any length. Longer text, such as a histogram, does not come again.
const (
	maxNames = 1024
	maxName  = 64 // bytes
)

// word reads a string, without allocating for one seen before.
func (d *decoder) word(p *parser) (string, bool) {
	v, ok := p.str()
	if !ok {
		return "", false
	}
	if s, seen := d.names[string(v)]; seen {
		return s, true
	}
	s := string(v)
	if d.names != nil && len(d.names) < maxNames && len(s) <= maxName {
		d.names[s] = s
	}
	return s, true
}
