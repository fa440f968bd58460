package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What becomes of a volume: its device is taken off its file, it turns read-only, it is unmounted,
// it is full.

func TestFaultsOfADetachedLoop(t *testing.T) {
	t.Parallel()
	c := faults(t, "a loop device detached under load")
	// The kernel waits with it until the volume is unmounted: nothing happens, and nothing is to be
	// said.
	c.try("losetup -d", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", func() error { return exec.Command("losetup", "-d", d.Device).Run() })
		r.goesOn("WW", "A")
		r.interrupt()
		r.holds(exit.Interrupted, `interrupted; continue with`, root, well)
	})
	// Without its file it reads nothing and has no room to write.
	for _, phase := range []struct{ name, text, says string }{
		{"WW", writing, `(write|flush|make|reserve) [^\n]*` +
			`(no space left on device|input/output error|read-only file system)`},
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
			r.holds(exit.Partial, `partial run: disk A, phase `+phase.name+`: `+phase.says, well)
		})
	}
}

func TestFaultsOfAReadOnlyVolume(t *testing.T) {
	t.Parallel()
	c := faults(t, "a volume that turns read-only, under load and between phases")
	const readOnly = `[^\n]*read-only file system; mount the volume writable`
	// As a file system does by itself that has found an error.
	c.try("under load", func(t *testing.T) {
		d, root, well := twoVolumes(t, "errors=remount-ro")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", func() error {
			return os.WriteFile(filepath.Join("/sys/fs/ext4", filepath.Base(d.Device),
				"trigger_fs_error"), []byte("1"), 0)
		})
		r.holds(exit.Partial, `disk A, phase WW: `+readOnly, well)
		r.cleanedLater(d, root)
	})
	c.try("between phases", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.injectAt(func() error {
			return unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
		}, ended("first"))
		r.holds(exit.Partial, `disk A, phase second: `+readOnly, well)
		r.cleanedLater(d, root)
	})
}

