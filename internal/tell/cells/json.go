package cells

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
)

// JSON writes a value for people and programs, with nothing in it that a terminal would act on.
func JSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(escapeControls(joinNumbers(data)), '\n'), err
}

// escapeControls writes what encoding/json leaves as it is though a terminal acts on it, U+007F to U+009F and what
// turns the direction of text, as it writes the other controls. They stand in strings only.
func escapeControls(text []byte) []byte {
	acts := func(r rune) bool { return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) }
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

// joinNumbers puts each list of numbers in indented JSON on one line: a number on a line of its own takes more spaces
// than digits, and a thousand of them are unreadable. No string has a line's end in it. The value stays the same.
func joinNumbers(indented []byte) []byte {
	out := indented[:0] // never longer than what was read
	for {
		before, list, found := bytes.Cut(indented, []byte("[\n"))
		if out = append(out, before...); !found {
			return out
		}
		out = append(out, '[')
		indented = list
		if end := bytes.IndexAny(list, `]["{`); end >= 0 && list[end] == ']' {
			indented = list[end:]
			out = append(out, bytes.Join(bytes.Fields(list[:end]), []byte{' '})...)
		} else {
			out = append(out, '\n')
		}
	}
}
