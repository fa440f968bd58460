// Package device knows what is plugged in, what lies behind the folders under test, and what the
// machine is doing. It gives facts, which internal/machine/check judges, does no I/O on test files
// and changes nothing. The library ghw is not used: it knows neither topology nor what lies under a
// volume, and reads no captures of other machines.
//
// Start at [Look] for the machine and at [Inspect] for one folder.
package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Place is what is known of a folder.
type Place struct {
	Path string // Path is absolute, without symbolic links.
	// ID is the same for all folders of one file system; 0 if the system does not say.
	ID    uint64
	Free  int64  // Free is bytes that this user may still write.
	Size  int64  // Size is bytes of the file system.
	Used  int64  // Used counts everybody's bytes.
	Mount string // Mount is where the file system is mounted.
	// Source is what is mounted there: /dev/sda1, a share; empty if the system does not say.
	Source     string
	Filesystem string // Filesystem is its kind, as the system calls it: ext4, apfs, NTFS.
	System     bool   // System says that it holds the operating system.
	Writable   error  // Writable is why nothing can be written; nil when it can.
	// Closed says why the system keeps this program out of a folder that exists; else nil.
	Closed error
	info   fs.FileInfo
}

// ErrNotFolder marks a path that is something else.
var ErrNotFolder = errors.New("it is not a folder")

// Inspect finds out about the folder path.
func Inspect(path string) (Place, error) {
	resolved, err := filepath.Abs(path)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(resolved)
	}
	if err != nil {
		return Place{}, err
	}
	if !info.IsDir() {
		return Place{}, fmt.Errorf("%s: %w", path, ErrNotFolder)
	}
	v, err := filesystem.Volume(resolved)
	if err != nil {
		return Place{}, err
	}
	p := Place{Path: resolved, Free: v.Free, Size: v.Size, Used: v.Used, info: info}
	if err := p.query(); err != nil {
		return Place{}, fmt.Errorf("query the file system of %s: %w", path, err)
	}
	return p, nil
}

// SameVolume reports whether both share a file system, as far as the system says.
func (p Place) SameVolume(q Place) bool { return p.ID != 0 && p.ID == q.ID }

// SameFolder reports whether both are one folder.
func (p Place) SameFolder(q Place) bool { return os.SameFile(p.info, q.info) }

// What Windows says of a drive that is none of this machine's disks; it has no file system of that
// name.
const (
	networkDrive = "network drive"
	memoryDrive  = "memory drive"
)

// RAM is what NotDisk says of a file system in memory.
const RAM = "RAM"

// NotDisk says what the folder is on that is not a disk of this machine; empty for a disk.
func (p Place) NotDisk() string {
	switch p.Filesystem {
	case "tmpfs", "ramfs", "devtmpfs", memoryDrive:
		return RAM
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "9p", "virtiofs", "ceph",
		"glusterfs", "lustre", "fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "vboxsf",
		"fuse.vmhgfs-fuse", "prl_fs", networkDrive:
		return "on another machine, or on the host of this one"
	case "overlay", "aufs", "fuse.mergerfs", "fuse.overlayfs", "unionfs":
		return "a union of folders"
	}
	return ""
}

// Look finds out what is plugged in where: the machine, hubs, disks and their volumes. It reads
// what the system offers and writes nothing. What the system does not report is left out, with a
// warning if that may surprise; so are serial numbers, which identify a person's disk, unless they
// are asked for.
func Look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	inv, err := look(ctx, serials)
	if err != nil {
		return nil, err
	}
	inv.Listed()
	return inv, nil
}

// Capture returns the raw answers that Look reads, without what identifies a device or a person:
// the form in which the tests of the packages linux, macos and windows keep theirs. The title is
// its first line.
func Capture(ctx context.Context, title string) ([]byte, error) {
	answers, err := captureAnswers(ctx)
	if err != nil {
		return nil, err
	}
	head := "# " + title + "\n# Source: hubbench devices --capture\n"
	return []byte(head + capture.Redact(answers)), nil
}

// ask runs one of the system's tools and returns what it prints. It waits no longer than the
// timeout.
func ask(ctx context.Context, timeout time.Duration, argv []string) ([]byte, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, err // No process is needed to find that out.
	}
	defer watch.Elsewhere(ctx)()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // A child of the tool may hold its pipe.
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer in %v", timeout)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}
