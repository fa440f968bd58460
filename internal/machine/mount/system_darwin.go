package mount

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// directFlag is none: open has no such flag, and what a program sets later (F_NOCACHE) is the system's own business.
	directFlag = 0
	// directMaps is nothing to ask for: see directFlag.
	directMaps = 0
	// unmountCommand removes a mount by hand.
	unmountCommand = "umount"
)

// fuseMissing is why nothing can be mounted: go-fuse needs one of these programs.
func fuseMissing() error {
	for _, program := range []string{
		"/Library/Filesystems/macfuse.fs/Contents/Resources/mount_macfuse",
		"/Library/Filesystems/osxfuse.fs/Contents/Resources/mount_osxfuse",
	} {
		if _, err := os.Stat(program); err == nil {
			return nil
		}
	}
	return errors.New("mount needs macFUSE, and it is not installed: see https://macfuse.github.io")
}

// unmount removes a mount that is not in use.
func unmount(dir string) error { return unix.Unmount(dir, 0) }

// detach removes a mount that may be in use.
func detach(dir string) error { return unix.Unmount(dir, unix.MNT_FORCE) }
