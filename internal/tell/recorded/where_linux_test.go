package recorded

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/check"
)

// A run in a folder that this user may not enter is a mistake of the user's, who is told of it in a
// line.
func TestRunsThatMayNotBeRead(t *testing.T) {
	closed := t.TempDir()
	path := filepath.Join(closed, "run")
	check.Must(t, os.Chmod(closed, 0))
	const nobody = 65534 // root may enter, and so this thread is not root's for a moment
	runtime.LockOSThread()
	check.Must(t, unix.Setfsuid(nobody))
	refused := map[string]error{"a run": checkPath(path), "a run to resume": CheckResumable(path)}
	check.Must(t, unix.Setfsuid(os.Getuid()))
	check.Must(t, os.Chmod(closed, 0o600))
	runtime.UnlockOSThread()
	for name, err := range refused {
		code, _ := exit.Mistakes(err)
		if code != exit.Misuse ||
			!strings.Contains(err.Error(), path+": permission denied; ") {
			t.Errorf("%s: %v, want a usage error", name, err)
		}
	}
}
