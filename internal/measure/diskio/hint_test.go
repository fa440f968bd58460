package diskio

import (
	"io/fs"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// What is recommended on macOS is what its own drivers write best.
func TestNoExFATOnMacOS(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this is a Unix error number")
	}
	hint := hintFor(&fs.PathError{Op: "write", Path: "/Volumes/A", Err: syscall.EFBIG})
	if !strings.Contains(hint, "APFS") ||
		strings.Contains(hint, "exFAT") != (runtime.GOOS != "darwin") {
		t.Errorf("on %s the hint is %q", runtime.GOOS, hint)
	}
}

// A refusal by macOS itself is distinguished from one by the folder: the cure is another.
func TestConsent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these are Unix error numbers")
	}
	for _, tt := range []struct {
		system string
		err    error
		want   bool
	}{
		{"darwin", syscall.EPERM, true}, {"darwin", syscall.EACCES, false},
		{"linux", syscall.EPERM, false},
	} {
		if got := lacksConsent(tt.system,
			&fs.PathError{Op: "open", Path: "/Volumes/A", Err: tt.err}); got != tt.want {
			t.Errorf("%v on %s: got %v, want %v", tt.err, tt.system, got, tt.want)
		}
	}
	hint := hintFor(&fs.PathError{Op: "open", Path: "/Volumes/A", Err: syscall.EPERM})
	if got := strings.Contains(hint, "Privacy & Security"); got != (runtime.GOOS == "darwin") ||
		strings.Contains(hint, "\n") || hint == "" {
		t.Errorf("on %s the hint is %q", runtime.GOOS, hint)
	}
}
