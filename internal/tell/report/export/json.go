package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
)

// JSON writes a value where results go, with nothing in it that a terminal would act on.
func JSON(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeControls(text.Bytes()))
	return err
}

// escapeControls writes what encoding/json leaves as it is though a terminal acts on it, U+007F to U+009F and what
// turns the direction of text, as it writes the other controls. They stand in strings only.
func escapeControls(text []byte) []byte {
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

func acts(r rune) bool { return r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Bidi_Control, r) }
