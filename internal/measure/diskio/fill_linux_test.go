package diskio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fillJob writes 8 MiB to a volume that is to be filled before.
func fillJob(dir string, share float64) Job {
	job := newJob(dir, trace.Write, 8<<20)
	job.Fill, job.Space = share, 8<<20
	return job
}

// usedShare is how full the volume is.
func usedShare(t *testing.T, dir string) float64 {
	t.Helper()
	v, err := filesystem.Volume(dir)
	check.Must(t, err)
	return float64(v.Used) / float64(v.Size)
}

// fillers are the names of the files that fill the volume.
func fillers(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, testfolder.Prefix+"*", testfolder.FillPrefix+
		"*"))
	check.Must(t, err)
	return found
}

func TestFillVolume(t *testing.T) {
	for how, sys := range systems {
		t.Run(how, func(t *testing.T) {
			dir := mountVolume(t, 400, "rw")
			empty := usedShare(t, dir)
			run := func(share float64, keep bool) (wrote []int64, during float64) {
				t.Helper()
				job := fillJob(dir, share)
				job.KeepFill = keep
				engine, _ := prepared(t, job, sys, func(n int64) { wrote = append(wrote, n) })
				during = usedShare(t, dir)
				started(engine)
				moved(t, engine, 0)
				closeEngine(t, engine)
				return wrote, during
			}
			// The next file is reserved, and there are records.
			const allowed = 0.03
			wrote, during := run(0.5, true)
			check.Near(t, "share that is full at the release", 0.5, during, allowed)
			if !slices.IsSorted(wrote) || len(wrote) < 3 {
				t.Errorf("reported %v, want how far it is, again and again", wrote)
			}
			if len(fillers(t, dir)) == 0 {
				t.Fatal("the next phase would find nothing")
			}
			// For the files that were removed at the end.
			if wrote, during = run(0.5, false); len(wrote) > 2 {
				t.Errorf("filled again, with %v", wrote)
			}
			check.Near(t, "share that is full again", 0.5, during, allowed)
			check.Near(t, "share that is full afterwards", empty, usedShare(t, dir), allowed)
			check.Same(t, "left", []string{"lost+found"}, check.Names(t, dir))
			// What a killed worker leaves, the next phase without a precondition removes, and so
			// does clean.
			for _, remove := range []func(){
				func() { run(0, false) },
				func() {
					_, err := testfolder.Clean(dir)
					check.Must(t, err)
				},
			} {
				run(0.4, true)
				if remove(); len(fillers(t, dir)) > 0 {
					t.Errorf("left: %q", fillers(t, dir))
				}
			}
		})
	}
}

// What stands in the way of filling a volume is reported, and the job goes on with what there is.
func TestFillIsLimited(t *testing.T) {
	dir := mountVolume(t, 400, "rw")
	full := &fault{write: syscall.ENOSPC}
	full.armed.Store(true)
	met := systems["threads"]
	met.open = func(folder *os.Root, name string, o opening) (testFile, error) {
		if strings.HasPrefix(name, testfolder.FillPrefix) {
			return full.open(folder, name, o)
		}
		return openTestFile(folder, name, o)
	}
	for _, tt := range []struct {
		name    string
		sys     system
		share   float64
		size    int64 // of the job's file, for which room stays free
		others  int64 // bytes of somebody else's
		want    string
		fillers bool
	}{
		{"little room", systems["threads"], 0.95, 100 << 20, 0, "cannot be filled to 95%", true},
		{"a volume that others fill meanwhile", met, 0.5, 8 << 20, 0, "something else writes to it",
			false},
		{"a fuller volume", systems["threads"], 0.1, 8 << 20, 120 << 20,
			"is to be filled to 10%, and is ", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check.Must(t, os.WriteFile(filepath.Join(dir, "other"), make([]byte, tt.others), 0o600))
			job := fillJob(dir, tt.share)
			job.Sizes, job.Space = []int64{tt.size}, tt.size
			engine, eff := prepared(t, job, tt.sys)
			warned(t, eff.Warnings, tt.want)
			if got := fillers(t, dir); (len(got) > 0) != tt.fillers {
				t.Errorf("fillers: %q", got)
			}
			started(engine)
			moved(t, engine, 0)
			if v, err := filesystem.Volume(dir); err != nil || v.Free < 64<<20 {
				t.Errorf("%d bytes are free, %v", v.Free, err)
			}
			closeEngine(t, engine)
		})
	}
}
