//go:build unix

package testfolder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// A pipe is not waited for.
func TestPipesWithOurNames(t *testing.T) {
	for _, name := range []string{MarkerName, ListName, ProbeName} {
		dir := t.TempDir()
		path := makeFolder(t, dir)
		_ = os.Remove(filepath.Join(path, name))
		check.Must(t, syscall.Mkfifo(filepath.Join(path, name), 0o600))
		_, err := Open(dir, "r1")
		check.Refused(t, "Open() beside a pipe "+name, err, "not a regular file")
		check.Refused(t, "RemoveRun() beside a pipe "+name, RemoveRun(dir, "r1"), "not a regular file")
		if _, err := HoldRun(dir, "r1"); (err != nil) != (name == MarkerName) {
			t.Errorf("HoldRun() beside a pipe %s: %v", name, err)
		}
	}
}

// What another user has prepared is not worked in; who may read it can clean it up.
func TestFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	const other = 12345
	dir := t.TempDir()
	path := makeFolder(t, dir, "data-000001.bin")
	give := func(name string) { check.Must(t, os.Chown(filepath.Join(path, name), other, -1)) }
	give("data-000001.bin")
	f, err := Open(dir, "r1")
	check.Must(t, err) // It is not listed.
	check.Refused(t, "another's file in our folder", f.Remove(), "belongs to another user")
	give(".")
	entries, err := os.ReadDir(path)
	check.Must(t, err)
	for _, e := range entries {
		give(e.Name())
	}
	_, err = Open(dir, "r1")
	check.Refused(t, "another's folder", err, "its marker belongs to another user")
	cleaned, err := Clean(dir) // as by sudo
	check.Must(t, err)
	check.Same(t, "Clean()", []Cleaned{{Path: path, Files: 1, Bytes: 7}}, cleaned)
	check.Empty(t, dir)
}
