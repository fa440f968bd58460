package prepare

import (
	"encoding/json"
	"os"
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
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan()
	if err != nil {
		t.Fatal(err)
	}
	results := t.TempDir()
	earlier := filepath.Join(results, "live")
	if err := os.Mkdir(earlier, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(earlier, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	info, err := json.Marshal(rundir.Info{Status: trace.Complete, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	write(rundir.InfoFile, info)
	file := func(disk, op, seq string) string {
		return `{"type":"file","phase":"` + plan.Phases[0].Name + `","disk":"` + disk + `","op":"` + op + `","seq":` + seq + `,"bytes":3800000000,"start_ns":` + seq + `1000000000,"end_ns":` + seq + `2000000000}` + "\n"
	}
	write(rundir.EventsFile, []byte(`{"type":"phase","phase":"`+plan.Phases[0].Name+`","roles":{"A":"write","B":"read","C":"write"},"work":{"C":{"reads":0.5}}}`+"\n"+
		file("A", "write", "1")+file("A", "write", "3")+file("B", "read", "1")+file("C", "read",
		"2")+file("C", "write", "3")))
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
