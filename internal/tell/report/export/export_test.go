package export

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func TestCSV(t *testing.T) {
	run := &trace.Run{Phases: []*trace.Phase{{
		Name: "W, \"both\"",
		Disks: []*trace.DiskRecord{
			{Name: "A", Op: trace.Write, Files: []trace.File{
				{Seq: 0, Bytes: 1e9, StartNS: 1200, EndNS: 500_001_200},
				{Seq: 1, Bytes: 0, StartNS: 6e8, EndNS: 7e8},
			}},
			{Name: "=cmd(\x1b\a\u202e)", Op: trace.Read,
				Files: []trace.File{{Seq: 7, Bytes: 3, StartNS: -5, EndNS: 2e9, Filler: true}}},
		},
	}}}
	var out, empty strings.Builder
	check.Must(t, CSV(&out, run))
	check.Must(t, CSV(&empty, &trace.Run{}))
	head, _, _ := strings.Cut(out.String(), "\n")
	check.Same(t, "an empty run's", head+"\n", empty.String())
	want := `phase,disk,op,seq,bytes,start_s,end_s,rate,filler,simulated
"W, ""both""",A,write,0,1000000000,0.000001200,0.500001200,2000000000,false,false
"W, ""both""",A,write,1,0,0.600000000,0.700000000,,false,false
"W, ""both""",'=cmd(··),read,7,3,-0.000000005,2.000000000,1,true,false
`
	check.Same(t, "CSV", want, out.String())
}

// Spreadsheets get numbers: no signs of percent, no quotes before signs, units in the heads. Words
// among numbers go into a column of their own, and stay words.
func TestTableOfNumbers(t *testing.T) {
	key := report.LegendKey{Label: "=A"}
	number := func(text, plain, to, unit string) report.Cell {
		return report.Cell{Text: text, Plain: [2]string{plain, to}, Unit: unit}
	}
	rate := number("0.682", "0.682", "", "GB/s")
	rate.Letter, rate.Small, rate.Heat = "W", "47%*", 0.47
	heads := []report.Column{{Head: "Load"}, {Disk: &key, Head: "＝A", Numbers: true},
		{Head: "Change", Numbers: true}, {Head: "GB/s", Numbers: true}}
	table := &report.Table{Columns: heads, Rows: [][]report.Cell{
		{{Text: "＋all"}, rate, number("−33%", "-33", "", "%"), number("1 to 2", "1", "2", "GB/s")},
		{{}, {Text: "no baseline"}, {Text: report.NoNumber}, {}},
	}}
	var out strings.Builder
	check.Must(t, Table(&out, table, true))
	want := `Load,"'＝A, GB/s","'＝A, keeps, %","'＝A, remark","Change, %",GB/s,"GB/s, to",simulated
'＋all,0.682,47,W,-33,1,2,true
'＋all,,,no baseline,,,,true
`
	check.Same(t, "CSV", want, out.String())
}

func TestGoBench(t *testing.T) {
	run := &trace.Run{Name: "two\n\u202elines", Started: "2026-11-20T08:00:00Z",
		Phases: []*trace.Phase{{
			Name: "W-",
			Disks: []*trace.DiskRecord{{Name: "my disk/1", Op: trace.Write, Files: []trace.File{
				{Bytes: 1e9, EndNS: 5e8}, {Bytes: 0, StartNS: 5e8, EndNS: 6e8},
				{Bytes: 1e9, StartNS: 6e8, EndNS: 16e8},
				{Bytes: 1, StartNS: 2e9, EndNS: 3e9, Filler: true},
			}}},
		}}}
	overlap := &analysis.Overlap{Rate: 1.25e9, Spans: [][2]float64{{0, 0.5}, {0.6, 1.5}},
		Disks: map[string]analysis.OverlapDisk{"my disk/1": {Rate: 1.25e9}}}
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Name: run.Name,
		Phases: []analysis.PhaseResult{{Name: "W-", Overlap: overlap}, {Name: "no overlap"}}}
	var out strings.Builder
	check.Must(t, GoBench(&out, run, a))
	want := `Unit B/s better=higher

BenchmarkTogether/phase=W_ 1 1250000000 B/s
BenchmarkOverlap/phase=W_/disk=my_disk_1/op=write 1 1250000000 B/s
BenchmarkFile/phase=W_/disk=my_disk_1/op=write 1 2000000000 B/s
`
	check.Same(t, "benchmarks", want, out.String())
}

func TestHostileNamesInBenchmarks(t *testing.T) {
	run := fixture.Hostile()
	var out strings.Builder
	check.Must(t, GoBench(&out, run, analysis.Analyze(run, analysis.Options{})))
	result := regexp.MustCompile(`^(Benchmark(Together/phase=[!-.0-~]+|(Overlap|File)/phase=[!-.0-~]+/disk=[!-.0-~]+/op=write) 1 [0-9]+ B/s|)$`)
	for i, line := range strings.Split(out.String(), "\n") {
		if i >= 1 && !result.MatchString(line) {
			t.Errorf("line %d is no result: %q", i+1, line)
		}
	}
}

func TestJSONHoldsNoControls(t *testing.T) {
	const hostile = "a\x1b\u007f\u009b31m\u0085é\u202e"
	var out bytes.Buffer
	check.Must(t, JSON(&out, map[string]string{"name": hostile}))
	if strings.ContainsAny(out.String(), "\x1b\u007f\u009b\u0085\u202e") {
		t.Errorf("got %q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != hostile {
		t.Errorf("read back %q, %v", back["name"], err)
	}
}
