package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func loaded(run *trace.Run) *recorded.Run {
	a := say.Analyze(run, analysis.Options{})
	a.Origin = &analysis.Origin{Run: "id-" + run.Name, Started: run.Started, Host: "bench", Status: run.Status}
	return &recorded.Run{Loaded: &rundir.Loaded{Trace: run}, Analysis: a}
}

func grain(t *testing.T, name string) table.Grain {
	t.Helper()
	for _, g := range table.Grains() {
		if g.Name == name {
			return g
		}
	}
	t.Fatalf("no grain %s", name)
	return table.Grain{}
}

// Each column has a name that every engine takes and says what it is; those that scripts rely on are there.
func TestColumns(t *testing.T) {
	for _, g := range table.Grains() {
		var names []string
		for _, c := range g.Columns() {
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(c.Name) || c.About == "" || slices.Contains(names, c.Name) {
				t.Errorf("%s: column %q: want a name of its own and what it is", g.Name, c.Name)
			}
			names = append(names, c.Name)
		}
		promised := "run started host hub"
		if g.Name == "disk" {
			promised += " phase disk op model firmware overlap_bytes overlap_seconds rate_bps rate_low_bps rate_high_bps share solo_rate_bps" +
				" retention recovery_s p50_ns p99_ns p999_ns late_frames warnings"
		}
		for name := range strings.FieldsSeq(promised) {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no column %s", g.Name, name)
			}
		}
	}
}

// A row has what the analysis has of its disk.
func TestDisks(t *testing.T) {
	run := loaded(fixture.Triple())
	rows := table.DisksOf(run)
	if len(rows) != 9 {
		t.Fatalf("%d rows, want those of three disks in three phases", len(rows))
	}
	for _, row := range rows {
		phase := run.Analysis.Phases[slices.IndexFunc(run.Analysis.Phases, func(p analysis.Phase) bool { return p.Name == row.Phase })]
		disk := phase.Overlap.Disks[row.Disk]
		if *row.Rate != disk.Rate || *row.RateLow != disk.CI95[0] || *row.RateHigh != disk.CI95[1] || *row.OverlapBytes != disk.Bytes ||
			*row.Share != disk.Share || row.ID != "id-triple" || row.Host != "bench" || row.Connection != "hub" || row.Started.IsZero() ||
			row.Pattern != phase.Name || row.Working != 3 {
			t.Errorf("%s, %s: %+v, want what the analysis has: %+v", row.Phase, row.Disk, row, disk)
		}
	}
}

// All formats hold the same rows.
func TestFormatsAgree(t *testing.T) {
	for _, run := range []*recorded.Run{loaded(fixture.Triple()), loaded(fixture.Streams()), loaded(fixture.Hostile())} {
		for _, g := range table.Grains() {
			write := func(format string) *bytes.Buffer {
				var out bytes.Buffer
				if _, err := table.Write(&out, g, format, 2, func(int) (*recorded.Run, error) { return run, nil }); err != nil {
					t.Fatal(err)
				}
				return &out
			}
			var fromJSON []map[string]any
			for dec := json.NewDecoder(write("jsonl")); dec.More(); {
				row := map[string]any{}
				if err := dec.Decode(&row); err != nil {
					t.Fatal(err)
				}
				fromJSON = append(fromJSON, row)
			}
			rows, err := csv.NewReader(write("csv")).ReadAll()
			if err != nil || len(rows) != 1+len(fromJSON) {
				t.Fatalf("%s: %d lines of CSV and %d of JSON (%v)", g.Name, len(rows), len(fromJSON), err)
			}
			if lines := strings.Count(write("md").String(), "\n"); lines != 2+len(fromJSON) {
				t.Errorf("%s: %d lines of Markdown, want %d", g.Name, lines, 2+len(fromJSON))
			}
			packed := write("parquet").Bytes()
			file, err := parquet.OpenFile(bytes.NewReader(packed), int64(len(packed)))
			if err != nil || file.NumRows() != int64(len(fromJSON)) {
				t.Fatalf("%s: %v", g.Name, err)
			}
			reader := parquet.NewReader(file)
			for i, want := range fromJSON {
				got := map[string]any{}
				if err := reader.Read(&got); err != nil {
					t.Fatal(err)
				}
				delete(got, "started") // a time in one, text in the other
				delete(want, "started")
				text, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				clear(got)
				if err := json.Unmarshal(text, &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, row %d (-JSON +Parquet):\n%s", g.Name, i, diff)
				}
			}
		}
	}
}

// The seconds of a disk add up to its bytes.
func TestSeconds(t *testing.T) {
	run := loaded(fixture.Triple())
	var lines bytes.Buffer
	_, err := table.Write(&lines, grain(t, "second"), "jsonl", 1, func(int) (*recorded.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	moved := map[string]int64{}
	for dec := json.NewDecoder(&lines); dec.More(); {
		var row table.Second
		if err := dec.Decode(&row); err != nil {
			t.Fatal(err)
		}
		moved[row.Phase+row.Disk] += row.Bytes
	}
	for _, p := range run.Trace.Phases {
		for _, d := range p.Disks {
			var want int64
			for i := range d.Files {
				want += d.Files[i].Bytes
			}
			if got := moved[p.Name+d.Name]; got != want {
				t.Errorf("%s, %s: %d bytes in all seconds, want %d", p.Name, d.Name, got, want)
			}
		}
	}
}
