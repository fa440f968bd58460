package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decode reads a line by encoding/json, and reports whether its type is a known one. Of a line of an unknown type it
// reads no more than that.
func (e *Event) decode(line []byte) (known bool, err error) {
	*e = Event{}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		if json.Valid(line) {
			return false, errors.New("not an event: want an object")
		}
		return false, fmt.Errorf("not an event: %w", err)
	}
	if err := json.Unmarshal(values["type"], &e.Type); err != nil || e.Type == "" {
		return false, errors.New(`not an event: no "type"`)
	}
	if e.Type.keys() == nil {
		return false, nil
	}
	for i, key := range fields {
		if value, ok := values[key]; ok {
			if err := json.Unmarshal(value, e.at(i)); err != nil {
				return false, fmt.Errorf("bad %s line: %q: %w", e.Type, key, err)
			}
		}
	}
	return true, nil
}

// heads are how lines of files and progress begin, up to the key "seq", and what that says: nearly all lines of a
// trace begin as one before did. Such a line is read a hundred times faster than by encoding/json,
// which reads lines whose keys come in another order.
type heads struct {
	known []head
	next  int // the one that follows the last that a line had: disks take turns
}

type head struct {
	text  []byte
	event *Event
}

// maxHeads is several times as many as the disks of a phase.
const maxHeads = 256

// numbers are what differs between lines of files, and of progress, that begin alike.
type numbers struct {
	seq                        int64
	bytes, startNS, endNS, tNS int64
	filler                     bool
}

// numbers returns those of the event.
func (e *Event) numbers() numbers {
	return numbers{int64(e.Seq), e.Bytes, e.StartNS, e.EndNS, e.TNS, e.Filler}
}

// with returns the event of a line that begins as e's does.
func (e *Event) with(n numbers) Event {
	event := *e
	event.Seq, event.Bytes, event.StartNS, event.EndNS, event.TNS = int(n.seq), n.bytes, n.startNS, n.endNS, n.tNS
	event.Filler = n.filler
	return event
}

// decode reads a line that begins as one before did and goes on as AppendEvent writes it but for spaces. At any other
// it returns false. An integer that it takes is within the bounds of check.
func (h *heads) decode(line []byte) (e *Event, n numbers, ok bool) {
	for range h.known {
		if h.next >= len(h.known) {
			h.next = 0
		}
		head := h.known[h.next]
		h.next++
		if !bytes.HasPrefix(line, head.text) {
			continue
		}
		rest := tail{text: line, at: len(head.text), after: ','}
		n.seq = rest.number(`"seq"`)
		n.bytes = rest.number(`"bytes"`)
		if head.event.Type == ProgressType {
			n.tNS = rest.number(`"t_ns"`)
		} else {
			n.startNS = rest.number(`"start_ns"`)
			n.endNS = rest.number(`"end_ns"`)
			n.filler = rest.after == ',' && string(line[rest.at:]) == `"filler":true}`
		}
		return head.event, n, (rest.after == '}' || n.filler) && int64(int(n.seq)) == n.seq
	}
	return nil, n, false
}

// remember keeps how the line begins if others may begin alike. The event is the line's, and has been checked.
func (h *heads) remember(line []byte, e *Event) {
	if e.Type != FileType && e.Type != ProgressType {
		return
	}
	packed := func(text []byte) []byte { return bytes.ReplaceAll(bytes.TrimSpace(text), []byte(" "), nil) }
	if !bytes.Equal(packed(line), packed(AppendEvent(nil, e))) {
		return
	}
	if len(h.known) == maxHeads {
		h.known = h.known[:0]
	}
	h.known = append(h.known, head{bytes.Clone(line[:bytes.LastIndex(line, []byte(`"seq"`))]), e})
}

// tail is the rest of a line from a place on, and what stands before it: a comma, or the brace that ends the line; 0 if
// it does not hold keys with integers.
type tail struct {
	text  []byte
	at    int
	after byte
}

// number reads a key and its integer, of at most 18 digits, which cannot overflow.
func (t *tail) number(key string) (v int64) {
	t.space()
	rest := t.text[t.at:]
	ok := t.after == ',' && len(rest) > len(key) && string(rest[:len(key)]) == key
	t.after = 0
	if !ok {
		return 0
	}
	t.at += len(key)
	if !t.eat(':') {
		return 0
	}
	sign := int64(1)
	if t.eat('-') {
		sign = -1
	}
	digits := 0
	rest = t.text[t.at:]
	for digits < len(rest) && rest[digits]-'0' < 10 {
		v = v*10 + int64(rest[digits]-'0')
		digits++
	}
	t.at += digits
	switch plain := digits == 1 || digits > 1 && digits <= 18 && rest[0] != '0'; {
	case plain && t.eat(','):
		t.after = ','
	case plain && t.eat('}') && t.at == len(t.text):
		t.after = '}'
	}
	return sign * v
}

func (t *tail) space() {
	for t.at < len(t.text) && (t.text[t.at] == ' ' || t.text[t.at] == '\t') {
		t.at++
	}
}

// eat steps over spaces and c, if that is what comes next.
func (t *tail) eat(c byte) bool {
	t.space()
	if t.at < len(t.text) && t.text[t.at] == c {
		t.at++
		return true
	}
	return false
}
