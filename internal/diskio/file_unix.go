//go:build unix

package diskio

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// unixFile is what test files on Linux and macOS have in common.
type unixFile struct {
	file *os.File
	n    int // its descriptor
}

// openUnix opens the file; extra flags are the system's own.
func openUnix(folder *os.Root, name string, op scenario.Role, extra int) (unixFile, error) {
	flags := os.O_RDONLY
	if op == scenario.Write {
		// Readable too: verification reads back what was written.
		flags = os.O_RDWR | os.O_CREATE | os.O_EXCL
	}
	f, err := folder.OpenFile(name, flags|extra, 0o600)
	if err != nil {
		return unixFile{}, err
	}
	return unixFile{file: f, n: int(f.Fd())}, nil
}

func (f *unixFile) readAt(_ int, p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(f.n, p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (f *unixFile) writeAt(_ int, p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pwrite(f.n, p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

func (f *unixFile) fd() uintptr  { return uintptr(f.n) }
func (f *unixFile) close() error { return f.file.Close() }
