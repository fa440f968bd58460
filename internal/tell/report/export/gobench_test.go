package export

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func TestGoBench(t *testing.T) {
	run := &trace.Run{Name: "two\n\u202elines", Started: "2026-11-20T08:00:00Z", Phases: []*trace.Phase{{
		Name: "W-",
		Disks: []*trace.DiskTrace{{Name: "my disk/1", Op: trace.Write, Files: []trace.File{
			{Bytes: 1e9, EndNS: 5e8}, {Bytes: 0, StartNS: 5e8, EndNS: 6e8}, {Bytes: 1e9, StartNS: 6e8, EndNS: 16e8}, {Bytes: 1, StartNS: 2e9, EndNS: 3e9, Filler: true},
		}}},
	}}}
	a := &analysis.Analysis{Name: run.Name, Phases: []analysis.Phase{{Phase: "W-", Overlap: &analysis.Overlap{Rate: 1.25e9}}, {Phase: "no overlap"}}}
	var out strings.Builder
	if err := GoBench(&out, run, a); err != nil {
		t.Fatal(err)
	}
	want := `run: two  lines
started: 2026-11-20T08:00:00Z
Unit B/s better=higher

BenchmarkTogether/phase=W‐ 1 1250000000 B/s
BenchmarkFile/phase=W‐/disk=my_disk_1/op=write 1 2000000000 B/s
BenchmarkFile/phase=W‐/disk=my_disk_1/op=write 1 1000000000 B/s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostileNames(t *testing.T) {
	run := fixture.Hostile()
	var out strings.Builder
	if err := GoBench(&out, run, say.Analyze(run, analysis.Options{})); err != nil {
		t.Fatal(err)
	}
	result := regexp.MustCompile(`^(Benchmark(Together/phase=[^ /]+|File/phase=[^ /]+/disk=[^ /]+/op=write) 1 [0-9]+ B/s|)$`)
	for i, line := range strings.Split(out.String(), "\n") {
		if i >= 3 && !result.MatchString(line) {
			t.Errorf("line %d is no result: %q", i+1, line)
		}
	}
}
