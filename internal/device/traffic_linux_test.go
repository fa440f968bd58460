package device

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTraffic(t *testing.T) {
	dir := t.TempDir()
	before, ok := Traffic(dir)
	if !ok {
		t.Skip("the temporary folder is on no block device")
	}
	file, err := os.Create(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 8 << 20
	if _, err := file.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if after, _ := Traffic(dir); after-before < size/512 {
		t.Errorf("writing %d sectors moved the count by %d", size/512, after-before)
	}
	if _, ok := Traffic(filepath.Join(dir, "none")); ok {
		t.Error("a folder that does not exist has traffic")
	}
}
