package filesystem

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Lock holds the file for this process until it closes it, however the process ends, or gives ErrBusy at once. The
// locked byte lies far behind the content: on Windows no other process can read locked bytes.
func Lock(f *os.File) error {
	at := windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}

// Unsupported is always false: Windows has one way of flushing.
func Unsupported(error) bool { return false }

func plainSync(f *os.File) error { return f.Sync() }

func volume(folder string) (v scenario.Volume, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return v, err
	}
	var free, size, unused uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, &size, &unused); err != nil {
		return v, err
	}
	return scenario.Volume{Size: int64(size), Used: int64(size - unused), Free: int64(free)}, nil
}
