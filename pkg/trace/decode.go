package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// decode reads a line by encoding/json, and reports whether its type is a known one. Of a line of
// an unknown type it reads no more than that.
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

// heads are how lines of files and progress begin, up to the number of the file, and what that
// says: nearly all lines of a trace begin as one before did. Such a line is read a hundred times
// faster than by encoding/json, which reads those that are not written as AppendEvent does.
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
	event.Seq = int(n.seq)
	event.Bytes = n.bytes
	event.StartNS = n.startNS
	event.EndNS = n.endNS
	event.TNS = n.tNS
	event.Filler = n.filler
	return event
}

// decode reads a line that begins as one before did and goes on as AppendEvent writes it. At any
// other it returns false. An integer that it takes is within the bounds of check.
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
		rest := tail{text: line[len(head.text):], ok: true}
		n.seq = rest.number(`,"bytes":`)
		if head.event.Type == ProgressType {
			n.bytes = rest.number(`,"t_ns":`)
			n.tNS = rest.number("")
		} else {
			n.bytes = rest.number(`,"start_ns":`)
			n.startNS = rest.number(`,"end_ns":`)
			n.endNS = rest.number("")
			n.filler = string(rest.text) == `,"filler":true}`
		}
		whole := n.filler || string(rest.text) == "}"
		return head.event, n, rest.ok && whole && int64(int(n.seq)) == n.seq
	}
	return nil, n, false
}

// remember keeps how the line begins if others may begin alike. The event is the line's, and has
// been checked.
func (h *heads) remember(line []byte, e *Event) {
	if e.Type != FileType && e.Type != ProgressType ||
		!bytes.Equal(line, bytes.TrimSpace(AppendEvent(nil, e))) {
		return
	}
	if len(h.known) == maxHeads {
		h.known = h.known[:0]
	}
	const seq = `"seq":`
	h.known = append(h.known, head{bytes.Clone(line[:bytes.LastIndex(line, []byte(seq))+len(seq)]),
		e})
}

// tail is the rest of a line, as long as it is what was expected.
type tail struct {
	text []byte
	ok   bool
}

// number takes an integer, of at most 18 digits, which cannot overflow, and what must follow it.
func (t *tail) number(follows string) (v int64) {
	text := t.text
	minus := len(text) > 0 && text[0] == '-'
	if minus {
		text = text[1:]
	}
	digits := 0
	for digits < len(text) && text[digits]-'0' < 10 {
		v = v*10 + int64(text[digits]-'0')
		digits++
	}
	if minus {
		v = -v
	}
	plain := digits == 1 || digits > 1 && digits <= 18 && text[0] != '0'
	text = text[digits:]
	if len(text) < len(follows) || string(text[:len(follows)]) != follows {
		plain = false
	} else {
		text = text[len(follows):]
	}
	t.text = text
	t.ok = t.ok && plain
	return v
}