func TestFaultsOfAnUnmountedVolume(t *testing.T) {
	t.Parallel()
	c := faults(t, "a volume unmounted lazily, under load and between phases")
	left := func(root string) string {
		return `disk A is no longer at ` + root + `: test files of this run may be left on it`
	}
	detach := func(root string) func() error {
		return func() error { return unix.Unmount(root, unix.MNT_DETACH) }
	}
	// Who has its files open goes on: the run measures what it should, and removes what it has
	// made.
	c.try("under load", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", detach(root))
		r.goesOn("WW", "A")
		r.interrupt()
		r.holds(exit.Interrupted, left(root)+`; connect it, and run hubbench clean `+root, well)
		r.cleanedAt(d, root)
	})
	// What is at its path now is another disk, which nothing is written to.
	c.try("between phases", func(t *testing.T) {
		d, root, well := twoVolumes(t, "")
		r := beginRun(t, endless(root, well, short("first")+"\n"+short("second")))
		r.injectAt(detach(root), ended("first"))
		r.ends(exit.Partial, `(?s)`+left(root)+`.*partial run: disk A, phase second: `)
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

func ended(phase string) func(events string) bool {
	return func(events string) bool {
		return strings.Contains(events, `{"type":"phase_end","phase":"`+phase+`"`)
	}
}

func TestFaultsOfAFullDisk(t *testing.T) {
	t.Parallel()
	c := faults(t, "a disk under test that another program fills")
	const plain = "files: 7, footprint: 16 MB, block: 256 KiB}"
	for _, tc := range []struct{ name, workload, phase string }{
		{"space reserved", "files: 1000, footprint: 30 MB}", writing},
		{"space not reserved", "files: 1000, footprint: 30 MB, preallocate: false}", writing},
		{"by a plain program's calls", "files: 100000, footprint: 30 MB, io: app}",
			"- {pattern: WW}"},
	} {
		c.try(tc.name, func(t *testing.T) {
			_, root, well := twoVolumes(t, "")
			r := beginRun(t, strings.ReplaceAll(endless(root, well, tc.phase), plain, tc.workload))
			film := filepath.Join(root, "film")
			r.inject("WW", func() error { return r.fill(film) })
			r.holds(exit.Partial, `partial run: disk A, phase WW: `+
				`[^\n]*no space left on device; free some space`, root, well)
			if _, err := os.Stat(film); err != nil {
				t.Error("somebody's file is gone: ", err)
			}
		})
	}
}

// What becomes of the disk that the results lie on. What was measured stays, and the run goes on
// where it ended once there is room again.
func TestFaultsOfTheResults(t *testing.T) {
	t.Parallel()
	c := faults(t, "a results disk that is full, while a run is recorded and while it is reported")
	newRun := func(t *testing.T) (r *faultRun, results string, roots []string) {
		_, a := newVolume(t, testdisk.Options{}, "")
		_, b := newVolume(t, testdisk.Options{}, "")
		_, results = newVolume(t, testdisk.Options{Bytes: 8 << 20}, "")
		phases := short("first") + "\n- {name: second, pattern: WW, pace: 10 MB/s, files: 40}"
		return beginRun(t, endless(a, b, phases), "--out", filepath.Join(results, "out")), results,
			[]string{a, b}
	}
	resumes := func(r *faultRun, roots []string) {
		r.t.Helper()
		r.begin("run", "--resume", r.out)
		r.ends(exit.OK, `report: `)
		r.leaves(roots...)
		r.complete()
	}
	c.try("recorded", func(t *testing.T) {
		r, results, roots := newRun(t)
		film := filepath.Join(results, "film")
		r.inject("second", func() error { return r.fill(film) })
		r.holds(exit.Failed, `hubbench: no space left for the results: `+r.out+
			` holds what was recorded until then; make room, and continue with: `+
			`hubbench run --resume `+r.out, roots...)
		r.noParts()
		<-r.full
		must(t, os.Remove(film))
		resumes(r, roots)
	})
	c.try("reported", func(t *testing.T) {
		r, results, roots := newRun(t)
		film := filepath.Join(results, "film")
		r.inject("second", func() error { return fillBut(film, 96<<10) })
		r.holds(exit.Failed, `(?s)\n  First .*hubbench: write results: .*: `+
			`no space left on device; `+r.out+` holds what was recorded; `+
			`write its report with: hubbench report `+r.out, roots...)
		r.noParts()
		must(t, os.Remove(film))
		hubbench(t, "report", r.out)
	})
	c.try("swapped for a link", func(t *testing.T) {
		r, _, roots := newRun(t)
		own, victim := r.out+"-own", t.TempDir()
		r.inject("second", func() error {
			return errors.Join(os.Rename(r.out, own), os.Symlink(victim, r.out))
		})
		r.ends(exit.Failed, "out is no longer the folder that the run began in")
		check.Empty(t, victim)
		r.leaves(roots...)
		r.out = own
		r.complete()
		hubbench(t, "report", own)
	})
	c.try("removed", func(t *testing.T) {
		r, _, roots := newRun(t)
		r.inject("second", func() error { return os.RemoveAll(r.out) })
		r.ends(exit.Failed, `hubbench: `+r.out+
			` was removed while the run went on: what was measured is lost`)
		r.leaves(roots...)
		if strings.Count(r.said.String(), r.out) > 1 {
			t.Errorf("it names what is gone more than once:\n%s", r.said)
		}
	})
}

// complete holds the run to say that it is.
func (r *faultRun) complete() {
	r.t.Helper()
	if info, err := rundir.LoadInfo(r.out); err != nil || info.Status != trace.Complete {
		r.t.Errorf("run.json: %+v, %v", info, err)
	}
}

func (r *faultRun) noParts() {
	r.t.Helper()
	if left, err := filepath.Glob(filepath.Join(r.out, "*.part*")); err != nil || len(left) > 0 {
		r.t.Errorf("left: %q, %v", left, err)
	}
}

// fillBut fills a volume with a file, but for so many bytes.
func fillBut(path string, but int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &st); err != nil {
		return err
	}
	return os.WriteFile(path, make([]byte, int64(st.Bavail)*st.Bsize-but), 0o600)
}

// What becomes of a run whose output goes nowhere. It is measured, recorded and reported all the
// same, and who prints into nothing is told where.
func TestFaultsOfTheOutput(t *testing.T) {
	t.Parallel()
	c := faults(t, "stdout and stderr closed, full, or cut off by a reader")
	for _, tc := range []struct {
		name, args, to string
		code           int
		says           string
	}{
		{"a reader that has read enough", "--quiet", "| head -1", exit.OK, `^fault   2 disks .*\n$`},
		{"a reader that is gone", "--json", "| true", exit.OK, `(?m)^\[1/2\] `},
		{"stdout is closed", "--quiet", ">&-", exit.OK, `^$`},
		{"stdout is full", "--quiet", ">/dev/full", exit.Failed,
			`^hubbench: [^\n]*no space left on device; the results are in OUT\n$`},
		{"stderr is full", "", "2>/dev/full", exit.OK, `report: `},
		{"stderr is closed", "", "2>&-", exit.OK, `report: `},
		{"all are closed", "", "<&- >&- 2>&-", exit.OK, `^$`},
	} {
		c.try(tc.name, func(t *testing.T) {
			a, b := inMemory(t), inMemory(t)
			dir := t.TempDir()
			r := &faultRun{t: t, out: filepath.Join(dir, "out")}
			scenario := write(t, filepath.Join(dir, "s.yaml"),
				endless(a, b, "- {pattern: WW}\n- {pattern: RR}"))
			command := fmt.Sprintf("hubbench run %s --yes --allow same_disk,busy,background "+
				`--out %s %s %s; exit "${PIPESTATUS[0]}"`, scenario, r.out, tc.args, tc.to)
			r.process = start(t, exec.Command("bash", "-c", command))
			r.ends(tc.code, strings.ReplaceAll(tc.says, "OUT", r.out))
			r.before = readEvents(t, r.out)
			r.keeps()
			r.leaves(a, b)
			for _, file := range []string{rundir.AnalysisFile, rundir.ReportFile} {
				if info, err := os.Stat(filepath.Join(r.out, file)); err != nil ||
					info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
			r.complete()
		})
	}
}
