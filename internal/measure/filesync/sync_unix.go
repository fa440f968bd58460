//go:build unix

package filesync

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Unsupported reports whether a file system has refused a way of flushing that it does not support.
func Unsupported(err error) bool {
	return errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL)
}

func plainSync(f *os.File) error { return unix.Fsync(int(f.Fd())) }
