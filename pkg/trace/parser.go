package trace

import "unicode/utf8"

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
