package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// What becomes of a volume: its device is taken off its file, it turns read-only, it is unmounted, it is full.

func TestFaultsOfADetachedLoop(t *testing.T) {
	t.Parallel()
	c := faults(t, "a loop device detached under load")
	// The kernel waits with it until the volume is unmounted: nothing happens, and nothing is to be said.
	c.try("losetup -d", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", func() error { return exec.Command("losetup", "-d", d.Device).Run() })
		r.goesOn("WW", "A")
		r.interrupt()
		r.holds(exitInterrupted, `interrupted; continue with`, root, well)
	})
	// Without its file it reads nothing and has no room to write.
	for _, phase := range []struct{ name, text, says string }{
		{"WW", writing, `(write|flush|make|reserve) [^\n]*(no space left on device|input/output error|read-only file system)`},
		{"RR", reading, `read [^\n]*input/output error`},
	} {
		c.try("its file is gone, "+phase.name, func(t *testing.T) {
			var beneath string
			d, root := newVolume(t, testdisk.Options{Beneath: func(at, _ string) error {
				beneath = at
				return unix.Mount("tmpfs", at, "tmpfs", 0, "size=200m")
			}}, "")
			_, well := newVolume(t, testdisk.Options{}, "")
			r := beginRun(t, endless(root, well, phase.text))
			r.inject(phase.name, func() (err error) {
				for range 1000 { // what is written meanwhile must not fill it again
					if err = os.Truncate(d.Image, 0); err != nil {
						return err
					}
					if err = unix.Mount("", beneath, "", unix.MS_REMOUNT, "size=4k"); err == nil {
						break
					}
				}
				return err
			})
			r.holds(exitPartial, `partial run: disk A, phase `+phase.name+`: `+phase.says, well)
		})
	}
}

func TestFaultsOfAReadOnlyVolume(t *testing.T) {
	t.Parallel()
	c := faults(t, "a volume that turns read-only, under load and between phases")
	// As a file system does by itself that has found an error.
	c.try("under load", func(t *testing.T) {
		d, root, well := twoVolumes(t, "errors=remount-ro")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", func() error {
			return os.WriteFile(filepath.Join("/sys/fs/ext4", filepath.Base(d.Device), "trigger_fs_error"), []byte("1"), 0)
		})
		r.holds(exitPartial, `partial run: disk A, phase WW: [^\n]*read-only file system; mount the volume writable`, well)
		r.cleanedLater(d, root)
	})
	c.try("between phases", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.injectAt(func() error { return unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_RDONLY, "") }, ended("first"))
		r.holds(exitPartial, `partial run: disk A, phase second: [^\n]*read-only file system; mount the volume writable`, well)
		r.cleanedLater(d, root)
	})
}

func TestFaultsOfAnUnmountedVolume(t *testing.T) {
	t.Parallel()
	c := faults(t, "a volume unmounted lazily, under load and between phases")
	detach := func(root string) func() error { return func() error { return unix.Unmount(root, unix.MNT_DETACH) } }
	// Who has its files open goes on: the run measures what it should, and removes what it has made.
	c.try("under load", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", detach(root))
		r.goesOn("WW", "A")
		r.interrupt()
		r.holds(exitInterrupted, `disk A is no longer at `+root+`: test files of this run may be left on it; connect it, and run hubbench clean `+root, well)
		r.cleanedAt(d, root)
	})
	// What is at its path now is another disk, which nothing is written to.
	c.try("between phases", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.injectAt(detach(root), ended("first"))
		r.ends(exitPartial, `(?s)disk A is no longer at `+root+`: test files of this run may be left on it.*partial run: disk A, phase second: `)
		r.keeps()
		if files, err := os.ReadDir(root); err != nil || len(files) > 0 {
			t.Errorf("beneath the mount are %v, %v", files, err)
		}
		r.leaves(well)
		r.cleanedAt(d, root)
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
	t.Parallel()
	c := faults(t, "a disk under test that another program fills")
	const plain = "files: 7, footprint: 16 MB, block: 256 KiB}"
	for _, tc := range []struct{ name, workload, phase string }{
		{"space reserved", "files: 1000, footprint: 30 MB}", writing},
		{"space not reserved", "files: 1000, footprint: 30 MB, preallocate: false}", writing},
		{"by a plain program's calls", "files: 100000, footprint: 30 MB, io: app}", "- {pattern: WW}"},
	} {
		c.try(tc.name, func(t *testing.T) {
			_, root, well := twoVolumes(t, "")
			r := beginRun(t, strings.ReplaceAll(endless(root, well, tc.phase), plain, tc.workload))
			film := filepath.Join(root, "film")
			r.inject("WW", func() error { return r.fill(film) })
			r.holds(exitPartial, `partial run: disk A, phase WW: [^\n]*no space left on device; free some space`, root, well)
			if _, err := os.Stat(film); err != nil {
				t.Error("somebody's file is gone: ", err)
			}
		})
	}
}
