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

func truth(d dict, key string) bool {
	v := d.Flag(key)
	return v != nil && *v
}

// texts are the strings of an array, or the one that stands without it.
func texts(d dict, key string) (list []string) {
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
	text := decode(answer)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	return capture.JSON(text)
}

// decode turns what PowerShell printed into UTF-8: UTF-16 of either order, with a mark or without, if the console is
// set so, and UTF-8 with a mark.
func decode(answer []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(answer, []byte{0xef, 0xbb, 0xbf}):
		return answer[3:]
	case bytes.HasPrefix(answer, []byte{0xff, 0xfe}), len(answer) > 1 && answer[0] != 0 && answer[1] == 0:
		order = binary.LittleEndian
	case bytes.HasPrefix(answer, []byte{0xfe, 0xff}), len(answer) > 1 && answer[0] == 0 && answer[1] != 0:
		order = binary.BigEndian
	default:
		return answer
	}
	units := make([]uint16, len(answer)/2)
	_, _ = binary.Decode(answer, order, units) // which are as many as there are
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

// Descriptor is what a disk's driver says of it (STORAGE_DEVICE_DESCRIPTOR, the answer to
// IOCTL_STORAGE_QUERY_PROPERTY): the part of the script's answer that is known without PowerShell.
type Descriptor struct {
	Vendor, Product, Revision, Serial string
	Bus                               int // STORAGE_BUS_TYPE
}

// ReadDescriptor reads a descriptor; what it does not hold is empty. Texts stand at offsets that its head names, 0
// for none.
func ReadDescriptor(b []byte) Descriptor {
	if len(b) < 32 {
		return Descriptor{}
	}
	field := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	text := func(at int) string {
		offset := int64(field(at))
		if offset == 0 || offset >= int64(len(b)) {
			return ""
		}
		s, _, _ := bytes.Cut(b[offset:], []byte{0})
		return strings.TrimSpace(string(s))
	}
	return Descriptor{Vendor: text(12), Product: text(16), Revision: text(20), Serial: text(24), Bus: int(field(28))}
}
