package device

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

	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// inLab tells this test binary that it is the child with mounts of its own.
const inLab = "HUBBENCH_LAB"

// TestBlockDevices provokes the checks on real block devices: loop devices over files in memory, their partitions, and
// what can be mounted on them. It runs in a child with mounts of its own. When that ends, however it ends, its mounts
// go with it, and with them the loop devices, which nothing else keeps.
func TestBlockDevices(t *testing.T) {
	if os.Getenv(inLab) == "" {
		enterLab(t)
		return
	}
	l := &lab{T: t, memory: t.TempDir()}
	if err := unix.Mount("lab", l.memory, "tmpfs", 0, "size=2g"); err != nil {
		t.Fatalf("mount memory: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(l.memory, unix.MNT_DETACH) })
	a, b := l.disk("a"), l.disk("b")
	small := func(*scenario.Plan) {}
	t.Run("two disks are clean, 20 times of 20", func(t *testing.T) {
		for range 20 {
			l.check(t, a, b, small)
		}
	})
	t.Run("three partitions", func(t *testing.T) { l.partitions(t) })
	t.Run("bind mount", func(t *testing.T) {
		dir := l.folder("bind")
		l.mount(t, a, dir, "", unix.MS_BIND)
		l.check(t, a, dir, small, "! same_folder B")
		l.check(t, filepath.Join(a, "in"), filepath.Join(dir, "in2"), small, "same_disk B")
	})
	t.Run("loop device on a disk under test", func(t *testing.T) {
		inner := l.format(t, l.loop(t, filepath.Join(a, "image"), 128), "inner")
		l.check(t, a, inner, small, "same_disk B")
		l.check(t, b, inner, small)
	})
	t.Run("loop device on the system's disk", func(t *testing.T) {
		file, err := os.CreateTemp("/var/tmp", "hubbench-lab-")
		if err != nil {
			t.Skipf("no folder on the system's disk: %v", err)
		}
		defer os.Remove(file.Name())
		if p, err := Inspect("/var/tmp"); err != nil || !p.System {
			t.Skipf("/var/tmp is not on the system's disk (%v)", err)
		}
		if inv, err := Look(t.Context(), LookOptions{}); err != nil || !slices.ContainsFunc(inv.Disks, func(d hardware.Disk) bool { return d.System }) {
			t.Skipf("the system runs from no disk that can be seen (%v)", err)
		}
		l.check(t, a, l.format(t, l.loop(t, file.Name(), 128), "onroot"), small, "system_disk B")
	})
	t.Run("the system's disk", func(t *testing.T) {
		l.check(t, a, "/var/tmp", small, "! system_disk B", "busy B?", "nearly_full B?", "not_disk B?")
	})
	t.Run("memory", func(t *testing.T) {
		l.check(t, a, l.memory, small, "not_disk B")
		inv, err := Look(t.Context(), LookOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if disk, _ := inv.Holding(a); disk == nil || !disk.Memory {
			t.Errorf("%+v is an image in memory", disk)
		}
	})
	t.Run("results on a disk under test", func(t *testing.T) {
		l.results = filepath.Join(b, "results", "run")
		defer func() { l.results = "" }()
		l.check(t, a, b, small, "! results_on_disk B")
	})
	t.Run("read-only", func(t *testing.T) {
		dir := l.folder("ro")
		l.mount(t, b, dir, "", unix.MS_BIND)
		l.mount(t, "", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY)
		l.check(t, a, dir, small, "! unwritable B")
	})
	t.Run("space", func(t *testing.T) {
		l.check(t, a, b, func(p *scenario.Plan) { p.Phases[0].Jobs[1].Sizes = []int64{1e9} }, "! space B")
	})
	t.Run("nearly full", func(t *testing.T) {
		full := filepath.Join(b, "full")
		defer os.Remove(full)
		l.fill(t, full, 885<<20)
		l.check(t, a, b, small, "nearly_full B")
	})
	t.Run("an earlier run", func(t *testing.T) {
		l.recent = []Written{{Run: "r", Path: b, Bytes: 20e9, Ago: time.Minute}}
		defer func() { l.recent = nil }()
		l.check(t, a, b, small, "wrote_lately B")
	})
	t.Run("traffic", func(t *testing.T) {
		stop := l.write(t, filepath.Join(b, "noise"))
		defer stop()
		l.check(t, a, b, small, "busy B")
	})
	t.Run("programs", func(t *testing.T) {
		l.program(t, "yes", "rsync", b, func() { l.check(t, a, b, small, "background B") })
		l.program(t, "yes", "rsync", l.memory, func() { l.check(t, a, b, small) })
		l.program(t, "yes", "fsck.ext4", a, func() { l.check(t, a, b, small, "background A") })
		l.program(t, "sleep", "rsync", b, func() { l.check(t, a, b, small) })
		l.program(t, "sleep", "fstrim", "/", func() { l.check(t, a, b, small, "background ") })
	})
	t.Run("device mapper", func(t *testing.T) { l.mapped(t, a) })
	t.Run("FAT", func(t *testing.T) {
		if _, err := exec.LookPath("mkfs.vfat"); err != nil || !kernelKnows(t, "vfat") {
			t.Skip("no mkfs.vfat, or no FAT in this kernel")
		}
		dir := l.formatAs(t, l.loop(t, filepath.Join(l.memory, "fat"), 128), "fat", "vfat", "mkfs.vfat")
		l.check(t, a, dir, func(p *scenario.Plan) { p.Phases[0].Jobs[1].Sizes = []int64{5e9} }, "! file_limit B", "! space B")
	})
	t.Run("compression", func(t *testing.T) {
		if _, err := exec.LookPath("mkfs.btrfs"); err != nil || !kernelKnows(t, "btrfs") {
			t.Skip("no mkfs.btrfs, or no btrfs in this kernel")
		}
		device := l.loop(t, filepath.Join(l.memory, "btrfs"), 256)
		run(t, "mkfs.btrfs", "-q", device)
		dir := l.folder("btrfs")
		if err := unix.Mount(device, dir, "btrfs", 0, "compress=zstd"); err != nil {
			t.Fatal(err)
		}
		l.check(t, a, dir, small, "compressed B")
	})
}

// enterLab runs this test in a child with mounts of its own.
func enterLab(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("making block devices takes root")
	}
	for _, tool := range []string{"mkfs.ext4", "addpart"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inLab+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("no mounts of one's own here: %v", err)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("in the lab: %v", err)
	}
}

// lab makes block devices and checks plans on them.
type lab struct {
	*testing.T
	memory  string // a tmpfs, on which the images lie
	results string
	recent  []Written
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

func (l *lab) folder(name string) string {
	dir := filepath.Join(l.memory, "at-"+name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		l.Fatal(err)
	}
	return dir
}

// loop makes a loop device of so many MiB over a file, and holds it open until the test ends.
func (l *lab) loop(t *testing.T, image string, mib int64) string {
	t.Helper()
	device, err := testdisk.Attach(image, mib<<20)
	if err != nil {
		t.Fatalf("make a loop device over %s: %v", image, err)
	}
	t.Cleanup(func() { device.Close() })
	return device.Name()
}

// disk is an ext4 of 1 GiB on a loop device of its own.
func (l *lab) disk(name string) string {
	dir := l.format(l.T, l.loop(l.T, filepath.Join(l.memory, name), 1024), name)
	for _, inside := range []string{"in", "in2"} {
		if err := os.Mkdir(filepath.Join(dir, inside), 0o755); err != nil {
			l.Fatal(err)
		}
	}
	return dir
}

// format makes an ext4 that is at rest from the start, and mounts it.
func (l *lab) format(t *testing.T, device, name string) string {
	return l.formatAs(t, device, name, "ext4", "mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0")
}

func (l *lab) formatAs(t *testing.T, device, name, kind string, command ...string) string {
	t.Helper()
	run(t, command[0], append(command[1:], device)...)
	dir := l.folder(name)
	l.mount(t, device, dir, kind, 0)
	return dir
}

func (l *lab) mount(t *testing.T, source, dir, kind string, flags uintptr) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, flags, ""); err != nil {
		t.Fatalf("mount %s on %s: %v", source, dir, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// check runs the whole of Check with A and B in two folders, and wants just these codes; one with ? at its end may be
// missing.
func (l *lab) check(t *testing.T, a, b string, change func(*scenario.Plan), want ...string) {
	t.Helper()
	plan := twoDisks(a, b)
	direct := scenario.IO{Mode: scenario.ModeDirect}
	plan.Phases = []scenario.Phase{{Name: "WW", Jobs: []scenario.Job{
		{Disk: "A", Role: trace.Write, Sizes: []int64{1e6}, IO: direct}, {Disk: "B", Role: trace.Write, Sizes: []int64{1e6}, IO: direct},
	}}}
	change(plan)
	problems := Check(t.Context(), plan, Options{
		Results: l.results, Recent: l.recent, Watch: 250 * time.Millisecond, Running: Processes,
		Moved: moved,
		Look:  func(ctx context.Context) (*hardware.Inventory, error) { return Look(ctx, LookOptions{}) },
	})
	var got []string
	for _, p := range problems {
		code := p.Code + " " + p.Disk
		if image := p.Code == "not_disk" && strings.Contains(p.Text, "(loop"); image || slices.Contains(want, code+"?") { // all of this lab lie in memory
			continue
		}
		if p.Fatal {
			code = "! " + code
		}
		got = append(got, code)
	}
	want = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasSuffix(s, "?") })
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q: %v", got, want, problems)
	}
}

// partitions are told to the kernel, which need not know any table of them.
func (l *lab) partitions(t *testing.T) {
	device := l.loop(t, filepath.Join(l.memory, "parts"), 3*128)
	const sectors = 128 << 20 / 512
	var dirs []string
	for i := range 3 {
		n := fmt.Sprint(i + 1)
		run(t, "addpart", device, n, fmt.Sprint(i*sectors), fmt.Sprint(sectors))
		part := device + "p" + n
		if _, err := os.Stat(part); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, l.format(t, part, "part"+n))
	}
	none := func(*scenario.Plan) {}
	for i := range dirs {
		l.check(t, dirs[i], dirs[(i+1)%3], none, "same_disk B")
	}
}

