package trace

import (
	"unicode/utf8"
)

// parseFast reads file and progress lines, which make up nearly all of a trace, some twenty times faster
// than encoding/json. It takes only lines whose meaning is beyond doubt: a flat object of known keys in any
// order, strings without escapes, plain integers. At anything else it returns false, and encoding/json
// decides; FuzzReader holds the two to the same answers.
func (r *Reader) parseFast(line []byte) bool {
	r.event = Event{}
	p := parser{b: line}
	if !p.eat('{') {
		return false
	}
	for {
		key, ok := p.str()
		if !ok || !p.eat(':') || !r.parseValue(&p, string(key)) {
			return false
		}
		if p.eat(',') {
			continue
		}
		return p.eat('}') && p.atEnd() && r.event.Type != ""
	}
}

// parseValue reads the value of a key into the event.
func (r *Reader) parseValue(p *parser, key string) (ok bool) {
	e := &r.event
	switch key {
	case "type":
		var v []byte
		if v, ok = p.str(); string(v) == string(FileType) {
			e.Type = FileType
		} else if string(v) == string(ProgressType) {
			e.Type = ProgressType
		} else {
			return false
		}
	case "phase":
		e.Phase, ok = r.word(p)
	case "disk":
		e.Disk, ok = r.word(p)
	case "op":
		var op string
		op, ok = r.word(p)
		e.Op = Role(op)
	case "seq":
		var v int64
		v, ok = p.integer()
		e.Seq = int(v)
		ok = ok && v == int64(e.Seq)
	case "bytes":
		e.Bytes, ok = p.integer()
	case "t_ns":
		e.TNS, ok = p.integer()
	case "start_ns":
		e.StartNS, ok = p.integer()
	case "end_ns":
		e.EndNS, ok = p.integer()
	case "filler":
		e.Filler, ok = p.boolean()
	}
	return ok
}

// word reads a string, without allocating for one seen before: a trace has few names, repeated endlessly.
func (r *Reader) word(p *parser) (string, bool) {
	v, ok := p.str()
	if !ok {
		return "", false
	}
	if s, seen := r.names[string(v)]; seen {
		return s, true
	}
	s := string(v)
	r.names[s] = s
	return s, true
}

// parser steps through one line.
type parser struct {
	b []byte
	i int
}

func (p *parser) space() {
	for p.i < len(p.b) && (p.b[p.i] == ' ' || p.b[p.i] == '\t') {
		p.i++
	}
}

// eat steps over c, if that is what comes next.
func (p *parser) eat(c byte) bool {
	p.space()
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) atEnd() bool {
	p.space()
	return p.i == len(p.b)
}

// str reads a quoted string that needs no decoding.
func (p *parser) str() ([]byte, bool) {
	if !p.eat('"') {
		return nil, false
	}
	start, plain := p.i, true
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '"':
			v := p.b[start:p.i]
			p.i++
			return v, plain || utf8.Valid(v)
		case c == '\\' || c < 0x20:
			return nil, false
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	return nil, false
}

func (p *parser) boolean() (v, ok bool) {
	p.space()
	for _, word := range []string{"false", "true"} {
		if rest := p.b[p.i:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
			p.i += len(word)
			return word == "true", true
		}
	}
	return false, false
}

// integer reads an integer of at most 18 digits, which cannot overflow.
func (p *parser) integer() (int64, bool) {
	p.space()
	negative := p.i < len(p.b) && p.b[p.i] == '-'
	if negative {
		p.i++
	}
	start := p.i
	var v int64
	for ; p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9'; p.i++ {
		v = v*10 + int64(p.b[p.i]-'0')
		if p.i-start >= 18 {
			return 0, false
		}
	}
	digits := p.i - start
	if digits == 0 || (digits > 1 && p.b[start] == '0') {
		return 0, false
	}
	if negative {
		v = -v
	}
	return v, true
}
