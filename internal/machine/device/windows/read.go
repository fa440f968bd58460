package windows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
)

type dict = capture.Dict

func isTrue(d dict, key string) bool {
	v := d.Flag(key)
	return v != nil && *v
}

// textList returns the strings of an array, or the one that stands without it.
func textList(d dict, key string) (list []string) {
	values, isList := d[key].([]any)
	if !isList {
		values = []any{d[key]}
	}
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" {
			list = append(list, s)
		}
	}
	return list
}

func read(answer []byte) (dict, error) {
	text := Decode(answer)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	return capture.JSON(text)
}

// Decode turns what PowerShell printed into UTF-8: UTF-16 of either order, with a mark or without,
// if the console is set so, and UTF-8 with a mark.
func Decode(answer []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(answer, []byte{0xef, 0xbb, 0xbf}):
		return answer[3:]
	case bytes.HasPrefix(answer, []byte{0xff, 0xfe}), len(answer) > 1 && answer[0] != 0 &&
		answer[1] == 0:
		order = binary.LittleEndian
	case bytes.HasPrefix(answer, []byte{0xfe, 0xff}), len(answer) > 1 && answer[0] == 0 &&
		answer[1] != 0:
		order = binary.BigEndian
	default:
		return answer
	}
	units := make([]uint16, len(answer)/2)
	_, _ = binary.Decode(answer, order, units) // It can't be too short.
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}
