package filesystem

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// put writes a text.
func put(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"first", "second", ""} {
		check.Must(t, Write(path, put(text)))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	failed := errors.New("failed")
	if err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failed
	}); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if got, _ := os.ReadFile(path); string(got) != "" {
		t.Errorf("a failed write left %q", got)
	}
	entries, _ := os.ReadDir(dir)
	check.Same(t, "files, one of them written", 1, len(entries))
}

// What is being written, or was when its process was killed, is known by its name, and nothing else
// is.
func TestIsPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var during []string
	if err := Write(path, func(io.Writer) (err error) {
		during, err = filepath.Glob(filepath.Join(filepath.Dir(path), ".f.*"))
		return err
	}); err != nil || len(during) != 1 || !IsPart("f", filepath.Base(during[0])) {
		t.Errorf("while it is written: %q, %v; want a part", during, err)
	}
	for _, name := range []string{
		"f", "f.part", "f.0123abc.part", "f.0123abcd", "g.0123abcd.part", "f.0123abcd.part.part",
		"f.0123abcg.part", "0123abcd.part", "..f.0123abcd.part",
	} {
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
	check.Must(t, os.WriteFile(victim, []byte("the user's"), 0o600))
	for _, name := range []string{path, path + ".part"} {
		check.Must(t, os.Symlink(victim, name))
	}
	check.Must(t, Write(path, put("ours")))
	if got, _ := os.ReadFile(victim); string(got) != "the user's" {
		t.Errorf("the link's target now holds %q", got)
	}
	if got, _ := os.ReadFile(path); string(got) != "ours" {
		t.Errorf("the file holds %q", got)
	}
}

func TestSync(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	check.Must(t, err)
	defer f.Close()
	check.Must(t, errors.Join(Sync(f), plainSync(f)))
}

func TestUnsupported(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("these are Unix error numbers")
	}
	for err, want := range map[error]bool{
		syscall.ENOTTY: true, syscall.EINVAL: true, syscall.ENOTSUP: true, syscall.EIO: false,
		syscall.ENOSPC: false,
	} {
		check.Same(t, err.Error(), want,
			Unsupported(&os.PathError{Op: "sync", Path: "f", Err: err}))
	}
	if Unsupported(nil) {
		t.Error("no error counts as one")
	}
}

// A file is held by one alone, or shared by many; whoever holds it goes from one to the other.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		check.Must(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	busy := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, ErrBusy) {
			t.Errorf("%s: got %v, want %v", what, err, ErrBusy)
		}
	}
	first, second := open(), open()
	check.Must(t, Lock(first))
	busy("a held file", Lock(open()))
	busy("a held file, to be shared", Share(open()))
	check.Must(t, errors.Join(Share(first), Share(second)))
	busy("a shared file", Lock(open()))
	check.Must(t, errors.Join(first.Close(), Lock(second)))
	busy("a file that is shared no longer", Share(open()))
	check.Must(t, second.Close())
	if err := Lock(open()); err != nil {
		t.Errorf("after its holder closed it: got %v", err)
	}
}

// What is held open is written to, whatever stands at its path by now.
func TestReplaceIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that is open is not renamed there")
	}
	dir := filepath.Join(t.TempDir(), "dir")
	check.Must(t, os.Mkdir(dir, 0o700))
	root, err := os.OpenRoot(dir)
	check.Must(t, err)
	defer root.Close()
	victim := t.TempDir()
	check.Must(t, errors.Join(os.Rename(dir, dir+".moved"), os.Symlink(victim, dir),
		ReplaceIn(root, "f", put("ours"))))
	if entries, _ := os.ReadDir(victim); len(entries) > 0 {
		t.Errorf("the link's target holds %v", entries)
	}
	if got, err := os.ReadFile(filepath.Join(dir+".moved", "f")); string(got) != "ours" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}

func TestVolume(t *testing.T) {
	dir := t.TempDir()
	v, err := Volume(dir)
	check.Must(t, err)
	if v.Size <= 0 || v.Used < 0 || v.Free < 0 || v.Used+v.Free > v.Size {
		t.Errorf("got %+v", v)
	}
	_, err = Volume(filepath.Join(dir, "none"))
	check.Refused(t, "a folder that is not there", err, "none")
}
