//go:build unix

package diskio

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
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
	f, err := folder.OpenFile(name, o.flags()|extra, 0o600)
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
func again[P []byte | [][]byte](call func(fd int, p P, off int64) (int, error), fd int, p P,
	off int64) (int, error) {
	for {
		n, err := call(fd, p, off)
		if !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

// pagesInCache counts the file's bytes in the cache page by page, on a mapping of its own, which
// brings in none by itself.
func (f *unixFile) pagesInCache(size int64) int64 {
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

// newBuffer maps n bytes outside the garbage collector's heap, aligned to a page and, if the system
// offers it, in huge pages: a large request is then a few long segments instead of hundreds of
// short ones.
func newBuffer(n int64) ([]byte, error) {
	p, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of buffers: %w", n, err)
	}
	adviseHuge(p)
	return p, nil
}

func freeBuffer(p []byte) {
	// It can fail only for memory that is not ours.
	_ = unix.Munmap(p)
}

func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) ||
		errors.Is(err, unix.EDQUOT)
}
func isTooLarge(err error) bool { return errors.Is(err, unix.EFBIG) }
func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

// isGone: a disk that was unplugged answers with one of these; with one of the last two, if a
// program served its file system (FUSE) and has ended.
func isGone(err error) bool {
	for _, errno := range []error{unix.EIO, unix.ENXIO, unix.ENODEV, unix.ENOTCONN,
		unix.ECONNABORTED} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// isHeld: a file or folder that is open can be removed.
func isHeld(error) bool { return false }

// lacksConsent tells a refusal by macOS's privacy controls, EPERM, from one by a folder's own
// permissions, EACCES (Apple, "On File System Permissions",
// developer.apple.com/forums/thread/678819). It is the terminal that lacks consent, whoever the
// user is.
func lacksConsent(system string, err error) bool {
	return system == "darwin" && errors.Is(err, unix.EPERM)
}

// declare has nothing to do: reserved space can be written anywhere.
func (f *unixFile) declare(int64) error { return nil }

// takesOdd: it is the cache itself that is asked here, if the system says so.
func (f *unixFile) takesOdd() bool { return false }
