// Package testdisk makes disks for tests: a block device in memory, its partitions, file systems on
// them, and a control group that the kernel holds to a rate. It needs Linux and root's rights.
//
// A disk is gone when it is closed, or when the next one is made after the process that had it was
// killed: everything of it lies in a folder that its owner keeps locked, and what a folder without
// an owner had is removed. Start at Make in a test, at New elsewhere.
package testdisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Memory is where disks are kept: a file system in memory.
const Memory = "/dev/shm"

// prefix begins the names of everything that belongs to a disk.
const prefix = "hubbench-disk-"

// beneath is the folder, in a disk's own, of the file system that its file lies on if that is not
// memory.
const beneath = "beneath"

// Options say what a disk is like.
type Options struct {
	Bytes      int64 // its size; memory is taken as it is written
	Partitions int   // how many of equal size it has; none: the file system takes all of it

	// Beneath mounts at a folder what the file behind the device is to lie on, and keeps its own
	// files in the folder behind: a file system that lets a test hold up requests or fail them.
	// Nil: memory.
	Beneath func(at, behind string) error
}

// Disk is a block device in memory.
type Disk struct {
	Dir    string // all that belongs to it, and whatever a test would have removed with it
	Image  string // the file behind the device
	Device string // The path of the block device: /dev/loop0.

	opts   Options
	lock   *os.File // on Dir: whoever has it owns the disk
	device *os.File // keeps the device while nothing is mounted
	group  string   // the control group's folder; empty without a limit
}

