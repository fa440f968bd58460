package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first := open()
	if err := Take(first); err != nil {
		t.Fatal(err)
	}
	if err := Take(open()); !errors.Is(err, ErrBusy) {
		t.Errorf("a held file: got %v, want %v", err, ErrBusy)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Take(open()); err != nil {
		t.Errorf("after its holder closed it: got %v", err)
	}
}
