//go:build unix

package filesystem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Lock holds the file for this process until it closes it, however the process ends, or gives ErrBusy at once. File
// systems without locks (some network ones) are used without.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrBusy
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOLCK):
		return nil
	}
	return err
}

// Unsupported reports whether a file system has refused a way of flushing that it does not support.
func Unsupported(err error) bool {
	return errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL)
}

func plainSync(f *os.File) error { return unix.Fsync(int(f.Fd())) }

func volume(folder string) (v scenario.Volume, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return v, err
	}
	block := int64(st.Bsize)
	v.Free = int64(st.Bavail) * block
	v.Size = int64(st.Blocks) * block
	v.Used = v.Size - int64(st.Bfree)*block
	return v, nil
}
