package prepare

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What an earlier run wrote is what its events say, and not what might have been written in its
// time; files that it was to read were written too.
func TestRecentRuns(t *testing.T) {
	s, err := scenario.Load("s.yaml", []byte(`version: 1
name: live
disks: [{name: A, path: /mnt/a}, {name: B, path: /mnt/b}, {name: C, path: /mnt/c}]
workload: {sizes: [1 GB], files: 4}
phases: [{roles: {A: write, B: read, C: write}, stop: 60 s}]
`))
	check.Must(t, err)
	plan, err := s.Plan()
	check.Must(t, err)
	results := t.TempDir()
	earlier, err := rundir.Create(filepath.Join(results, "live"), nil)
	check.Must(t, err)
	check.Must(t, earlier.WriteJSON(rundir.InfoFile,
		rundir.Info{Status: trace.Complete, Plan: plan}))
	phase := plan.Phases[0].Event()
	mixed := phase.Work["C"]
	mixed.Reads = 0.5
	phase.Work["C"] = mixed
	file := func(disk string, op trace.Role, seq int) trace.Event {
		return trace.Event{Type: trace.FileType, Phase: phase.Phase, Disk: disk, Op: op, Seq: seq,
			Bytes: 3.8e9, StartNS: int64(seq) * 1e10, EndNS: int64(seq)*1e10 + 1e9}
	}
	check.Must(t, earlier.Append(phase, file("A", trace.Write, 1), file("A", trace.Write, 3),
		file("B", trace.Read, 1), file("C", trace.Read, 2), file("C", trace.Write, 3)))
	check.Must(t, errors.Join(earlier.Close(), earlier.Root.Close()))
	if planned := plan.Totals()[0].Written; planned < 20e9 {
		t.Fatalf("the plan has A write %d bytes: too few for this test", planned)
	}
	want := []int64{7.6e9, plan.Totals()[1].Written, 3.8e9}
	var got []int64
	for _, w := range recentRuns(filepath.Join(results, "next")) {
		got = append(got, w.Bytes)
	}
	check.Same(t, "written", want, got)
}
