package check

import (
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

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// lab makes Preflight's checks of real block devices.
type lab struct{ testdisk.Lab }

func (l lab) sub(name string, test func(l lab)) {
	l.Sub(name, func(inner testdisk.Lab) { test(lab{inner}) })
}

// preflight runs the whole of Preflight with A and B in two folders, and wants just these codes;
// one with ? at its end may be missing.
func (l lab) preflight(a, b string, size int64, want ...string) {
	l.Helper()
	plan := twoDisks(a, b)
	direct := scenario.IO{Mode: scenario.ModeDirect}
	plan.Phases = []scenario.Phase{{Name: "WW", Jobs: []scenario.Job{
		{Disk: "A", Role: trace.Write, Sizes: []int64{1e6}, IO: direct},
		{Disk: "B", Role: trace.Write, Sizes: []int64{size}, IO: direct},
	}}}
	problems := Preflight(l.Context(), plan, Options{Watch: 250 * time.Millisecond, Look: look})
	var got []string
	for _, p := range problems {
		code := p.Code + " " + p.Disk
		// All of this lab lie in memory.
		if image := p.Code == "not_disk" && strings.Contains(p.Text, "(loop"); image ||
			slices.Contains(want, code+"?") {
			continue
		}
		if p.Fatal {
			code = "! " + code
		}
		got = append(got, code)
	}
	var sure []string
	for _, code := range want {
		if !strings.HasSuffix(code, "?") {
			sure = append(sure, code)
		}
	}
	if !slices.Equal(got, sure) {
		l.Errorf("found %q, want %q: %v", got, want, problems)
	}
}

// write keeps a disk busy until it is told to stop.
func (l lab) write(path string) (stop func()) {
	file, err := os.Create(path)
	check.Must(l, err)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for err := error(nil); err == nil; {
			select {
			case <-quit:
				return
			default:
				_, err = file.WriteAt(make([]byte, 4<<20), 0)
				err = errors.Join(err, file.Sync())
			}
		}
	}()
	return func() { close(quit); <-gone; _, _ = file.Close(), os.Remove(path) }
}

// program runs something of that name in a folder, which does nothing but be there.
func (l lab) program(is, name, dir string, meanwhile func()) {
	l.Helper()
	file, err := exec.LookPath(is)
	if err != nil {
		l.Skipf("no %s to be renamed", is)
	}
	path := filepath.Join(l.TempDir(), name)
	l.Exec("cp", "--dereference", file, path)
	cmd := exec.Command(path, "300")
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	check.Must(l, cmd.Start())
	meanwhile()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestBlockDevices provokes the checks.
func TestBlockDevices(t *testing.T) {
	testdisk.InLab(t, func(l testdisk.Lab) { blockDevices(lab{l}) }, "mkfs.ext4", "addpart")
}

func blockDevices(l lab) {
	const small = 1e6
	a, b := l.Disk("a"), l.Disk("b")
	l.sub("two disks are clean, 5 times of 5", func(l lab) {
		for range 5 {
			l.preflight(a, b, small)
		}
	})
	// Are told to the kernel, which need not know any table of them.
	l.sub("three partitions", func(l lab) {
		image := l.Loop(filepath.Join(l.Memory, "parts"), 3*128)
		const sectors = 128 << 20 / 512
		var dirs []string
		for i := range 3 {
			n := fmt.Sprint(i + 1)
			l.Exec("addpart", image, n, fmt.Sprint(i*sectors), fmt.Sprint(sectors))
			dirs = append(dirs, l.Format(image+"p"+n, "part"+n))
		}
		for i := range dirs {
			l.preflight(dirs[i], dirs[(i+1)%3], small, "same_disk B")
		}
	})
	l.sub("bind mount", func(l lab) {
		dir := l.Mount("bind", "--bind", a)
		l.preflight(a, dir, small, "! same_folder B")
		l.preflight(filepath.Join(a, "in"), filepath.Join(dir, "in2"), small, "same_disk B")
	})
	l.sub("loop device on a disk under test", func(l lab) {
		inner := l.Format(l.Loop(filepath.Join(a, "image"), 128), "inner")
		l.preflight(a, inner, small, "same_disk B")
		l.preflight(b, inner, small)
	})
	l.sub("loop device on the system's disk", func(l lab) {
		file, err := os.CreateTemp("/var/tmp", "hubbench-lab-")
		if err != nil {
			l.Skipf("no folder on the system's disk: %v", err)
		}
		defer os.Remove(file.Name())
		if p, err := device.Inspect("/var/tmp"); err != nil || !p.System {
			l.Skipf("/var/tmp is not on the system's disk (%v)", err)
		}
		inv, err := look(l.Context())
		check.Must(l, err)
		if disk, _ := inv.Holding("/"); disk == nil || !disk.System {
			l.Skip("the system runs from no disk that can be seen")
		}
		l.preflight(a, l.Format(l.Loop(file.Name(), 128), "onroot"), small, "system_disk B")
	})
	l.sub("the system's disk", func(l lab) {
		l.preflight(a, "/var/tmp", small, "! system_disk B", "busy B?", "nearly_full B?",
			"not_disk B?")
	})
	l.sub("memory", func(l lab) {
		l.preflight(a, l.Memory, small, "not_disk B")
		inv, err := look(l.Context())
		check.Must(l, err)
		if disk, _ := inv.Holding(a); disk == nil || !disk.Memory {
			l.Errorf("%+v is an image in memory", disk)
		}
	})
	l.sub("read-only", func(l lab) {
		dir := l.Mount("ro", "--bind", b)
		l.Exec("mount", "-o", "remount,bind,ro", dir)
		l.preflight(a, dir, small, "! unwritable B")
	})
	l.sub("space", func(l lab) { l.preflight(a, b, 1e9, "! space B") })
	l.sub("traffic", func(l lab) {
		defer l.write(filepath.Join(b, "noise"))()
		l.preflight(a, b, small, "busy B")
	})
	l.sub("programs", func(l lab) {
		l.program("yes", "rsync", b, func() { l.preflight(a, b, small, "background ") })
		l.program("yes", "rsync", l.Memory, func() { l.preflight(a, b, small) })
		l.program("yes", "fsck.ext4", a, func() { l.preflight(a, b, small, "background ") })
		l.program("sleep", "rsync", b, func() { l.preflight(a, b, small) })
		l.program("sleep", "fstrim", "/", func() { l.preflight(a, b, small, "background ") })
	})
	l.sub("device mapper", func(l lab) {
		image := "/dev/mapper/" + l.Mapped(l.Loop(filepath.Join(a, "mapped"), 16))
		l.preflight(a, l.Format(image, "mapped"), small, "same_disk B")
	})
	l.sub("FAT", func(l lab) {
		l.KernelKnows("vfat")
		image := l.Loop(filepath.Join(l.Memory, "fat"), 128)
		l.Exec("mkfs.vfat", image)
		l.preflight(a, l.Mount("fat", image), 5e9, "! file_limit B", "! space B")
	})
	l.sub("compression", func(l lab) {
		l.KernelKnows("btrfs")
		image := l.Loop(filepath.Join(l.Memory, "btrfs"), 256)
		l.Exec("mkfs.btrfs", "-q", image)
		l.preflight(a, l.Mount("btrfs", "-o", "compress=zstd", image), small, "compressed B")
	})
}
