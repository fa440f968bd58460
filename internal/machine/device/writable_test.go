package device

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A folder that root has made is passed over for one that the user may write to.
func TestWritableFolder(t *testing.T) {
	mount := t.TempDir()
	mine := filepath.Join(mount, "mine")
	check.Must(t, os.Mkdir(mine, 0o755))
	check.Same(t, "own folder", mount, WritableFolder(mount))
	if os.Geteuid() == 0 || os.PathSeparator == '\\' {
		t.Skip("nothing is out of reach for root, nor by its mode on Windows")
	}
	check.Must(t, os.Chmod(mount, 0o555))            //nolint:gosec // a folder
	t.Cleanup(func() { _ = os.Chmod(mount, 0o755) }) //nolint:gosec // a folder
	check.Same(t, "folder of root", mine, WritableFolder(mount))
}
