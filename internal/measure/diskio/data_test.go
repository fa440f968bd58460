package diskio

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestNoiseIsIncompressible(t *testing.T) {
	p := make([]byte, 1<<20)
	noise(p, 1, 0)
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	check.Must(t, err)
	_, err = w.Write(p)
	check.Must(t, errors.Join(err, w.Close()))
	if out.Len() < len(p) {
		t.Errorf("%d bytes of noise compress to %d", len(p), out.Len())
	}
}

// No unit may equal another, though they share the buffer they are written from.
func TestEveryUnitIsStamped(t *testing.T) {
	for _, tt := range []struct{ unit, bytes int64 }{
		{dataUnit, 1 << 20},
		{dataUnit, dataUnit + 512}, // a last unit that is only a sector
		{smallUnit, 6 * 1024},
	} {
		buf := make([]byte, tt.bytes)
		seen := map[[stampBytes]byte]bool{}
		want := 0
		for file := range uint32(3) {
			for block := range int64(4) {
				s := stamper{tag: tagOf("r1", "A"), file: file, unit: tt.unit}
				s.put(buf, block*tt.bytes, 0)
				for at := int64(0); at < tt.bytes; at += tt.unit {
					seen[[stampBytes]byte(buf[at:])] = true
					want++
					if got := int64(binary.LittleEndian.Uint64(buf[at+16:])); got != block*tt.bytes+
						at {
						t.Fatalf("unit %d: %d bytes at %d: stamped offset = %d", tt.unit, tt.bytes,
							at, got)
					}
				}
			}
		}
		check.Same(t, fmt.Sprintf("different stamps, unit %d", tt.unit), want, len(seen))
	}
}

// What a block of 1 MiB costs. At 3 GB/s there are 2,861 a second, and stamping them may cost 50 ms
// (5 %) in all.
func BenchmarkData(b *testing.B) {
	buf := make([]byte, 64<<20)
	s := stamper{tag: 1, unit: dataUnit}
	noise(buf, 1, 0)
	s.put(buf, 0, 0)
	for name, do := range map[string]func(at int64){
		"noise":        func(int64) { noise(buf[:1<<20], 1, 0) },
		"stamp":        func(at int64) { s.put(buf[at:at+1<<20], at, at) },
		"check stamps": func(at int64) { _ = s.check(buf[at:at+1<<20], at, checkStamps) },
		"check all":    func(at int64) { _ = s.check(buf[at:at+1<<20], at, checkAll) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(1 << 20)
			b.ReportAllocs()
			for i := int64(0); b.Loop(); i++ {
				do(i << 20 % int64(len(buf)))
			}
		})
	}
}
