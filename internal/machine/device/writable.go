package device

import (
	"os"
	"path/filepath"
	"strings"
)

// WritableFolder returns the folder of a volume that this user may write to: its own, or the first
// in it; empty if there is none.
func WritableFolder(mount string) string {
	if canWrite(mount) {
		return mount
	}
	entries, _ := os.ReadDir(mount)
	for _, e := range entries {
		inside := filepath.Join(mount, e.Name())
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && canWrite(inside) {
			return inside
		}
	}
	return ""
}

func canWrite(folder string) bool {
	place, err := Inspect(folder)
	return err == nil && place.Writable == nil
}
