package cells

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A path in a command that was printed, and so cleaned, is the path that was meant.
func TestShellOfPrintedPaths(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	for _, path := range []string{
		"/a/b", "/a b", "/it's", "/a\u202eb", "/a\nb", "/it's \\ \u2066é", "/$x`y`",
	} {
		said, err := exec.Command(bash, "-c", "printf %s "+Clean(Shell(path))).Output()
		check.Must(t, err)
		check.Same(t, "path", path, string(said))
	}
}
