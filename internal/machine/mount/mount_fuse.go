//go:build linux || darwin

package mount

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"log" //nolint:depguard // go-fuse takes no other
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// maxRequest is the kernel's maximum size of a request: larger ones come in parts.
const maxRequest = 1 << 20

// Mounted is a mounted hub, until Unmount.
type Mounted struct {
	disks   []*disk
	remove  []string // folders that were created, in that order
	backing string   // removed with all in it, if not empty
	stop    context.CancelFunc
	group   sync.WaitGroup
}

// Mount makes the folders of all disks of the profile. On an error nothing is left.
func Mount(opts Options) (m *Mounted, err error) {
	if err := fuseMissing(); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m = &Mounted{stop: cancel}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Unmount(nil))
		}
	}()
	pacer := NewPacer(opts.Profile, clock.Now)
	m.group.Go(func() { pacer.Run(ctx) })
	if err := m.makeFolder(dir); err != nil {
		return m, err
	}
	backing := opts.Backing
	if backing == "" {
		if backing, err = os.MkdirTemp(filepath.Dir(dir), "hubbench-mount-*"); err != nil {
			return m, fmt.Errorf("folder for the files: %w; name one with --backing", err)
		}
		m.backing = backing
	}
	for _, name := range opts.Profile.Names() {
		d := &disk{
			name: name, hub: opts.Profile.Name, parts: uint64(len(opts.Profile.Disks)), dir: filepath.Join(dir, name),
			pacer: pacer, faults: newFaults(name, opts.Faults, clock.Now), quit: ctx.Done(),
		}
		if err := m.mount(d, filepath.Join(backing, name)); err != nil {
			return m, fmt.Errorf("disk %s: %w", name, err)
		}
	}
	return m, nil
}

// makeFolder creates a folder to mount on, or takes an empty one.
func (m *Mounted) makeFolder(path string) error {
	switch err := os.Mkdir(path, 0o755); {
	case err == nil:
		m.remove = append(m.remove, path)
		return nil
	case !errors.Is(err, iofs.ErrExist):
		return err
	}
	_, err := os.ReadDir(path)
	if errors.Is(err, unix.ENOTCONN) {
		return fmt.Errorf("%s is left of a mount whose process was killed; unmount it first: %s %s", path, unmountCommand, path)
	}
	return err
}

// mount mounts a disk whose files are in a folder.
func (m *Mounted) mount(d *disk, behind string) error {
	if err := m.makeFolder(d.dir); err != nil {
		return err
	}
	if inside, err := os.ReadDir(d.dir); err != nil || len(inside) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty: what is in it could not be seen while the disk is mounted "+
			"there; choose another folder", d.dir))
	}
	if err := os.MkdirAll(behind, 0o755); err != nil {
		return err
	}
	plain, err := fs.NewLoopbackRoot(behind)
	if err != nil {
		return err
	}
	root, ok := plain.(*fs.LoopbackNode)
	if !ok {
		return fmt.Errorf("the root of %s is a %T", behind, plain)
	}
	n := &node{root, d}
	root.RootData.RootNode = n
	opts := fs.Options{MountOptions: fuse.MountOptions{
		MaxWrite: maxRequest, MaxReadAhead: maxRequest, DirectMount: true, FsName: d.hub, Name: hardware.MountedBy,
		MaxInflightRequestBytes: maxAtOnce * maxRequest,
		ExtraCapabilities:       directMaps,
		Logger:                  log.New(io.Discard, "", 0), // the program that made a request gets its error
	}}
	gate := &gate{fs.NewNodeFS(n, &opts), d, make(chan struct{}, maxAtOnce)}
	server, err := fuse.NewServer(gate, d.dir, &opts.MountOptions)
	if err != nil {
		return fmt.Errorf("mount %s: %w", d.dir, err)
	}
	m.disks = append(m.disks, d)
	go server.Serve() // until the kernel lets go of the disk
	return server.WaitMount()
}

const unmountIn = 1500 * time.Millisecond

// Unmount ends waiting requests, unmounts the disks and removes what Mount has created. A disk that a program still
// uses is detached: the program's next request fails. A copy of a disk in another mount namespace fails its requests
// until this process ends; Unmount does not wait for that. Once now is closed it stops waiting, and says what it
// leaves.
func (m *Mounted) Unmount(now <-chan struct{}) error {
	m.stop()
	m.group.Wait()
	ended := make([]chan error, len(m.disks))
	for i, d := range m.disks {
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- d.unmount(now) }()
	}
	ctx, cancel := context.WithTimeout(context.Background(), unmountIn)
	defer cancel()
	var errs []error
	for i, d := range m.disks {
		select {
		case err := <-ended[i]:
			errs = append(errs, err)
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("unmount %s: the system does not answer; try %s %s", d.dir, unmountCommand, d.dir))
		}
	}
	removed := make(chan error, 1)
	go func() {
		var errs []error
		for _, folder := range slices.Backward(m.remove) {
			if err := os.Remove(folder); err != nil && !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, iofs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		if m.backing != "" {
			errs = append(errs, os.RemoveAll(m.backing))
		}
		removed <- errors.Join(errs...)
	}()
	select {
	case err := <-removed:
		return errors.Join(append(errs, err)...)
	case <-now:
		return errors.Join(append(errs, fmt.Errorf("not removed: %s", strings.Join(append(m.remove, m.backing), " ")))...)
	}
}

// unmount takes the disk away.
func (d *disk) unmount(now <-chan struct{}) error {
	// The kernel closes files after their programs have.
	for rest := 5 * time.Millisecond; rest < 200*time.Millisecond; rest *= 2 {
		// A busy disk is not asked whether it is mounted: if what is behind it hangs, so may the answer.
		if err := unmount(d.dir); err == nil || !errors.Is(err, unix.EBUSY) && !isMount(d.dir) { // it was unmounted by hand
			return nil
		}
		select {
		case <-time.After(rest):
		case <-now:
			rest = time.Second
		}
	}
	if err := detach(d.dir); err != nil {
		return fmt.Errorf("unmount %s: %w; try %s %s", d.dir, err, unmountCommand, d.dir)
	}
	return fmt.Errorf("%s was still in use: it was unmounted anyway, and programs that use it will fail", d.dir)
}

// isMount reports whether something is mounted on a folder, were it only what is left of a mount.
func isMount(dir string) bool {
	var on, above unix.Stat_t
	if err := unix.Stat(dir, &on); err != nil {
		return !errors.Is(err, iofs.ErrNotExist)
	}
	return unix.Stat(filepath.Dir(dir), &above) != nil || on.Dev != above.Dev
}
