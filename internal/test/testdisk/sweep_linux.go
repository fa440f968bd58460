package testdisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// newFolder makes the folder of a disk and locks it. No Sweep comes in between.
func newFolder() (*Disk, error) {
	memory, err := lock(Memory, unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	dir, err := os.MkdirTemp(Memory, prefix)
	if err != nil {
		return nil, err
	}
	owner, err := lock(dir, unix.LOCK_EX)
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	return &Disk{Dir: dir, lock: owner}, nil
}

// lock locks a folder until it is closed, or the process ends.
func lock(dir string, how int) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close() // was only to be locked
		return nil, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return f, nil
}

// Sweep removes the disks of processes that were killed, and ends what those left running on them. It waits for
// nobody, so that one call may leave a disk to the next: one that another Sweep is removing, one that is in use, and
// one whose owner was killed while it started a command, which has the owner's lock until it runs.
func Sweep() error {
	owners, err := orphans()
	if err != nil {
		return err
	}
	for _, owner := range owners {
		failed := remove(owner.Name())
		_ = owner.Close() // the folder has gone, or is for a later one
		if failed != nil && !errors.Is(failed, errInUse) {
			err = errors.Join(err, fmt.Errorf("remove what a killed process left: %w", failed))
		}
	}
	return err
}

// orphans takes the disks without an owner. Removing them may take long, while others make disks.
func orphans() (owners []*os.File, err error) {
	memory, err := lock(Memory, unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer memory.Close()
	all, _ := filepath.Glob(filepath.Join(Memory, prefix+"*")) // the pattern is well formed
	for _, dir := range all {
		owner, err := lock(dir, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, os.ErrNotExist) {
			continue // its owner lives, or has just removed it
		}
		if err != nil {
			for _, owner := range owners {
				_ = owner.Close() // another one removes it
			}
			return nil, err
		}
		owners = append(owners, owner)
	}
	return owners, nil
}

// errInUse is of a disk that processes other than those of Command still use.
var errInUse = errors.New("in use")

// remove removes a disk: its processes, what is mounted in its folder, its loop devices, and the folder last of all, so
// that what fails is tried again by the next Sweep.
func remove(dir string) error {
	if err := removeGroup(filepath.Base(dir)); err != nil {
		return err
	}
	if err := unmount(dir, func(mount string) bool { return filepath.Base(mount) != beneath }); err != nil {
		return err
	}
	detached := await(func() bool {
		left := LoopsIn(dir)
		for _, device := range left {
			_ = detach(device) // tried again
		}
		return len(left) == 0
	})
	if !detached {
		return fmt.Errorf("%q, over files in %s, stay %w", LoopsIn(dir), dir, errInUse)
	}
	if err := unmount(dir, func(string) bool { return true }); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// unmount unmounts what is mounted in a disk's folder, the last first.
func unmount(dir string, which func(mount string) bool) error {
	for _, mount := range slices.Backward(MountsIn(dir)) {
		// A process that is just being started has the files of its parent for a moment.
		free := func() bool { return !errors.Is(unix.Unmount(mount, 0), unix.EBUSY) }
		if !which(mount) || await(free) && !slices.Contains(MountsIn(dir), mount) {
			continue
		}
		if err := unix.Unmount(mount, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", mount, err)
		}
	}
	return nil
}

// MountsIn are the mounts in a folder, in the order in which they were made.
func MountsIn(dir string) []string {
	text, _ := os.ReadFile("/proc/thread-self/mountinfo") // without /proc there are none to be seen
	var found []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			found = append(found, fields[4])
		}
	}
	return found
}

// await tries until it is done, for five seconds at most.
func await(done func() bool) bool {
	for range 500 {
		if done() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return done()
}

// Left is what there is of the disk in a folder: mounts, devices, its control group and the folder.
func Left(dir string) []string {
	all := append(MountsIn(dir), LoopsIn(dir)...)
	name := filepath.Base(dir)
	for _, path := range []string{dir, filepath.Join(first, name), filepath.Join(second, name)} {
		if exists(path) {
			all = append(all, path)
		}
	}
	return all
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// removeGroup ends the processes of a disk's control group, and removes it when they have gone.
func removeGroup(name string) error {
	for _, root := range []string{first, second} {
		dir := filepath.Join(root, name)
		if !exists(dir) {
			continue
		}
		gone := func() bool {
			procs, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // no group, no processes
			for text := range strings.FieldsSeq(string(procs)) {
				if pid, err := strconv.Atoi(text); err == nil && pid > 0 {
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
				}
			}
			err := os.Remove(dir)
			return err == nil || errors.Is(err, os.ErrNotExist)
		}
		if !await(gone) {
			return fmt.Errorf("control group %s stays %w", dir, errInUse)
		}
	}
	return nil
}
