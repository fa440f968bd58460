package diskio

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
func isTooLarge(err error) bool { return errors.Is(err, windows.ERROR_FILE_TOO_LARGE) }
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// isGone: a disk that was unplugged answers with one of these.
func isGone(err error) bool {
	return errors.Is(err, windows.ERROR_DEVICE_NOT_CONNECTED) || errors.Is(err, windows.ERROR_NOT_READY) ||
		errors.Is(err, windows.ERROR_IO_DEVICE) || errors.Is(err, windows.ERROR_NO_SUCH_DEVICE)
}

// lacksConsent: only macOS has this.
func lacksConsent(string, error) bool { return false }
