package prepare

import (
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestReach(t *testing.T) {
	dir := t.TempDir()
	if err := reach(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	check.Refused(t, "no folder", reach(filepath.Join(dir, "absent")),
		"check that the disk is mounted")
}
