package trace

import (
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// parseFast reads file and progress lines, which make up nearly all of a trace, some twenty times faster
// than encoding/json. It takes only lines whose meaning is beyond doubt: a flat object of known keys in any
// order, strings without escapes, plain integers. At anything else it returns false, and encoding/json
// decides; FuzzReader holds the two to the same answers.
func (r *Reader) parseFast(line []byte) bool { //nolint:gocognit // a case for each key, few lines each
	r.event = Event{}
	e := &r.event
	p := parser{b: line}
	if !p.eat('{') {
		return false
	}
	for {
		key, ok := p.str()
		if !ok || !p.eat(':') {
			return false
		}
		switch string(key) {
		case "type":
			v, ok := p.str()
			if !ok {
				return false
			}
			switch string(v) {
			case string(FileType):
				e.Type = FileType
			case string(ProgressType):
				e.Type = ProgressType
			default:
				return false
			}
		case "phase":
			v, ok := p.str()
			if !ok {
				return false
			}
			e.Phase = r.intern(v)
		case "disk":
			v, ok := p.str()
			if !ok {
				return false
			}
			e.Disk = r.intern(v)
		case "op":
			v, ok := p.str()
			if !ok {
				return false
			}
			e.Op = scenario.Role(r.intern(v))
		case "seq":
			v, ok := p.integer()
			if !ok || v != int64(int(v)) {
				return false
			}
			e.Seq = int(v)
		case "bytes":
			if e.Bytes, ok = p.integer(); !ok {
				return false
			}
		case "t_ns":
			if e.TNS, ok = p.integer(); !ok {
				return false
			}
		case "start_ns":
			if e.StartNS, ok = p.integer(); !ok {
				return false
			}
		case "end_ns":
			if e.EndNS, ok = p.integer(); !ok {
				return false
			}
		case "filler":
			if e.Filler, ok = p.boolean(); !ok {
				return false
			}
		default:
			return false
		}
		if p.eat(',') {
			continue
		}
		return p.eat('}') && p.atEnd() && e.Type != ""
	}
}

// intern returns v as a string without allocating for one seen before: a trace has few names, repeated endlessly.
func (r *Reader) intern(v []byte) string {
	if s, ok := r.names[string(v)]; ok {
		return s
	}
	s := string(v)
	r.names[s] = s
	return s
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
