package mount

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// directFlag opens a file past the system's cache.
	directFlag = unix.O_DIRECT
	// unmountCommand is what takes a mount away by hand.
	unmountCommand = "fusermount3 -u"
)

// fuseMissing is why nothing can be mounted.
func fuseMissing() error {
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return fmt.Errorf("mount needs FUSE: %w; load the kernel's module (modprobe fuse), or start the container with /dev/fuse", err)
	}
	return nil
}

// detach takes a mount out of sight whoever uses it.
func detach(dir string) error {
	if err := unix.Unmount(dir, unix.MNT_DETACH); err == nil || !errors.Is(err, syscall.EPERM) {
		return err
	}
	return exec.Command("fusermount3", "-u", "-z", dir).Run()
}
