package diskio

import (
	"io/fs"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// What is recommended on macOS is what its own drivers write best, and a refusal by macOS itself is
// distinguished from one by the folder: the cure is another.
func TestHints(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these are Unix error numbers")
	}
	onMac := runtime.GOOS == "darwin"
	hint := func(err error) string {
		return hintFor(&fs.PathError{Op: "open", Path: "/Volumes/A", Err: err})
	}
	large, refused := hint(syscall.EFBIG), hint(syscall.EPERM)
	check.Same(t, "exFAT is recommended", !onMac, strings.Contains(large, "exFAT"))
	check.Same(t, "consent is asked for", onMac, strings.Contains(refused, "Privacy & Security"))
	if !strings.Contains(large, "APFS") || refused == "" || strings.Contains(refused, "\n") {
		t.Errorf("the hints are %q and %q", large, refused)
	}
	for system, want := range map[string]bool{"darwin": true, "linux": false} {
		check.Same(t, "EPERM on "+system, want, lacksConsent(system, syscall.EPERM))
		check.Same(t, "EACCES on "+system, false, lacksConsent(system, syscall.EACCES))
	}
}
