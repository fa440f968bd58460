//go:build unix

package diskio

import (
	"errors"

	"golang.org/x/sys/unix"
)

func isFull(err error) bool     { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
func isTooLarge(err error) bool { return errors.Is(err, unix.EFBIG) }
func isReadOnly(err error) bool { return errors.Is(err, unix.EROFS) }

// isGone: a disk that was unplugged answers with one of these.
func isGone(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.ENODEV)
}
