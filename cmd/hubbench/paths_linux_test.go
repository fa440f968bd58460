package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Two disks of unlike speeds, from nothing to a page: one as fast as memory, one that the kernel holds at 60 MB/s. The
// scenario knows their speeds, and its plan an upper bound of what is written, within a factor of 2.
func TestRunFolders(t *testing.T) {
	const rate = 60e6
	slow := newHeldVolume(t, rate)
	fast := format(t, testdisk.Make(t, testdisk.Options{Bytes: 600e6}, ci()), "")
	folders := []string{filepath.Join(fast, "ssd"), filepath.Join(slow.root, "ssd")}
	for _, folder := range folders {
		must(t, os.Mkdir(folder, 0o755))
	}
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"run"}, folders...)
	p := start(t, slow.disk.Command(context.Background(), "hubbench",
		append(args, "--allow", "not_disk", "--phase", "2s", "--out", out)...))
	<-p.ended
	if code, said := p.wait(); code != exitOK || !strings.Contains(said, "8 phases, about 19.2 s. Writes at most ") {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	ready, err := prepare.Load(filepath.Join(out, "scenario.yaml"), func(string) {})
	must(t, err)
	disk := ready.Plan.Disks[1]
	check.Near(t, "the speed of writing", rate, disk.Speed.Write, 0.2*rate)
	check.Near(t, "the speed of reading", rate, disk.Speed.Read, 0.2*rate)
	check.Same(t, "names", []string{"ssd", "ssd-2"}, []string{ready.Plan.Disks[0].Name, disk.Name})
	run, err := load(out)
	must(t, err)
	var wrote int64
	for _, phase := range run.Trace.Phases {
		if d := phase.Disk(disk.Name); d != nil && d.Op == trace.Write {
			wrote += bytesOf(d)
		}
	}
	if bound := ready.Plan.Totals()[1].Written; bound < wrote || bound > 2*wrote {
		t.Errorf("the plan writes at most %d, and the run wrote %d", bound, wrote)
	}
	if _, err := os.Stat(filepath.Join(out, "report.html")); err != nil {
		t.Error(err)
	}
	for _, folder := range folders {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", folder, left, err)
		}
	}
}
