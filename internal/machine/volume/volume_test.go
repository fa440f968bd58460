package volume

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	dir := t.TempDir()
	v, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	if v.Size <= 0 || v.Used < 0 || v.Free < 0 || v.Used+v.Free > v.Size {
		t.Errorf("got %+v", v)
	}
	if _, err := Of(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that is not there: %v", err)
	}
}
