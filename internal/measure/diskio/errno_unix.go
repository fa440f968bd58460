//go:build unix

package diskio

import (
	"errors"

	"golang.org/x/sys/unix"
)

func isFull(err error) bool     { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
func isTooLarge(err error) bool { return errors.Is(err, unix.EFBIG) }
func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

// isGone: a disk that was unplugged answers with one of these; with one of the last two, if a program served its file
// system (FUSE) and has ended.
func isGone(err error) bool {
	for _, errno := range []error{unix.EIO, unix.ENXIO, unix.ENODEV, unix.ENOTCONN, unix.ECONNABORTED} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// lacksConsent tells a refusal by macOS's privacy controls, EPERM, from one by a folder's own permissions, EACCES (Apple, "On
// File System Permissions", developer.apple.com/forums/thread/678819). It is the terminal that lacks consent, whoever the
// user is.
func lacksConsent(system string, err error) bool {
	return system == "darwin" && errors.Is(err, unix.EPERM)
}
