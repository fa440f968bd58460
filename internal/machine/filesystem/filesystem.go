// Package filesystem is what package os lacks for files that matter: locks that go with their
// process, bringing files to the medium, writing them whole or not at all, and how full a volume
// is. Start at Lock, Sync, Replace and Volume.
package filesystem

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// ErrBusy is returned by Lock and Share when another living process holds the file.
var ErrBusy = errors.New("a running hubbench is using it")

// Volume returns the size of the file system that a folder is on, and how full it is.
func Volume(folder string) (scenario.Volume, error) {
	v, err := volume(folder)
	if err != nil {
		return v, fmt.Errorf("ask for the size of the file system of %s: %w", folder, err)
	}
	return v, nil
}

// ReadFile is Read for a path.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file, limit)
}

// Read reads a file whole if it is no larger than limit. Of one that is, such as a device without
// an end, it keeps no more than that in memory.
func Read(file *os.File, limit int64) ([]byte, error) {
	stat, err := file.Stat()
	if err != nil {
		return nil, err
	}
	size := stat.Size()
	var data []byte
	if size <= limit {
		data, err = io.ReadAll(io.LimitReader(file, limit+1))
	}
	if max(size, int64(len(data))) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", file.Name(), limit>>20)
	}
	return data, err
}

// Sync brings what was written to the file to the medium. Go's own way, which on macOS is
// F_FULLFSYNC, is not known to every file system: exFAT on macOS 12 and 13 answers ENOTTY, and then
// fsync has to do.
func Sync(f *os.File) error {
	err := f.Sync()
	if Unsupported(err) {
		return plainSync(f)
	}
	return err
}

// Write is Replace for a path that a person gives: a path that is no file, such as a pipe or
// /dev/stdout, is written to as it is.
func Write(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeTo(os.OpenFile, path, os.O_WRONLY, write, func(*os.File) error { return nil })
	}
	return Replace(path, write)
}

// Replace writes a file whole or not at all, and brings it to the medium. What it writes lies
// beside it under a name of its own until then, which begins with a dot, so that programs that read
// whole folders leave it out: nothing that has the file's name, such as a link or a pipe, is
// followed or waited for, only replaced.
func Replace(path string, write func(io.Writer) error) error {
	return replace(os.OpenFile, os.Rename, os.Remove, path, write)
}

// ReplaceIn is Replace in a folder that is held open: whatever stands at its path meanwhile is not
// written to.
func ReplaceIn(root *os.Root, name string, write func(io.Writer) error) error {
	return replace(root.OpenFile, root.Rename, root.Remove, name, write)
}

// ReplaceBy is ReplaceIn for a file that is moved in another way, for example to another folder or
// at certain moments only.
func ReplaceBy(
	root *os.Root, rename func(from, to string) error, name string, write func(io.Writer) error,
) error {
	return replace(root.OpenFile, rename, root.Remove, name, write)
}

type opener = func(path string, flag int, mode fs.FileMode) (*os.File, error)

func replace(
	open opener, rename func(from, to string) error, remove func(string) error,
	path string, write func(io.Writer) error,
) error {
	part := ""
	err := fs.ErrExist
	for tries := 0; tries < 10 && errors.Is(err, fs.ErrExist); tries++ {
		part = filepath.Join(filepath.Dir(path),
			fmt.Sprintf(".%s.%08x%s", filepath.Base(path), rand.Uint32(), partEnding))
		err = writeTo(open, part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, write, Sync)
	}
	if err == nil {
		err = Move(rename, part, path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		_ = remove(part)
	}
	return err
}

const (
	// heldTimeout is how long a file may be held, as Go's own commands have it.
	heldTimeout = 2 * time.Second
	heldRetry   = 10 * time.Millisecond
)

// Move renames a file by os.Rename or what stands for it. On Windows that fails while another
// program has either file open, as scanners for malware do for a moment: they are waited for.
func Move(rename func(from, to string) error, from, to string) error {
	for end := time.Now().Add(heldTimeout); ; time.Sleep(heldRetry) {
		if err := rename(from, to); !isHeld(err) || time.Now().After(end) {
			return err
		}
	}
}

const partEnding = ".part"

// IsPart reports whether name is one under which Replace has begun to write a file of that name in
// the same folder. Versions before 1 began it without a dot.
func IsPart(file, name string) bool {
	rest, begins := strings.CutPrefix(strings.TrimPrefix(name, "."),
		strings.TrimPrefix(file, ".")+".")
	digits, ends := strings.CutSuffix(rest, partEnding)
	return begins && ends && len(digits) == 8 && strings.Trim(digits, "0123456789abcdef") == ""
}

func writeTo(
	open opener, path string, flag int, write func(io.Writer) error, sync func(*os.File) error,
) error {
	file, err := open(path, flag, 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = sync(file)
	}
	if err != nil {
		_ = file.Close() // It fails for the same reason.
		return err
	}
	return file.Close()
}
