package diskio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
)

// explain says what failed on which disk, and ends with what to try if anything is known.
func (j Job) explain(step string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return hinted(fmt.Errorf("disk %s: %s in %s: %w", j.Disk, step, j.Dir, err))
}

// hinted appends to err what to try, if anything is known.
func hinted(err error) error {
	if hint := hintFor(err); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// hintFor is what to try after err; empty if nothing sensible can be said.
func hintFor(err error) string {
	switch {
	case isFull(err):
		return "free some space, use fewer or smaller files, or set a footprint"
	case isTooLarge(err):
		return "this file system does not support files that large (FAT32: up to 4 GiB); use smaller files, or format the disk as exFAT, APFS, NTFS or ext4"
	case isReadOnly(err):
		return "mount the volume writable, or choose another folder"
	case isGone(err):
		return "the disk was disconnected or has failed; check its cable, hub port and power"
	case lacksConsent(runtime.GOOS, err):
		return "macOS has not allowed the program that hubbench runs in (Terminal, iTerm, an editor) to use this disk: allow it removable volumes in System Settings > Privacy & Security > Files & Folders, or Full Disk Access, and restart that program"
	case errors.Is(err, fs.ErrPermission):
		return "choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		return "check that the disk is mounted and that the folder exists"
	}
	return ""
}
