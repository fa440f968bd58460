package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Files that overlap, are of no use or too few are warned of; those of a probe are none.
func TestSummarizeADisk(t *testing.T) {
	summary := func(paced trace.Paced, files ...trace.File) (Disk, map[string][2]float64) {
		p := together(&trace.DiskTrace{Op: trace.Write, Files: files})
		p.parts[0].paced = paced
		d := p.summarize(&p.parts[0])
		warnings := map[string][2]float64{}
		for _, w := range p.out.Warnings {
			warnings[w.Code] = [2]float64{w.Values["files"], w.Values["of"]}
		}
		return d, warnings
	}
	seconds := func(n int, bytes int64) (files []trace.File) {
		for i := range n {
			files = append(files, trace.File{Seq: i, StartNS: ns(float64(i)), EndNS: ns(float64(i + 1)), Bytes: bytes})
		}
		return files
	}
	d, warnings := summary(trace.Paced{}, seconds(5, 100)...)
	if len(warnings) != 0 || d.Files != 5 || d.Bytes != 500 || *d.Rate != 100 || *d.Mean != 100 || *d.P05 != 100 || d.Quote == nil || d.Quote.Kind != QuoteMean {
		t.Errorf("five files: %+v, %v", d, warnings)
	}
	d, warnings = summary(trace.Paced{}, seconds(4, 100)...)
	if want := (map[string][2]float64{"few_files": {4, 0}}); !cmp.Equal(warnings, want) || *d.Rate != 100 {
		t.Errorf("four files: %+v, %v", d, warnings)
	}
	mixed := append(seconds(6, 100), trace.File{StartNS: ns(5.5), EndNS: ns(7), Bytes: 50}, trace.File{StartNS: ns(7), EndNS: ns(8)})
	d, warnings = summary(trace.Paced{}, mixed...)
	if want := (map[string][2]float64{"unusable_files": {1, 8}, "overlapping_files": {2, 7}}); !cmp.Equal(warnings, want) || d.Files != 7 || *d.Rate != 650./7 || *d.Mean != 100 {
		t.Errorf("some that overlap and one without bytes: %+v, %v", d, warnings)
	}
	together := []trace.File{{EndNS: ns(2), Bytes: 10}, {StartNS: ns(1), EndNS: ns(4), Bytes: 30}}
	d, warnings = summary(trace.Paced{}, together...)
	if want := (map[string][2]float64{"overlapping_files": {2, 2}}); !cmp.Equal(warnings, want) || *d.Rate != 10 || d.Mean != nil {
		t.Errorf("none apart: %+v, %v", d, warnings)
	}
	d, warnings = summary(trace.Paced{Probe: 4096}, seconds(4, 100)...)
	if diff := cmp.Diff(Disk{Op: trace.Write, Bytes: 400, BusyS: 4, Rate: number(100)}, d); diff != "" || len(warnings) > 0 {
		t.Errorf("a probe (-want +got):\n%s\n%v", diff, warnings)
	}
	d, warnings = summary(trace.Paced{Rate: 100}, seconds(4, 100)...)
	if len(warnings) != 0 || *d.Median != 100 || d.OLSRate != nil || d.Quote != nil || d.Score != nil {
		t.Errorf("with a pace: %+v, %v", d, warnings)
	}
	for _, paced := range []trace.Paced{{}, {Probe: 4096}} {
		if d, warnings := summary(paced); !cmp.Equal(d, Disk{Op: trace.Write}) || len(warnings) > 0 {
			t.Errorf("nothing: %+v, %v", d, warnings)
		}
	}
}

// A has a latency line of one request a second; B works beside it but from 4 to 8 s.
func TestLatencyMatrixByHand(t *testing.T) {
	with := func(name string, start float64, search *trace.Try) *phase {
		p := played(name, "BA", trace.Read, 1)
		p.trace.Search, p.trace.Test = search, "x"
		p.trace.Paced = map[string]trace.Paced{"A": {Probe: 4096}, "C": {Rate: 5}}
		p.hangs["A"] = trace.OnHub
		p.parts[1].active = []overlap.Interval{span(0, 10)}
		for s := range 10 {
			p.parts[1].trace.Latencies = append(p.parts[1].trace.Latencies, trace.Latency{TNS: ns(float64(s + 1)), Op: trace.Read, Hist: took(100)})
		}
		p.stages = []overlap.Stage{stageOf(start, 4, 0, 1), stageOf(4, 8, 1), stageOf(8, 10, 0, 1), stageOf(10, 12, 0)}
		p.parts[0].trace.Latencies = []trace.Latency{{TNS: ns(3), Op: trace.Read, Hist: took(7)}}
		return p
	}
	got := latencyMatrix([]*phase{with("p", 0, nil), with("try", 0, &trace.Try{}), played("none", "BA", trace.Read, 1), with("q", 2, nil)}, []string{"A", "B"})
	type row struct {
		Disk     string
		Beside   int
		Requests int64
		Seconds  float64
		Phases   []string
		Paced    int
	}
	var rows []row
	for _, r := range got {
		rows = append(rows, row{r.Disk, len(r.Beside), r.Requests, r.Seconds, r.Phases, len(r.Paced)})
		if hub := map[string]string{"A": trace.OnHub}[r.Disk]; r.Op != trace.Read || r.Test != "x" || r.Connection != hub {
			t.Errorf("%+v", r)
		}
	}
	both := []string{"p", "q"}
	want := []row{{"A", 0, 8, 8, both, 1}, {"A", 1, 6 + 4, 6 + 4, both, 1}, {"B", 1, 2, 2, both, 1}}
	if diff := cmp.Diff(want, rows, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !cmp.Equal(got[1].Beside, map[string]trace.Role{"B": trace.Read}) || !slices.Equal(got[2].Phases, both) {
		t.Errorf("%+v", got[1])
	}
}
