package windows

import (
	"encoding/binary"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestReadDescriptor(t *testing.T) {
	b := make([]byte, 40, 80)
	binary.LittleEndian.PutUint32(b[12:], 40)
	binary.LittleEndian.PutUint32(b[16:], 49)
	binary.LittleEndian.PutUint32(b[24:], 61)
	binary.LittleEndian.PutUint32(b[28:], 7)
	b = append(b, "Samsung \x00Portable T7\x00"...)
	b = append(b, "  S6XDNS0T\x00"...)
	want := Descriptor{Vendor: "Samsung", Product: "Portable T7", Serial: "S6XDNS0T", Bus: 7}
	check.Same(t, "descriptor", want, ReadDescriptor(b))
	for n := range b { // cut short anywhere it is read as far as it goes
		if got := ReadDescriptor(b[:n]); n < 32 && got != (Descriptor{}) || n >= 62 && got.Product != want.Product {
			t.Errorf("cut at %d: %+v", n, got)
		}
	}
	binary.LittleEndian.PutUint32(b[16:], 1<<31)
	check.Same(t, "of an offset behind the end", "", ReadDescriptor(b).Product)
}
