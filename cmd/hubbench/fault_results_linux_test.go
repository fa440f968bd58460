package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What becomes of the disk that the results lie on. What was measured stays, and the run goes on where it ended once there is
// room again.
func TestFaultsOfTheResults(t *testing.T) {
	t.Parallel()
	c := faults(t, "a results disk that is full, while a run is recorded and while it is reported")
	newRun := func(t *testing.T) (r *faultRun, results string, roots []string) {
		_, a := newVolume(t, testdisk.Options{}, "")
		_, b := newVolume(t, testdisk.Options{}, "")
		_, results = newVolume(t, testdisk.Options{Bytes: 8 << 20}, "")
		phases := short("first") + "\n- {name: second, pattern: WW, pace: 10 MB/s, files: 40}"
		return beginRun(t, endless(a, b, phases), "--out", filepath.Join(results, "out")), results, []string{a, b}
	}
	resumes := func(r *faultRun, roots []string) {
		r.t.Helper()
		r.begin("run", "--resume", r.out)
		r.ends(exitOK, `report: `)
		r.leaves(roots...)
		r.complete()
	}
	c.try("recorded", func(t *testing.T) {
		r, results, roots := newRun(t)
		film := filepath.Join(results, "film")
		r.inject("second", func() error { return r.fill(film) })
		r.holds(exitFailed, `hubbench: no space left for the results: `+r.out+` holds what was recorded until then; make room, and continue with: hubbench run --resume `+r.out, roots...)
		r.noParts()
		<-r.full
		must(t, os.Remove(film))
		resumes(r, roots)
	})
	c.try("reported", func(t *testing.T) {
		r, results, roots := newRun(t)
		film := filepath.Join(results, "film")
		r.inject("second", func() error { return fillBut(film, 96<<10) })
		r.holds(exitFailed, `(?s)\n  second .*hubbench: no space left for the report: `+r.out+` holds what was recorded; make room, and write it with: hubbench report `+r.out, roots...)
		r.noParts()
		must(t, os.Remove(film))
		hubbench(t, "report", r.out)
	})
	c.try("removed", func(t *testing.T) {
		r, _, roots := newRun(t)
		r.inject("second", func() error { return os.RemoveAll(r.out) })
		r.ends(exitFailed, `hubbench: `+r.out+` was removed while the run went on: what was measured is lost`)
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

// noParts holds the run to have left no half of a file in its folder.
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

// What becomes of a run whose output goes nowhere. It is measured, recorded and reported all the same, and who prints into
// nothing is told where.
func TestFaultsOfTheOutput(t *testing.T) {
	t.Parallel()
	c := faults(t, "stdout and stderr closed, full, or cut off by a reader")
	for _, tc := range []struct {
		name, args, to string
		code           int
		says           string
	}{
		{"a reader that has read enough", "--quiet", "| head -1", exitOK, `^fault\n$`},
		{"a reader that is gone", "--json", "| true", exitOK, `(?m)^\[1/2\] `},
		{"stdout is closed", "--quiet", ">&-", exitOK, `^$`},
		{"stdout is full", "--quiet", ">/dev/full", exitFailed, `^hubbench: [^\n]*no space left on device; the results are in OUT\n$`},
		{"stderr is full", "", "2>/dev/full", exitOK, `report: `},
		{"stderr is closed", "", "2>&-", exitOK, `report: `},
		{"all are closed", "", "<&- >&- 2>&-", exitOK, `^$`},
	} {
		c.try(tc.name, func(t *testing.T) {
			a, b := inMemory(t), inMemory(t)
			dir := t.TempDir()
			r := &faultRun{t: t, out: filepath.Join(dir, "out")}
			scenario := write(t, filepath.Join(dir, "s.yaml"), endless(a, b, "- {pattern: WW}\n- {pattern: RR}"))
			command := fmt.Sprintf(`hubbench run %s --yes --allow same_disk,busy,background --out %s %s %s; exit "${PIPESTATUS[0]}"`, scenario, r.out, tc.args, tc.to)
			r.process = start(t, exec.Command("bash", "-c", command))
			r.ends(tc.code, strings.ReplaceAll(tc.says, "OUT", r.out))
			r.before = readEvents(t, r.out)
			r.keeps()
			r.leaves(a, b)
			for _, file := range []string{rundir.AnalysisFile, rundir.ReportFile} {
				if info, err := os.Stat(filepath.Join(r.out, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
			r.complete()
		})
	}
}
