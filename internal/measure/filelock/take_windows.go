package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Take takes the file for this process until it closes it, or gives ErrBusy at once. The locked byte
// lies far behind the content: on Windows no other process can read locked bytes.
func Take(f *os.File) error {
	at := windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}
