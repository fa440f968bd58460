package mount

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

const (
	// directFlag opens a file past the system's cache.
	directFlag = unix.O_DIRECT
	// directMaps lets files that are opened past the cache be mapped, as those of a disk may be: from Linux 6.6 on.
	directMaps = fuse.CAP_DIRECT_IO_ALLOW_MMAP
	// unmountCommand removes a mount by hand.
	unmountCommand = "fusermount3 -u"
)

// fuseMissing is why nothing can be mounted.
func fuseMissing() error {
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return fmt.Errorf("mount needs FUSE: %w; load the kernel's module (modprobe fuse), "+
			"or start the container with /dev/fuse", err)
	}
	return nil
}

// unmount removes a mount that is not in use.
func unmount(dir string) error { return unmountBy(dir, 0, "-u") }

// detach hides a mount that may be in use.
func detach(dir string) error { return unmountBy(dir, unix.MNT_DETACH, "-uz") }

// unmountBy calls the system, or fusermount without the permission for that.
func unmountBy(dir string, flags int, option string) error {
	err := unix.Unmount(dir, flags)
	if errors.Is(err, syscall.EPERM) {
		out, err := exec.Command("fusermount3", option, dir).CombinedOutput()
		if err != nil && strings.Contains(string(out), "busy") {
			return unix.EBUSY
		}
		return err
	}
	return err
}
