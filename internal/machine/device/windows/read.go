package windows

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
)

// dict is an object of the answer. Its accessors take what is missing, or of another type than expected, for unknown.
type dict map[string]any

// text is a string without the blanks and zeros that devices and PowerShell pad it with: a partition that has no letter has
// a zero for one.
func (d dict) text(key string) string {
	s, _ := d[key].(string)
	return strings.Trim(s, " \t\r\n\x00")
}

// number is an integer, which some versions of PowerShell put in quotes; false if there is none.
func (d dict) number(key string) (int64, bool) {
	var words string
	switch v := d[key].(type) {
	case json.Number:
		words = v.String()
	case string:
		words = v
	}
	n, err := strconv.ParseInt(words, 10, 64)
	return n, err == nil
}

func (d dict) truth(key string) bool {
	v, _ := d[key].(bool)
	return v || strings.EqualFold(d.text(key), "true")
}

func (d dict) dict(key string) dict {
	v, _ := d[key].(map[string]any)
	return v
}

// list are the objects of an array. ConvertTo-Json gives a single one without its array, and nothing as null or {}.
func (d dict) list(key string) []dict { return dicts(d[key]) }

func dicts(v any) []dict {
	var list []dict
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			list = append(list, dicts(e)...)
		}
	case map[string]any:
		if value, ok := v["value"]; ok && len(v) == 2 { // and an array within another as {value, Count}
			return dicts(value)
		}
		list = append(list, v)
	}
	return list
}

// texts are the strings of an array, or the one that stands without it.
func (d dict) texts(key string) []string {
	var list []string
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
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	return object, nil
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
	for i := range units {
		units[i] = order.Uint16(answer[2*i:])
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

// Descriptor is what a disk's driver says of it (STORAGE_DEVICE_DESCRIPTOR, the answer to IOCTL_STORAGE_QUERY_PROPERTY):
// the part of the script's answer that is known without PowerShell.
type Descriptor struct {
	Vendor, Product, Revision, Serial string
	Bus                               int // STORAGE_BUS_TYPE
}

// ReadDescriptor reads a descriptor; what it does not hold is empty. Texts stand at offsets that its head names, 0 for none.
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
