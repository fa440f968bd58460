package catalogue

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A table whose lengths are false is refused at once: what is read of it takes no more memory than
// its size allows, and nothing panics.
func TestDamagedTables(t *testing.T) {
	dir := t.TempDir()
	add(t, dir, farm()(0))
	name := filepath.Join(dir, "disk", "month=2026-01", fileOf(id(0), "0000"))
	good, err := os.ReadFile(name)
	check.Must(t, err)
	read := func(text []byte) error {
		check.Must(t, os.WriteFile(name, text, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Disks(dir)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
			t.Errorf("%d MB were taken for a file of %d bytes (%v)", took>>20, len(text), err)
		}
		return err
	}
	check.Must(t, read(good))
	for _, length := range []uint32{0, 1 << 20, 1 << 31, 1<<32 - 1} {
		text := bytes.Clone(good)
		binary.LittleEndian.PutUint32(text[len(text)-8:], length)
		check.Refused(t, fmt.Sprint("a footer of ", length), read(text), "damaged")
	}
	refused, tries := 0, 0
	for at := 0; at < len(good); at += 1 + at%61 {
		// The largest number of Thrift's is five such bytes, and a small one.
		text := bytes.Clone(good)
		copy(text[at:], "\xff\xff\xff\xff\x07")
		if read(text) != nil {
			refused++
		}
		tries++
	}
	if refused < tries/2 {
		t.Errorf("%d of %d damaged files were refused, want more than half", refused, tries)
	}
	for _, length := range []int{0, 1, 8, 100, len(good) - 1} {
		check.Refused(t, "a file that was cut off", read(good[:length]), "damaged")
	}
}
