package prepare

import (
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	if err := openFolder(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	check.Refused(t, "no folder", openFolder(filepath.Join(dir, "absent")),
		"check that the disk is mounted")
}
