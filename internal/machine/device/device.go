// Package device knows what lies behind the folders under test: the volume, its free space and limits, and
// whether a plan can run there at all. It does no I/O on test files (see diskio) and changes nothing.
// Start at Check, which judges a plan before anything is touched; Inspect is what it knows of one folder.
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

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Place is what is known of a folder.
type Place struct {
	Path       string // absolute, without symbolic links
	ID         uint64 // the same for all folders of one file system; 0 if the system does not say
	Free       int64  // bytes that this user may still write
	Size       int64  // bytes of the file system
	Used       int64  // of them, by whomever
	Mount      string // where the file system is mounted
	Source     string // what is mounted there: /dev/sda1, a share; empty if the system does not say
	Filesystem string // its kind, as the system calls it: ext4, apfs, NTFS
	System     bool   // holds the operating system
	Writable   error  // why nothing can be written; nil when it can
	Closed     error  // why the system keeps this program out of a folder that exists; nil if it does not
	info       fs.FileInfo
}

// errNotFolder marks a path that is something else.
var errNotFolder = errors.New("it is not a folder")

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
		return Place{}, fmt.Errorf("%s: %w", path, errNotFolder)
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

// sameVolume reports whether both share a file system, as far as the system says.
func (p Place) sameVolume(q Place) bool { return p.ID != 0 && p.ID == q.ID }

// inspectAbove is Inspect for a folder that may not exist yet: the nearest one above it that does.
func inspectAbove(path string) (Place, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Place{}, err
	}
	for {
		p, err := Inspect(path)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(path) == path {
			return p, err
		}
		path = filepath.Dir(path)
	}
}

// Look finds out what is plugged in where: the machine, hubs, disks and their volumes. It reads what the system offers
// and writes nothing. What the system does not report is left out, with a warning if that may surprise; so are serial
// numbers, which identify a person's disk, unless they are asked for.
func Look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	inv, err := look(ctx, serials)
	if err != nil {
		return nil, err
	}
	inv.Listed()
	return inv, nil
}

// ask runs one of the system's tools and returns what it prints. It waits no longer than the timeout.
func ask(ctx context.Context, timeout time.Duration, argv []string) ([]byte, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, err // no process is needed to find that out
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // a child of the tool may hold its pipe
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(bytes.TrimSpace(exit.Stderr)) > 0 {
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

// slowAfter is how long a disk may take to answer before a person is told what is waited for. A hard disk that starts
// up takes longer.
const slowAfter = 2 * time.Second

// NotifyIfSlow does what may wait for a disk, and tells a person what is waited for if that takes long.
func NotifyIfSlow(notify func(text string), what string, do func() error) error {
	late := time.AfterFunc(slowAfter, func() {
		notify("waiting for " + what + ": its disk is starting up or hangs, or the system asks in a window of its own " +
			"whether this terminal may use it")
	})
	defer late.Stop()
	return do()
}
