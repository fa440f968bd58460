//go:build unix

package diskio

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/trace"
)

// oneCall: readList and writeList are one system call.
const oneCall = true

// unixFile is what test files on Linux and macOS have in common.
type unixFile struct {
	file *os.File
	n    int // its descriptor
}

// openUnix opens the file; extra flags are the system's own.
func openUnix(folder *os.Root, name string, o opening, extra int) (unixFile, error) {
	flags := os.O_RDONLY
	if o.op == trace.Write {
		flags = os.O_RDWR
		if !o.again {
			flags |= os.O_CREATE | os.O_EXCL
		}
	}
	f, err := folder.OpenFile(name, flags|extra, 0o600)
	if err != nil {
		return unixFile{}, err
	}
	return unixFile{file: f, n: int(f.Fd())}, nil
}

func (f *unixFile) readAt(_ int, p []byte, off int64) (int, error) {
	return again(unix.Pread, f.n, p, off)
}

func (f *unixFile) writeAt(_ int, p []byte, off int64) (int, error) {
	return again(unix.Pwrite, f.n, p, off)
}

func (f *unixFile) readList(list [][]byte, off int64) (int64, error) {
	n, err := again(unix.Preadv, f.n, list, off)
	return int64(n), err
}

func (f *unixFile) writeList(list [][]byte, off int64) (int64, error) {
	n, err := again(unix.Pwritev, f.n, list, off)
	return int64(n), err
}

// again repeats a call until no signal interrupts it.
func again[P []byte | [][]byte](call func(fd int, p P, off int64) (int, error), fd int, p P, off int64) (int, error) {
	for {
		n, err := call(fd, p, off)
		if !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

// cached counts on a mapping of its own, which brings in no page by itself.
func (f *unixFile) cached(size int64) int64 {
	if size == 0 {
		return 0
	}
	p, err := unix.Mmap(f.n, 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return -1
	}
	defer func() { _ = unix.Munmap(p) }()
	page := os.Getpagesize()
	pages := make([]byte, (int(size)+page-1)/page)
	if mincore(p, pages) != nil {
		return -1
	}
	var sum int64
	for _, state := range pages {
		sum += int64(state&1) * int64(page)
	}
	return min(sum, size)
}

func (f *unixFile) fd() uintptr  { return uintptr(f.n) }
func (f *unixFile) close() error { return f.file.Close() }
