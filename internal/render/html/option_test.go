package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is a phase of a few files, and what an analysis may say of it, by hand: the golden files change with
// this package alone.
func small() (*trace.Run, *analysis.Phase) {
	files := func(rate float64, sizes ...int64) (out []trace.File) {
		at := int64(1000)
		for i, size := range sizes {
			end := at + int64(float64(size)/rate*1e9)
			out = append(out, trace.File{Seq: i, Bytes: size, StartNS: at, EndNS: end})
			at = end + 1000
		}
		return out
	}
	run := &trace.Run{
		Name: "small", Disks: []trace.Disk{{Name: "A"}, {Name: "</script>"}, {Name: "idle"}},
		Phases: []*trace.Phase{{Name: "WR", Disks: []*trace.DiskTrace{
			{Name: "A", Op: trace.Write, Files: files(0.7e9, 1e9, 4e8, 2e9)},
			{Name: "</script>", Op: trace.Read, Files: files(2.1e9, 2e9, 1e9)},
		}}},
	}
	alone, retention, lag, ols, latency, mid := 1.4e9, 0.5, 1.2, 0.71e9, -0.002, 0.7e9
	found := &analysis.Phase{
		Phase: "WR", Roles: map[string]trace.Role{"A": trace.Write, "</script>": trace.Read, "idle": trace.Idle},
		Overlap: &analysis.Overlap{
			EndS: 1.43, DurationS: 1.43, Bytes: 4e9, Rate: 2.8e9, ReadRate: 2.1e9, WriteRate: 0.7e9, Jain: 0.8,
			Disks: map[string]analysis.OverlapDisk{
				"A":         {Op: trace.Write, Bytes: 1e9, Rate: 0.69849e9, CI95: &analysis.Interval{0.69e9, 0.71e9}, Share: 0.25},
				"</script>": {Op: trace.Read, Bytes: 3e9, Rate: 2.1e9, Share: 0.75},
			},
		},
		Contention: &analysis.Contention{Disks: map[string]analysis.DiskContention{
			"A": {Reference: "after the others", ReferenceRate: &alone, Retention: &retention}, "</script>": {},
		}},
		Recoveries: []analysis.Recovery{{Disk: "A", Op: trace.Write, After: "</script>", AtS: 1.43, LagS: &lag, FromRate: 0.7e9, ToRate: &alone}},
		Disks: map[string]analysis.Disk{
			"A": {
				Op: trace.Write, Files: 3, Bytes: 34e8, P05: &mid, P95: &mid, Median: &mid, Mean: &mid, OLSRate: &ols, OLSLatencyS: &latency, TheilSenRate: &mid,
				Throttle: &analysis.Throttle{AtBytes: 1.4e9, FromRate: 0.7e9, ToRate: 0.6e9}, SizeKnee: &analysis.SizeKnee{AtBytes: 1e9, BelowRate: 0.6e9, AboveRate: 0.7e9},
			},
			"</script>": {Op: trace.Read, Files: 2, Bytes: 3e9},
		},
	}
	return run, found
}

// The options are the same for the same run, to the byte; a change shows in the golden files.
func TestGoldenOptions(t *testing.T) {
	run, found := small()
	by := chart.Scale{Unit: "GB/s", Size: 1e9}
	line, files := chart.NewTimeline(run, run.Phases[0], found), chart.NewFiles(run, run.Phases[0], found)
	line.Total = line.Total[:3] // 400 steps say no more
	alone, _ := aloneFigure(found, files, by)
	size, _ := sizeFigure(files, by)
	worn, _ := wornFigure(files, by)
	for name, f := range map[string]figure{
		"time": timeline(line, found, by), "alone": alone, "spread": spreadFigure(files, by), "size": size, "worn": worn,
	} {
		encoded, err := f.encode()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains([]byte(encoded), []byte("</")) {
			t.Errorf("%s: a tag stands in the JSON", name)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, []byte(encoded), "", " "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		golden := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s changed (-want +got); -update accepts:\n%s", name, diff)
		}
	}
}

// Every function that an option names is in the page's list.
func TestFunctionsAreKnown(t *testing.T) {
	source, err := parts.ReadFile("script/draw.js")
	if err != nil {
		t.Fatal(err)
	}
	run, found := small()
	by := chart.Scale{Unit: "GB/s", Size: 1e9}
	many := make([]trace.File, chart.MaxFiles+1)
	for i := range many {
		many[i] = trace.File{Seq: i, Bytes: int64(1e6 + i), StartNS: int64(i) * 2e6, EndNS: int64(i)*2e6 + 1e6}
	}
	large := &trace.Phase{Name: "WR", Disks: []*trace.DiskTrace{{Name: "A", Op: trace.Write, Files: many}}}
	for _, phase := range []*trace.Phase{run.Phases[0], large} {
		files := chart.NewFiles(run, phase, found)
		alone, _ := aloneFigure(found, files, by)
		size, _ := sizeFigure(files, by)
		worn, _ := wornFigure(files, by)
		for _, f := range []figure{timeline(chart.NewTimeline(run, phase, found), found, by), alone, spreadFigure(files, by), size, worn} {
			text, err := json.Marshal(f.Option)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range named(decode(t, string(text)), "") {
				if !bytes.Contains(source, []byte("\n  "+name+": (")) {
					t.Errorf("an option names the function %q, which the page has not", name)
				}
			}
		}
	}
}

// named collects the strings under the keys that hold functions.
func named(value any, key string) []string {
	var out []string
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			out = append(out, named(v, k)...)
		}
	case []any:
		for _, v := range value {
			out = append(out, named(v, "")...)
		}
	case string:
		if key == "formatter" || key == "renderItem" {
			out = append(out, value)
		}
	}
	return out
}