// fill takes space without writing it.
func (l *lab) fill(t *testing.T, path string, bytes int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, bytes); err != nil {
		t.Fatal(err)
	}
}

// write keeps a disk busy until it is told to stop.
func (l *lab) write(t *testing.T, path string) (stop func()) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-quit:
				return
			default:
			}
			if _, err := file.WriteAt(make([]byte, 4<<20), 0); err != nil {
				return
			}
			if err := file.Sync(); err != nil {
				return
			}
		}
	}()
	return func() { close(quit); <-gone; _, _ = file.Close(), os.Remove(path) }
}

// program runs something of that name in a folder, which does nothing but be there.
func (l *lab) program(t *testing.T, is, name, dir string, meanwhile func()) {
	t.Helper()
	file, err := exec.LookPath(is)
	if err != nil {
		t.Skipf("no %s to be renamed", is)
	}
	bytes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, bytes, 0o755); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	cmd := exec.Command(path, "300")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	meanwhile()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func (l *lab) mapped(t *testing.T, under string) {
	if misc, err := os.ReadFile("/proc/misc"); err != nil || !strings.Contains(string(misc), "device-mapper") {
		t.Skip("no device mapper in this kernel")
	}
	device := l.loop(t, filepath.Join(under, "mapped"), 128)
	name := fmt.Sprintf("hubbench-lab-%d", os.Getpid())
	run(t, "dmsetup", "create", name, "--table", fmt.Sprintf("0 %d linear %s 0", 128<<20/512, device))
	t.Cleanup(func() { _ = exec.Command("dmsetup", "remove", "--deferred", name).Run() })
	dir := l.formatAs(t, "/dev/mapper/"+name, "mapped", "ext4", "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	l.check(t, under, dir, func(*scenario.Plan) {}, "same_disk B")
}

// moved is what a disk has read and written.
func moved(path string) (bytes int64, ok bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0, false
	}
	disk, err := linux.FindMeter(os.DirFS("/"), fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return 0, false
	}
	read, written, _, err := disk.Moved()
	return read + written, err == nil
}

func kernelKnows(t *testing.T, kind string) bool {
	t.Helper()
	known, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(strings.Fields(string(known)), kind)
}
