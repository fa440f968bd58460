package windows

import (
	"bytes"
	"encoding/binary"
	"strings"
)

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
