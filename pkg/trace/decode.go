package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// UnmarshalJSON reads an event's line.
func (e *Event) UnmarshalJSON(line []byte) error {
	known, err := (&decoder{}).decode(line, e)
	if err == nil && !known {
		err = fmt.Errorf("unknown type %q", e.Type)
	}
	return err
}

// decoder reads lines, the plain ones some twenty times faster than encoding/json.
type decoder struct {
	names  map[string]string // words seen so far: a trace has few, repeated endlessly
	starts []start           // of lines of files and progress so far
	tries  int               // lines that were looked at for a start

	line []byte
	at   int
}

// start is how some lines begin, up to the key "seq", and what that says: nearly all lines of a trace begin as one
// shortly before does.
type start struct {
	text  []byte
	event *Event
}

// maxStarts bounds how many a line is compared with.
const maxStarts = 16

// numbers are what differs between lines of files, and of progress, that begin alike.
type numbers struct {
	seq                        int64
	bytes, startNS, endNS, tNS int64
}

// numbers returns those of the event.
func (e *Event) numbers() numbers { return numbers{int64(e.Seq), e.Bytes, e.StartNS, e.EndNS, e.TNS} }

// with returns the event of a line that begins as e's does.
func (e *Event) with(n numbers) Event {
	event := *e
	event.Seq, event.Bytes, event.StartNS, event.EndNS, event.TNS = int(n.seq), n.bytes, n.startNS, n.endNS, n.tNS
	return event
}

// decodeAlike reads a line that begins as one before did and goes on as AppendEvent writes it but for spaces. At any other it returns
// false. An integer that it takes is within the bounds of check.
func (d *decoder) decodeAlike(line []byte) (e *Event, n numbers, ok bool) {
	for i := range d.starts {
		s := &d.starts[i]
		if !bytes.HasPrefix(line, s.text) {
			continue
		}
		d.line, d.at = line, len(s.text)
		ok = d.number(`"seq"`, &n.seq) && int64(int(n.seq)) == n.seq && d.eat(',') && d.number(`"bytes"`, &n.bytes)
		if s.event.Type == ProgressType {
			ok = ok && d.eat(',') && d.number(`"t_ns"`, &n.tNS)
		} else {
			ok = ok && d.eat(',') && d.number(`"start_ns"`, &n.startNS) && d.eat(',') && d.number(`"end_ns"`, &n.endNS)
		}
		return s.event, n, ok && d.eat('}') && d.at == len(line)
	}
	return nil, n, false
}

// number reads an integer that follows a key.
func (d *decoder) number(key string, to *int64) (ok bool) {
	if !d.literal(key) || !d.eat(':') {
		return false
	}
	*to, ok = d.integer()
	return ok
}

// remember keeps how the line begins if others may begin alike. The event is the line's, and has been checked.
func (d *decoder) remember(line []byte, e *Event) {
	if d.tries == maxStarts || e.Filler || e.Type != FileType && e.Type != ProgressType {
		return
	}
	d.tries++
	packed := func(text []byte) []byte { return bytes.ReplaceAll(bytes.TrimSpace(text), []byte(" "), nil) }
	if bytes.Equal(packed(line), packed(AppendEvent(nil, e))) {
		d.starts = append(d.starts, start{line[:bytes.LastIndex(line, []byte(`"seq"`))], e})
	}
}

// These bound what a decoder keeps of a trace of any length. Longer text, such as a histogram, does not come again.
const (
	maxNames = 1024
	maxName  = 64 // bytes
)

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
	for i, key := range fields {
		if value, ok := values[key]; ok {
			if err := json.Unmarshal(value, e.at(i)); err != nil {
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
	d.line, d.at = line, 0
	key, more := 0, d.eat('{')
	if !more {
		return false
	}
	for ; more; key++ {
		name, ok := d.text()
		if key = field(name, key); !ok || key < 0 || !d.eat(':') {
			return false
		}
		if !d.value(e.at(key)) {
			return false
		}
		more = d.eat(',')
	}
	ends := d.eat('}')
	d.space()
	return ends && d.at == len(line) && e.Type != ""
}

// value reads a value to where it is kept.
func (d *decoder) value(at any) (ok bool) {
	switch v := at.(type) {
	case *string:
		*v, ok = d.word()
	case *Role:
		var word string
		word, ok = d.word()
		*v = Role(word)
	case *Type:
		text, _ := d.text()
		for i := range lines {
			if string(lines[i].kind) == string(text) {
				*v, ok = lines[i].kind, true
			}
		}
	case *int64:
		*v, ok = d.integer()
	case *int:
		var n int64
		n, ok = d.integer()
		*v = int(n)
		ok = ok && n == int64(*v)
	case *bool:
		*v = d.literal("true")
		ok = *v || d.literal("false")
	}
	return ok
}

// word reads a string, without allocating for one seen before.
func (d *decoder) word() (string, bool) {
	v, ok := d.text()
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

func (d *decoder) space() {
	for d.at < len(d.line) && (d.line[d.at] == ' ' || d.line[d.at] == '\t') {
		d.at++
	}
}

// eat steps over c, if that is what comes next.
func (d *decoder) eat(c byte) bool {
	d.space()
	if d.at < len(d.line) && d.line[d.at] == c {
		d.at++
		return true
	}
	return false
}

// literal steps over a word without quotes, if that is what comes next.
func (d *decoder) literal(word string) bool {
	d.space()
	if rest := d.line[d.at:]; len(rest) < len(word) || string(rest[:len(word)]) != word {
		return false
	}
	d.at += len(word)
	return true
}

// text reads a quoted string that needs no decoding.
func (d *decoder) text() ([]byte, bool) {
	if !d.eat('"') {
		return nil, false
	}
	start, plain := d.at, true
	for i, c := range d.line[start:] {
		switch {
		case c == '"':
			d.at = start + i + 1
			v := d.line[start : start+i]
			return v, plain || utf8.Valid(v)
		case c == '\\' || c < 0x20:
			return nil, false
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return nil, false
}

// integer reads an integer of at most 18 digits, which cannot overflow.
func (d *decoder) integer() (v int64, ok bool) {
	d.space()
	sign := int64(1)
	if d.at < len(d.line) && d.line[d.at] == '-' {
		sign = -1
		d.at++
	}
	rest, digits := d.line[d.at:], 0
	for digits < len(rest) && rest[digits]-'0' < 10 {
		v = v*10 + int64(rest[digits]-'0')
		digits++
	}
	d.at += digits
	return sign * v, digits == 1 || digits > 1 && digits <= 18 && rest[0] != '0'
}
