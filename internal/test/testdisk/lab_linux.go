package testdisk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Lab makes real block devices: loop devices over files in memory, their partitions, and what can
// be mounted on them.
type Lab struct {
	*testing.T
	Memory string // a tmpfs, on which the images lie and everything is mounted
}

// labChild tells this test binary that it is in a lab.
const labChild = "HUBBENCH_LAB"

func inLab() bool { return os.Getenv(labChild) != "" }

// InLab runs a test in a child with mounts of its own. When that ends, however it ends, its mounts
// go with it, and with them the loop devices, which nothing else keeps.
func InLab(t *testing.T, test func(l Lab), tools ...string) {
	if inLab() {
		dropDisks()
		l := Lab{T: t, Memory: t.TempDir()}
		if err := unix.Mount("lab", l.Memory, "tmpfs", 0, "size=4g"); err != nil {
			t.Fatalf("mount memory: %v", err)
		}
		t.Cleanup(func() { _ = unix.Unmount(l.Memory, unix.MNT_DETACH) })
		test(l)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("making block devices takes root")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), labChild+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS,
		Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("no mounts of one's own here: %v", err)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("in the lab: %v", err)
	}
}

// dropDisks unmounts the lab's copies of the disks that other processes have at the moment: they
// would keep the devices in use after their owners have unmounted them.
func dropDisks() {
	for _, mount := range slices.Backward(MountsIn(Memory)) {
		if strings.HasPrefix(mount, filepath.Join(Memory, prefix)) {
			_ = unix.Unmount(mount, unix.MNT_DETACH) // what stays does so until the lab ends
		}
	}
}

// Sub is a subtest; what it changes of the lab is its own.
func (l Lab) Sub(name string, test func(l Lab)) {
	l.Run(name, func(t *testing.T) {
		l.T = t
		test(l)
	})
}

// Exec runs a program, and returns what it prints; the test ends if it fails.
func (l Lab) Exec(name string, args ...string) string {
	l.Helper()
	return Run(l, name, args...)
}

// Loop makes a loop device of so many MiB over a file, and holds it open until the test ends.
func (l Lab) Loop(image string, mib int64) string {
	l.Helper()
	device, err := Attach(image, mib<<20)
	if err != nil {
		l.Fatalf("make a loop device over %s: %v", image, err)
	}
	l.Cleanup(func() { _ = device.Close() })
	return device.Name()
}

// Mount mounts something on a new folder until the test ends.
func (l Lab) Mount(name string, args ...string) string {
	l.Helper()
	dir := filepath.Join(l.Memory, "at-"+name)
	check.Must(l, os.Mkdir(dir, 0o755))
	l.Exec("mount", append(args, dir)...)
	l.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// Format makes an ext4 that is at rest from the start, and mounts it.
func (l Lab) Format(device, name string) string {
	l.Helper()
	l.Exec("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
	return l.Mount(name, device)
}

// Disk returns an ext4 of 1 GiB on a loop device of its own.
func (l Lab) Disk(name string) string {
	dir := l.Format(l.Loop(filepath.Join(l.Memory, name), 1024), name)
	for _, inside := range []string{"in", "in2"} {
		check.Must(l, os.Mkdir(filepath.Join(dir, inside), 0o755))
	}
	return dir
}

// Mapped makes a mapped device on a part of another, if the kernel has such a thing.
func (l Lab) Mapped(device string) string {
	misc, err := os.ReadFile("/proc/misc")
	if _, missing := exec.LookPath("dmsetup"); err != nil || missing != nil ||
		!strings.Contains(string(misc), "device-mapper") {
		l.Skip("no device mapper in this kernel")
	}
	name := fmt.Sprintf("hubbench-lab-%d", os.Getpid())
	l.Exec("dmsetup", "create", name, "--table", fmt.Sprintf("0 %d linear %s 0", 8<<20/512, device))
	l.Cleanup(func() { _ = exec.Command("dmsetup", "remove", "--deferred", name).Run() })
	return name
}

// KernelKnows skips the test without a file system and the tool that makes it.
func (l Lab) KernelKnows(kind string) {
	known, err := os.ReadFile("/proc/filesystems")
	if _, missing := exec.LookPath("mkfs." + kind); err != nil || missing != nil ||
		!slices.Contains(strings.Fields(string(known)), kind) {
		l.Skipf("no mkfs.%s, or no %[1]s in this kernel", kind)
	}
}
