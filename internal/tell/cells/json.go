package cells

import (
	"bytes"
	"encoding/json"

	"github.com/hubbench/hubbench/pkg/trace"
)

// JSON writes a value for people and programs, with nothing in it that a terminal would act on.
func JSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(trace.EscapeControls(joinNumbers(data)), '\n'), err
}

// joinNumbers puts each list of numbers in indented JSON on one line: a number on a line of its own
// takes more spaces than digits, and a thousand of them are unreadable. No string has a line's end
// in it. The value stays the same.
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
