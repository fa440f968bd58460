package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// Many of everything: disks, and files in a phase.

const manyDisks = 64

// nameOf names a disk of many, as a letter of a pattern cannot.
func nameOf(i int) string { return fmt.Sprintf("d%02d", i) }

// many is a list of disks, by what each is, and of roles.
func many(disk func(i int) string, role string) (disks, roles string) {
	var list, all []string
	for i := range manyDisks {
		list = append(list, fmt.Sprintf("{name: %s, %s}", nameOf(i), disk(i)))
		all = append(all, nameOf(i)+": "+role)
	}
	return strings.Join(list, ", "), strings.Join(all, ", ")
}

func TestFaultsOfManyDisks(t *testing.T) {
	t.Parallel()
	c := faults(t, "64 disks: simulated, and real ones of which one's worker dies")
	c.try("simulated", func(t *testing.T) {
		disks, roles := many(func(i int) string {
			return fmt.Sprintf("simulate: {profile: %c}", 'A'+i%3)
		}, "write")
		r := beginRun(t, fmt.Sprintf(`version: 1
name: many
hub: {profile: goshen-ridge, speedup: 500}
disks: [%s]
workload: {sizes: [1 GB], files: 4}
phases: [{name: all, roles: {%s}}]
`, disks, roles))
		r.ends(exit.OK, `report: `)
		r.all(4)
	})
	c.try("one dies", func(t *testing.T) {
		var roots []string
		root := inMemory(t)
		for i := range manyDisks {
			roots = append(roots, filepath.Join(root, nameOf(i)))
			must(t, os.Mkdir(roots[i], 0o755))
		}
		disks, roles := many(func(i int) string { return "path: " + roots[i] }, "write")
		r := beginRun(t, fmt.Sprintf(`version: 1
name: many
disks: [%s]
allow_system_disk: true
workload: {sizes: [64 KiB], files: 4, footprint: 1 MB, block: 64 KiB, depth: 1}
phases: [{name: all, roles: {%s}, pace: 500 KB/s, stop: 60 s}]
`, disks, roles))
		r.injectAt(func() error {
			log, err := os.ReadFile(filepath.Join(r.out, rundir.LogFile))
			if err != nil {
				return err
			}
			return syscall.Kill(started(log)["d17"], syscall.SIGKILL)
		}, func(events string) bool {
			for i := range manyDisks {
				if !strings.Contains(events, `{"type":"file","phase":"all","disk":"`+nameOf(i)+`"`) {
					return false
				}
			}
			return true
		})
		r.ends(exit.Partial, `partial run: disk d17, phase all: its worker died \(signal: killed\)`)
		r.keeps()
		r.all(1)
		r.leaves(roots...)
	})
}

// all holds the run to have moved at least so many files of each of many disks, all of them in the
// overlap.
func (r *faultRun) all(files int) {
	r.t.Helper()
	r.before = readEvents(r.t, r.out)
	phase := r.keeps().Phases[0]
	if phase.Overlap == nil || len(phase.Overlap.Disks) != manyDisks {
		r.t.Errorf("the overlap is %+v", phase.Overlap)
	}
	for i := range manyDisks {
		if got := phase.Disks[nameOf(i)].Files; got < files {
			r.t.Errorf("disk %s: %d files, want %d", nameOf(i), got, files)
		}
	}
}

// A hundred thousand files in a phase are a hundred thousand lines, all of them analysed.
func TestFaultsOfManyFiles(t *testing.T) {
	t.Parallel()
	const files = 100_000
	c := faults(t, "100,000 files in one phase")
	c.try("written and removed", func(t *testing.T) {
		root := inMemory(t)
		r := beginRun(t, fmt.Sprintf(`version: 1
name: many
disks: [{name: A, path: %s}]
allow_system_disk: true
workload: {sizes: [512 B], files: %d, block: 4 KiB, depth: 1, flush: none, preallocate: false}
phases: [{pattern: W}]
`, root, files))
		r.ends(exit.OK, `report: `)
		r.before = readEvents(t, r.out)
		if got := r.keeps().Phases[0].Disks["A"].Files; got != files {
			t.Errorf("%d files, want %d", got, files)
		}
		r.leaves(root)
		for _, format := range []string{"csv", "md"} {
			if out, err := exec.Command("hubbench", "report", r.out, "--format", format, "--out",
				"-").Output(); err != nil || len(out) == 0 {
				t.Errorf("report as %s: %v", format, err)
			}
		}
	})
}
