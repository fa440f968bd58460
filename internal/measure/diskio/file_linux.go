package diskio

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// linuxFile is a test file on Linux, O_DIRECT or not.
type linuxFile struct{ unixFile }

func openTestFile(folder *os.Root, name string, o opening) (testFile, error) {
	extra := 0
	if o.direct {
		extra = unix.O_DIRECT
	}
	f, err := openUnix(folder, name, o, extra)
	if err != nil {
		return nil, err
	}
	return &linuxFile{f}, nil
}

// fsyncReaches: fsync has the drive write its cache out (blkdev_issue_flush in Linux's file
// systems).
const fsyncReaches = trace.ReachesMedium

// flush makes no difference between fsync and full: fsync on Linux reaches the medium.
func (f *linuxFile) flush(mode string) error {
	if mode == scenario.FlushNone {
		return nil
	}
	return unix.Fsync(f.n)
}

func (f *linuxFile) reserve(size int64) error {
	for {
		if err := unix.Fallocate(f.n, 0, 0, size); err != unix.EINTR {
			return err
		}
	}
}

func (f *linuxFile) settle(off, n int64, op trace.Role) error {
	if op == trace.Write {
		const wait = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE |
			unix.SYNC_FILE_RANGE_WAIT_AFTER
		if err := unix.SyncFileRange(f.n, off, n, wait); err != nil &&
			!errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return unix.Fadvise(f.n, off, n, unix.FADV_DONTNEED)
}

// evict writes the file out first, as the cache keeps what is not on the disk yet.
func (f *linuxFile) evict() error {
	if err := unix.Fsync(f.n); err != nil {
		return err
	}
	return unix.Fadvise(f.n, 0, 0, unix.FADV_DONTNEED)
}

// cached asks for the number of pages (Linux 6.5), which takes no time if there are none; looking
// at every page of a large file takes as long as reading a tenth of it.
func (f *linuxFile) cached(size int64) int64 {
	var stat unix.Cachestat_t
	if unix.Cachestat(uint(f.n), &unix.CachestatRange{Len: uint64(size)}, &stat, 0) != nil {
		return f.pagesInCache(size)
	}
	return min(int64(stat.Cache)*int64(os.Getpagesize()), size)
}

func mincore(p, pages []byte) error {
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)),
		uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}

// directAlign returns the sector that direct requests on this file must be multiples of, and 0 if
// the system does not say.
func directAlign(f testFile) int64 {
	var st unix.Statx_t
	err := unix.Statx(int(f.fd()), "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &st)
	if err != nil || st.Mask&unix.STATX_DIOALIGN == 0 {
		return 0
	}
	return int64(max(st.Dio_offset_align, st.Dio_mem_align))
}

// cachedBelow: Linux refuses direct requests that it cannot make.
const cachedBelow = 0

func adviseHuge(p []byte) {
	// Without it the requests are split in pages: slower, not wrong.
	_ = unix.Madvise(p, unix.MADV_HUGEPAGE)
}

// fileSystem is not asked: none needs care here.
func fileSystem(string) string { return "" }

// Priority says nothing: no policy of the process's own holds its requests back.
func Priority() (name, warning string) { return "", "" }

// Foreground does nothing: Linux keeps no process on slow cores by how it was started.
func Foreground() error { return nil }
