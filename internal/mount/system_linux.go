package mount

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

const (
	// directFlag opens a file past the system's cache.
	directFlag = unix.O_DIRECT
	// directMaps lets files that are opened past the cache be mapped, as those of a disk may be: from Linux 6.6 on.
	directMaps = fuse.CAP_DIRECT_IO_ALLOW_MMAP
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

// unmount takes a mount away that nobody uses.
func unmount(dir string) error { return unmountBy(dir, 0, "-u") }

// detach takes a mount out of sight whoever uses it.
func detach(dir string) error { return unmountBy(dir, unix.MNT_DETACH, "-uz") }

// unmountBy asks the system, or fusermount for those who may not ask it themselves.
func unmountBy(dir string, flags int, option string) error {
	err := unix.Unmount(dir, flags)
	if errors.Is(err, syscall.EPERM) {
		return exec.Command("fusermount3", option, dir).Run()
	}
	return err
}
