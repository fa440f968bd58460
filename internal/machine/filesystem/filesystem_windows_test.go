package filesystem

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A file that another program has open for a moment is replaced and renamed all the same.
func TestMoveHeldFile(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	check.Must(t, err)
	defer root.Close()
	hold := func() {
		other, err := os.Open(filepath.Join(root.Name(), "f"))
		check.Must(t, err)
		time.AfterFunc(heldTimeout/10, func() { _ = other.Close() })
	}
	check.Must(t, ReplaceIn(root, "f", put("first")))
	hold()
	check.Must(t, ReplaceIn(root, "f", put("second")))
	hold()
	check.Must(t, Replace(filepath.Join(root.Name(), "f"), put("third")))
	hold()
	check.Must(t, Move(root.Rename, "f", "g"))
	if got, err := root.ReadFile("g"); string(got) != "third" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}
