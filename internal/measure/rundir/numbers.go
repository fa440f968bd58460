package rundir

import "bytes"

// joinNumbers puts each list of numbers in indented JSON on one line: a number on a line of its own takes more spaces than
// digits, and a thousand of them are unreadable. The value stays the same.
func joinNumbers(indented []byte) []byte {
	out := indented[:0] // never longer than what was read
	for len(indented) > 0 {
		n := 1
		switch indented[0] {
		case '"':
			n = stringLength(indented)
		case '[':
			if end := bytes.IndexAny(indented[1:], `]["{`); end >= 0 && indented[1+end] == ']' {
				for field := range bytes.FieldsSeq(indented[:1+end]) {
					out = append(out, field...)
					if field[len(field)-1] == ',' {
						out = append(out, ' ')
					}
				}
				indented = indented[1+end:]
				continue
			}
		}
		out = append(out, indented[:n]...)
		indented = indented[n:]
	}
	return out
}

// stringLength is that of the string at the beginning of JSON, with its quotes.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
