//go:build unix

package filesystem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Lock holds the file for this process alone until it closes it, however the process ends, or gives
// ErrBusy at once. The error of file systems without locks (some network ones) is
// errors.ErrUnsupported.
func Lock(f *os.File) error { return lock(f, unix.LOCK_EX) }

// Share is Lock together with others that share the file.
func Share(f *os.File) error { return lock(f, unix.LOCK_SH) }

func lock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrBusy
	case errors.Is(err, unix.ENOLCK):
		return errors.ErrUnsupported
	}
	return err
}

// Unsupported reports whether a file system has refused a way of flushing that it does not support.
func Unsupported(err error) bool {
	return errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.ENOTSUP) ||
		errors.Is(err, unix.EINVAL)
}

// isHeld is always false: what is open is renamed as any other file.
func isHeld(error) bool { return false }

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