// Make makes a disk for the duration of a test. Without root's rights the test is skipped, unless
// it must run.
func Make(t testing.TB, opts Options, must bool) *Disk {
	t.Helper()
	if os.Geteuid() != 0 && !must {
		t.Skip("needs root, to make a block device")
	}
	d, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// New makes a disk without a file system. Before that it removes what killed processes left.
func New(opts Options) (d *Disk, err error) {
	if err := Sweep(); err != nil {
		return nil, err
	}
	made, err := newFolder()
	if err != nil {
		return nil, err
	}
	d = made
	defer func() {
		if err != nil {
			err = errors.Join(err, made.Close())
		}
	}()
	d.opts, d.Image = opts, filepath.Join(d.Dir, "image")
	if opts.Beneath != nil {
		at, behind := filepath.Join(d.Dir, beneath), filepath.Join(d.Dir, "behind")
		if err := errors.Join(os.Mkdir(at, 0o700), os.Mkdir(behind, 0o700)); err != nil {
			return nil, err
		}
		if err := opts.Beneath(at, behind); err != nil {
			return nil, fmt.Errorf("mount what the device lies on: %w", err)
		}
		d.Image = filepath.Join(at, "image")
	}
	if d.device, err = Attach(d.Image, opts.Bytes); err != nil {
		return nil, fmt.Errorf("make a loop device: %w", err)
	}
	d.Device = d.device.Name()
	for i := range opts.Partitions {
		const mib, sector = 1 << 20, 512
		size := opts.Bytes / int64(opts.Partitions) / mib * mib / sector
		// A partition table would do for a kernel that supports its type.
		if err := command("addpart", d.Device, fmt.Sprint(i+1), fmt.Sprint(int64(i)*size),
			fmt.Sprint(size)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Part returns the device of a partition, from 1 on; 0 is the whole.
func (d *Disk) Part(n int) string {
	if n == 0 {
		return d.Device
	}
	return fmt.Sprintf("%sp%d", d.Device, n)
}

// Format makes a file system on a partition, from 1 on, or on the whole, 0, with a command such as
// mkfs.xfs -q.
func (d *Disk) Format(part int, mkfs ...string) error {
	return command(mkfs[0], append(mkfs[1:], d.Part(part))...)
}

// Mount mounts a partition, from 1 on, or the whole, 0, with these options, which may be empty, and
// returns its root.
func (d *Disk) Mount(part int, options string) (root string, err error) {
	root = filepath.Join(d.Dir, fmt.Sprintf("at-%d", part))
	if err := os.Mkdir(root, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	args := []string{d.Part(part), root}
	if options != "" {
		args = append([]string{"-o", options}, args...)
	}
	return root, command("mount", args...)
}

// Where control groups that limit I/O are: of version 1
// (https://docs.kernel.org/admin-guide/cgroup-v1/blkio-controller.html) or 2
// (https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files).
const (
	first  = "/sys/fs/cgroup/blkio"
	second = "/sys/fs/cgroup"
)

// ErrNoLimits is of a system whose control groups limit no I/O.
var ErrNoLimits = errors.New("this system has no control groups that limit I/O: neither blkio " +
	"nor io")

// Limit has the kernel let the processes of Command move that many bytes per second to and from the
// whole disk; 0 is no limit. It holds for direct requests: what goes through the cache is written
// by the kernel's own processes.
func (d *Disk) Limit(readRate, writeRate float64) error {
	var st unix.Stat_t
	if err := unix.Stat(d.Device, &st); err != nil {
		return err
	}
	number, name := fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)),
		filepath.Base(d.Dir)
	group, rules := filepath.Join(first, name), map[string]string{
		"blkio.throttle.read_bps_device":  fmt.Sprintf("%s %.0f", number, readRate),
		"blkio.throttle.write_bps_device": fmt.Sprintf("%s %.0f", number, writeRate),
	}
	if _, err := os.Stat(filepath.Join(first, "blkio.throttle.read_bps_device")); err != nil {
		has, err := os.ReadFile(filepath.Join(second, "cgroup.controllers"))
		if err != nil || !slices.Contains(strings.Fields(string(has)), "io") {
			return fmt.Errorf("make a control group: %w", ErrNoLimits)
		}
		if err := os.WriteFile(filepath.Join(second, "cgroup.subtree_control"), []byte("+io"),
			0o644); err != nil {
			return fmt.Errorf("make a control group: %w", err)
		}
		rule := fmt.Sprintf("%s rbps=%.0f wbps=%.0f", number, readRate, writeRate)
		group, rules = filepath.Join(second, name),
			map[string]string{"io.max": strings.ReplaceAll(rule+" ", "=0 ", "=max ")}
	}
	if err := os.Mkdir(group, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make a control group: %w", err)
	}
	d.group = group
	for file, rule := range rules {
		if err := os.WriteFile(filepath.Join(group, file), []byte(rule), 0o644); err != nil {
			return fmt.Errorf("limit %s: %w", d.Device, err)
		}
	}
	return nil
}

// Command returns a command that runs within the limit.
func (d *Disk) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if d.group == "" {
		return exec.CommandContext(ctx, name, args...)
	}
	enter := []string{"-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, d.group, name}
	return exec.CommandContext(ctx, "sh", append(enter, args...)...)
}

// Close ends the processes of Command and removes all that belongs to the disk. What others keep in
// use is an error, and removed later by a Sweep.
func (d *Disk) Close() error {
	if d.device != nil {
		_ = d.device.Close() // it was only held
	}
	err := remove(d.Dir)
	_ = d.lock.Close() // frees it: the last thing of all
	return err
}

// Run runs a program in a test, and returns what it prints; the test ends if it fails.
func Run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := run(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func run(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, text)
	}
	return text, err
}

func command(name string, args ...string) error {
	_, err := run(name, args...)
	return err
}

// Attach makes a loop device over a new file, or over one that is there. It goes by itself when
// nothing has it open or mounted any more: even if the test is killed.
func Attach(image string, size int64) (*os.File, error) {
	file, err := os.OpenFile(image, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(file.Truncate(size), file.Close())
	}
	if err != nil {
		return nil, err
	}
	name, err := exec.Command("losetup", "--find", "--show", "--partscan", image).Output()
	if err != nil {
		return nil, fmt.Errorf("losetup: %w", err)
	}
	device, err := os.OpenFile(strings.TrimSpace(string(name)), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	// What is in use is detached when its last user has gone.
	return device, command("losetup", "-d", device.Name())
}

// LoopsIn returns the loop devices over files in a folder.
func LoopsIn(dir string) []string {
	var found []string
	files, _ := filepath.Glob("/sys/block/loop*/loop/backing_file") // the pattern is well formed
	for _, name := range files {
		if path, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(path), dir+"/") {
			found = append(found, "/dev/"+strings.Split(name, "/")[3])
		}
	}
	return found
}

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

// Sweep removes the disks of processes that were killed, and ends what those left running on them.
// It waits for nobody, so that one call may leave a disk to the next: one that another Sweep is
// removing, one that is in use, and one whose owner was killed while it started a command, which
// has the owner's lock until it runs.
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

// remove removes a disk: its processes, what is mounted in its folder, its loop devices, and the
// folder last of all, so that what fails is tried again by the next Sweep.
func remove(dir string) error {
	if err := removeGroup(filepath.Base(dir)); err != nil {
		return err
	}
	if err := unmount(dir, func(mount string) bool {
		return filepath.Base(mount) != beneath
	}); err != nil {
		return err
	}
	detached := await(func() bool {
		left := LoopsIn(dir)
		for _, device := range left {
			_ = command("losetup", "-d", device) // tried again
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

// MountsIn returns the mounts in a folder, in the order in which they were made.
func MountsIn(dir string) []string {
	text, _ := os.ReadFile("/proc/thread-self/mountinfo") // without /proc there are none to be seen
	var found []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 &&
			strings.HasPrefix(fields[4], dir+"/") {
			found = append(found, fields[4])
		}
	}
	return found
}

// await waits until something is so, for five seconds at most.
func await(done func() bool) bool { return check.Within(5*time.Second, done) }

// Left returns what there is of the disk in a folder: mounts, devices, its control group and the
// folder.
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
