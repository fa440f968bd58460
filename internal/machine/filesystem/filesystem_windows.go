package filesystem

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Lock holds the file for this process alone until it closes it, however the process ends, or gives
// ErrBusy at once. The error of file systems without locks (some network ones) is
// errors.ErrUnsupported.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// Share is Lock together with others that share the file.
func Share(f *os.File) error { return lock(f, 0) }

// lock takes a byte that lies far behind the content: on Windows no other process can read locked
// bytes.
func lock(f *os.File, how uint32) error {
	at := windows.Overlapped{Offset: 1 << 30}
	handle := windows.Handle(f.Fd())
	// One way of holding it does not become the other.
	_ = windows.UnlockFileEx(handle, 0, 1, 0, &at)
	err := windows.LockFileEx(handle, how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}

// Unsupported is always false: Windows has one way of flushing.
func Unsupported(error) bool { return false }

// isHeld: another program has the file open. Windows says of the one that is to be replaced that
// access to it is denied.
func isHeld(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

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
