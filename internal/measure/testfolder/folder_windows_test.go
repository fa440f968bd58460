package testfolder

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A folder that another program has open for a moment is removed all the same.
func TestRemoveHeldFolder(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir, "held")
	check.Must(t, err)
	other, err := os.Open(f.Path)
	check.Must(t, err)
	time.AfterFunc(heldTimeout/10, func() { _ = other.Close() })
	check.Must(t, f.Remove())
	if _, err := os.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}
