package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func loaded(run *trace.Run) *recorded.Run {
	a := analysis.Analyze(run, analysis.Options{})
	a.Origin = &analysis.Origin{Run: "id-" + run.Name, Started: run.Started, Host: "bench",
		Status: run.Status}
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

// write writes a table of runs.
func write(w io.Writer, g table.Grain, format string, runs ...*recorded.Run) error {
	out := table.NewWriter(w, g, format)
	for _, run := range runs {
		if err := out.Add(run); err != nil {
			return err
		}
	}
	return out.Close()
}

// Each column has a name that every engine takes and says what it is; those that scripts rely on
// are there.
func TestColumns(t *testing.T) {
	for _, g := range table.Grains() {
		var names []string
		for _, c := range g.Columns() {
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(c.Name) || c.About == "" || slices.Contains(names, c.Name) {
				t.Errorf("%s: column %q: want a name of its own and what it is", g.Name, c.Name)
			}
			names = append(names, c.Name)
		}
		promised := "run started host hub hub_firmware port link_bps labels"
		if g.Name == "disk" {
			promised += " phase disk op model firmware overlap_bytes overlap_seconds rate_bps " +
				"rate_low_bps rate_high_bps share solo_rate_bps reference retention recovery_s " +
				"p50_ns p99_ns p999_ns late_frames warnings"
		}
		for name := range strings.FieldsSeq(promised) {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no column %s", g.Name, name)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the rows anew")

// The first rows of each grain, of a run with streams, gauges and hardware.
func TestRows(t *testing.T) {
	run := loaded(fixture.Streams())
	run.Path = "/home/jane/results/monday"
	run.Info = &rundir.Info{Labels: map[string]string{"operator": "jane", "build": "7"}}
	run.Trace.Hardware = &hardware.Setup{
		Hub: &hardware.Hub{ID: "4d0c1a90", Firmware: "40.1",
			Link: &hardware.Link{RxBps: 40e9, TxBps: 120e9}},
		Port: "Thunderbolt port 1", About: "cable of 0.8 m",
		Disks: map[string]hardware.Unit{
			"A": {Drive: hardware.Drive{Model: "X5", Firmware: "1.0", SizeBytes: 1e12}},
			"B": {Drive: hardware.Drive{Model: "P31"}},
		},
	}
	run.Trace.Phases[1].Gauges = []trace.Gauge{{Disk: "A", Name: trace.Temperature, TNS: 15e8,
		Value: 41}, {Disk: "A", Name: "other", TNS: 25e8, Value: 9},
		{Disk: "B", Name: trace.Temperature, TNS: 25e8, Value: 50}}
	var got bytes.Buffer
	for _, g := range table.Grains() {
		var out bytes.Buffer
		check.Must(t, write(&out, g, "csv", run))
		// Processors differ in the last digits.
		rounded := regexp.MustCompile(`\d+\.\d+(e[+-]\d+)?`).ReplaceAllStringFunc(out.String(), func(number string) string {
			v, _ := strconv.ParseFloat(number, 64)
			return strconv.FormatFloat(v, 'g', 6, 64)
		})
		head := strings.SplitAfter(rounded, "\n")
		own := 0
		for _, c := range g.Columns() {
			if !c.Every {
				own++
			}
		}
		fmt.Fprintf(&got, "%s: %d columns of its own\n%s\n", g.Name, own,
			strings.Join(head[:min(len(head), 30)], ""))
		if err := write(full{}, g, "csv", run); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s to a full disk: %v", g.Name, err)
		}
	}
	if *update {
		check.Must(t, os.WriteFile("testdata/rows.csv", got.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/rows.csv")
	check.Must(t, err)
	check.Same(t, "rows; accept them by go test ./internal/tell/table -update", string(want),
		got.String())
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// leaves are the values of the next row that are not null, by their column.
func leaves(t *testing.T, rows parquet.Rows) map[string][]any {
	t.Helper()
	row := make([]parquet.Row, 1)
	_, _ = rows.ReadRows(row) // A missing row differs from the one that is wanted.
	got := map[string][]any{}
	for _, v := range row[0] {
		if v.IsNull() {
			continue
		}
		name := rows.Schema().Columns()[v.Column()][0]
		var value any
		switch v.Kind() {
		case parquet.Boolean:
			value = v.Boolean()
		case parquet.Int64:
			value = float64(v.Int64())
		case parquet.Double:
			value = v.Double()
		default:
			value = v.String()
		}
		got[name] = append(got[name], value)
	}
	return got
}

// All formats hold the same rows.
func TestFormatsAgree(t *testing.T) {
	triple := loaded(fixture.Triple())
	triple.Info = &rundir.Info{Labels: map[string]string{"operator": "jane, day shift"}}
	for _, run := range []*recorded.Run{triple, loaded(fixture.Streams()),
		loaded(fixture.Hostile())} {
		for _, g := range table.Grains() {
			written := func(format string) *bytes.Buffer {
				var out bytes.Buffer
				check.Must(t, write(&out, g, format, run, run))
				return &out
			}
			var fromJSON []map[string]any
			for dec := json.NewDecoder(written("jsonl")); dec.More(); {
				row := map[string]any{}
				check.Must(t, dec.Decode(&row))
				fromJSON = append(fromJSON, row)
			}
			rows, err := csv.NewReader(written("csv")).ReadAll()
			if err != nil || len(rows) != 1+len(fromJSON) {
				t.Fatalf("%s: %d lines of CSV and %d of JSON (%v)", g.Name, len(rows),
					len(fromJSON), err)
			}
			if lines := strings.Count(written("md").String(), "\n"); lines != 2+len(fromJSON) {
				t.Errorf("%s: %d lines of Markdown, want %d", g.Name, lines, 2+len(fromJSON))
			}
			packed := written("parquet").Bytes()
			file, err := parquet.OpenFile(bytes.NewReader(packed), int64(len(packed)))
			if err != nil || file.NumRows() != int64(len(fromJSON)) {
				t.Fatalf("%s: %v", g.Name, err)
			}
			if len(fromJSON) == 0 {
				continue
			}
			stored := file.RowGroups()[0].Rows()
			defer stored.Close()
			for i, row := range fromJSON {
				delete(row, "started") // A time in one, text in the other.
				want := map[string][]any{}
				for name, value := range row {
					switch v := value.(type) {
					case nil:
					case []any:
						want[name] = append(want[name], v...)
					case map[string]any:
						for key, value := range v {
							want[name] = append(want[name], key, value)
						}
					default:
						want[name] = append(want[name], v)
					}
				}
				got := leaves(t, stored)
				delete(got, "started")
				maps.DeleteFunc(want, func(_ string, values []any) bool { return len(values) == 0 })
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, row %d (-JSON +Parquet):\n%s", g.Name, i, diff)
				}
			}
		}
	}
}

// Names from a trace of anyone's do nothing in any text: no control of a terminal, markup, or
// command of a workflow.
func TestNamesStayText(t *testing.T) {
	part := fixture.Part{Disk: "\u009b31m\u202e<b>|`", Op: trace.Write, Files: 9, Pace: []fixture.Pace{{Rate: 1e9}}}
	run := loaded(fixture.Run("run", []string{part.Disk}, map[string][]fixture.Part{"W": {part}}, "W"))
	run.Analysis.Origin.Run = "::error::failed"
	for _, format := range []string{"csv", "jsonl", "md"} {
		var out strings.Builder
		check.Must(t, write(&out, grain(t, "disk"), format, run))
		if strings.ContainsAny(out.String(), "\u009b\u202e") || strings.HasPrefix(strings.SplitN(out.String(), "\n", 2)[1], "::") ||
			format == "md" && (strings.Contains(out.String(), "<b>") || !strings.Contains(out.String(), "&lt;b&gt;\\|\\`")) {
			t.Errorf("%s: %q", format, out.String())
		}
	}
}

// The seconds of a disk add up to its bytes.
func TestSeconds(t *testing.T) {
	run := loaded(fixture.Triple())
	var lines bytes.Buffer
	check.Must(t, write(&lines, grain(t, "second"), "jsonl", run))
	moved := map[string]int64{}
	for dec := json.NewDecoder(&lines); dec.More(); {
		var row table.SecondRow
		check.Must(t, dec.Decode(&row))
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
