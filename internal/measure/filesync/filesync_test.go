package filesync

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

func TestSync(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Sync(f); err != nil {
		t.Errorf("sync: %v", err)
	}
	if err := plainSync(f); err != nil {
		t.Errorf("plain sync: %v", err)
	}
}

func TestUnsupported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these are Unix error numbers")
	}
	for err, want := range map[error]bool{syscall.ENOTTY: true, syscall.EINVAL: true, syscall.ENOTSUP: true, syscall.EIO: false, syscall.ENOSPC: false} {
		if got := Unsupported(&os.PathError{Op: "sync", Path: "f", Err: err}); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
	if Unsupported(nil) {
		t.Error("no error counts as one")
	}
}
