package filesync

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	for _, text := range []string{"first", "second", ""} {
		if err := Write(path, put(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	failed := errors.New("failed")
	if err := Write(path, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if got, _ := os.ReadFile(path); string(got) != "" {
		t.Errorf("a failed write left %q", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left beside the file: %v", entries)
	}
}

// What is being written, or was when its process was killed, is known by its name, and nothing else is.
func TestIsPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var during []string
	if err := Write(path, func(io.Writer) (err error) {
		during, err = filepath.Glob(path + ".*")
		return err
	}); err != nil || len(during) != 1 || !IsPart(path, during[0]) {
		t.Errorf("while it is written: %q, %v; want a part", during, err)
	}
	for _, name := range []string{"f", "f.part", "f.0123abc.part", "f.0123abcd", "g.0123abcd.part", "f.0123abcd.part.part", "f.0123abcg.part", "0123abcd.part"} {
		if IsPart("f", name) {
			t.Errorf("%s is no part of f", name)
		}
	}
}

// A link in the file's place is replaced, and what it leads to stays as it is.
func TestWriteDoesNotFollowLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "f")
	if err := os.WriteFile(victim, []byte("the user's"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + ".part"} {
		if err := os.Symlink(victim, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "ours"); return err }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "the user's" {
		t.Errorf("the link's target now holds %q", got)
	}
	if got, _ := os.ReadFile(path); string(got) != "ours" {
		t.Errorf("the file holds %q", got)
	}
}
