package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/testdisk"
)

// What becomes of a volume: its device is taken off its file, it turns read-only, it is unmounted, it is full.

func TestFaultsOfADetachedLoop(t *testing.T) {
	c := faults(t, "a loop device detached under load")
	// The kernel waits with it until the volume is unmounted: nothing happens, and nothing is to be said.
	c.try("losetup -d", func(t *testing.T) {
		t.Parallel()
		d, root := newVolume(t, testdisk.Options{}, "")
		_, well := newVolume(t, testdisk.Options{}, "")
		r := beginRun(t, endless(root, well, writing))
		r.strike("WW", func() error { return exec.Command("losetup", "-d", d.Device).Run() })
		r.goesOn("WW", "A")
		r.interrupt()
		r.ends(exitInterrupted, `interrupted; continue with`)
		r.keeps()
		r.leaves(root, well)
	})
	// Without its file it reads nothing and has no room to write.
	for _, phase := range []struct{ name, text, says string }{
		{"WW", writing, `(write|flush|make|reserve) [^\n]*(no space left on device|input/output error|read-only file system)`},
		{"RR", reading, `read [^\n]*input/output error`},
	} {
		c.try("its file is gone, "+phase.name, func(t *testing.T) {
			t.Parallel()
			var beneath string
			d, root := newVolume(t, testdisk.Options{Beneath: func(at, _ string) error {
				beneath = at
				return unix.Mount("tmpfs", at, "tmpfs", 0, "size=200m")
			}}, "")
			_, well := newVolume(t, testdisk.Options{}, "")
			r := beginRun(t, endless(root, well, phase.text))
			r.strike(phase.name, func() error {
				if err := os.Truncate(d.Image, 0); err != nil {
					return err
				}
				return exec.Command("mount", "-o", "remount,size=4k", beneath).Run()
			})
			r.ends(exitPartial, `partial run: disk A, phase `+phase.name+`: `+phase.says)
			r.keeps()
			r.leaves(well)
		})
	}
}

func TestFaultsOfAReadOnlyVolume(t *testing.T) {
	c := faults(t, "a volume that turns read-only, under load and between phases")
	// As a file system does by itself that has found an error.
	c.try("under load", func(t *testing.T) {
		t.Parallel()
		d, root := newVolume(t, testdisk.Options{}, "errors=remount-ro")
		_, well := newVolume(t, testdisk.Options{}, "")
		r := beginRun(t, endless(root, well, writing))
		r.strike("WW", func() error {
			return os.WriteFile(filepath.Join("/sys/fs/ext4", filepath.Base(d.Device), "trigger_fs_error"), []byte("1"), 0)
		})
		r.ends(exitPartial, `partial run: disk A, phase WW: [^\n]*read-only file system; mount the volume writable`)
		r.keeps()
		r.leaves(well)
		r.cleanedLater(d, root)
	})
	c.try("between phases", func(t *testing.T) {
		t.Parallel()
		d, root := newVolume(t, testdisk.Options{}, "")
		_, well := newVolume(t, testdisk.Options{}, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.strikeAt(func() error { return unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") }, ended("first"))
		r.ends(exitPartial, `partial run: disk A, phase second: [^\n]*read-only file system; mount the volume writable`)
		r.keeps()
		r.leaves(well)
		r.cleanedLater(d, root)
	})
}

func TestFaultsOfAnUnmountedVolume(t *testing.T) {
	c := faults(t, "a volume unmounted lazily, under load and between phases")
	detach := func(root string) func() error { return func() error { return unix.Unmount(root, unix.MNT_DETACH) } }
	// Who has its files open goes on: the run measures what it should, and removes what it has made.
	c.try("under load", func(t *testing.T) {
		t.Parallel()
		d, root := newVolume(t, testdisk.Options{}, "")
		_, well := newVolume(t, testdisk.Options{}, "")
		r := beginRun(t, endless(root, well, writing))
		r.strike("WW", detach(root))
		r.goesOn("WW", "A")
		r.interrupt()
		r.ends(exitInterrupted, `disk A is no longer at `+root+`: test files of this run may be left on it; connect it, and run hubbench clean `+root)
		r.keeps()
		r.leaves(well)
		if _, err := d.Mount(0, ""); err != nil {
			t.Fatal(err)
		}
		hubbench(t, "clean", root)
		r.leaves(root)
	})
	// What is at its path now is another disk, which nothing is written to.
	c.try("between phases", func(t *testing.T) {
		t.Parallel()
		d, root := newVolume(t, testdisk.Options{}, "")
		_, well := newVolume(t, testdisk.Options{}, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.strikeAt(detach(root), ended("first"))
		r.ends(exitPartial, `(?s)disk A is no longer at `+root+`: test files of this run may be left on it.*partial run: disk A, phase second: `)
		r.keeps()
		if files, err := os.ReadDir(root); err != nil || len(files) > 0 {
			t.Errorf("beneath the mount are %v, %v", files, err)
		}
		r.leaves(well)
		if _, err := d.Mount(0, ""); err != nil {
			t.Fatal(err)
		}
		hubbench(t, "clean", root)
		r.leaves(root)
	})
}

// short is a phase of seven files each, which rests first.
func short(name string) string {
	return fmt.Sprintf("- {name: %s, pattern: WW, cooldown: 1 s}", name)
}

// ended is when a phase has.
func ended(phase string) func(events string) bool {
	return func(events string) bool { return strings.Contains(events, `{"type":"phase_end","phase":"`+phase+`"`) }
}

func TestFaultsOfAFullDisk(t *testing.T) {
	c := faults(t, "a disk under test that another program fills")
	for _, tc := range []struct{ name, workload string }{
		{"space reserved", ""}, {"space not reserved", ", preallocate: false"}, {"through the cache", ", io: app"},
	} {
		c.try(tc.name, func(t *testing.T) {
			t.Parallel()
			_, root := newVolume(t, testdisk.Options{}, "")
			_, well := newVolume(t, testdisk.Options{}, "")
			r := beginRun(t, strings.ReplaceAll(endless(root, well, writing), "files: 7, footprint: 16 MB", "files: 1000, footprint: 60 MB"+tc.workload))
			r.strike("WW", func() error { return fill(filepath.Join(root, "film"), 0) })
			r.ends(exitPartial, `partial run: disk A, phase WW: [^\n]*no space left on device; free some space`)
			r.keeps()
			r.leaves(root, well)
			if _, err := os.Stat(filepath.Join(root, "film")); err != nil {
				t.Error("somebody's file is gone: ", err)
			}
		})
	}
}

// fill fills a volume with a file, but for so many bytes.
func fill(path string, but int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &st); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	zeros := make([]byte, 64<<10)
	for left := int64(st.Bavail)*st.Bsize - but; left > 0; left -= int64(len(zeros)) {
		if _, err := file.Write(zeros[:min(left, int64(len(zeros)))]); err != nil {
			break // it is
		}
	}
	return file.Sync()
}
