package filesync

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
)

// Write is Replace for a path that a person gives: a path that is no file, such as a pipe or /dev/stdout, is written to as it
// is.
func Write(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeTo(path, os.O_WRONLY, func(f *os.File) error { return buffered(f, write) })
	}
	return Replace(path, write)
}

// Replace writes a file whole or not at all, and brings it to the medium. What it writes lies beside it under a name of its
// own until then: nothing that has the file's name, such as a link or a pipe, is followed or waited for, only replaced.
func Replace(path string, write func(io.Writer) error) error {
	part := ""
	var err error
	for range 10 {
		part = fmt.Sprintf("%s.%08x%s", path, rand.Uint32(), partEnding)
		err = writeTo(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, func(f *os.File) error {
			if err := buffered(f, write); err != nil {
				return err
			}
			return Sync(f)
		})
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		_ = os.Remove(part)
	}
	return err
}

const partEnding = ".part"

// IsPart reports whether a file's name is one under which Write has begun to write the file path.
func IsPart(path, name string) bool {
	rest, begins := strings.CutPrefix(name, path+".")
	digits, ends := strings.CutSuffix(rest, partEnding)
	return begins && ends && len(digits) == 8 && strings.Trim(digits, "0123456789abcdef") == ""
}

func writeTo(path string, flag int, write func(*os.File) error) error {
	file, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		_ = file.Close() // fails for the same reason
		return err
	}
	return file.Close()
}

func buffered(file *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}
