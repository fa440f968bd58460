package html

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/md"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// steady is two disks that write files of one second each for as long as each other, after each has
// done so alone: what they have in the overlap is all that they moved over all their time.
func steady() *trace.Run {
	run := &trace.Run{Name: "steady", Status: trace.Complete,
		Disks: []trace.Disk{{Name: "A"}, {Name: "C"}}}
	for _, phase := range []struct {
		name  string
		bytes map[string]int64
	}{{"W-", map[string]int64{"A": 1.48e9}}, {"-W", map[string]int64{"C": 2.81e9}},
		{"WW", map[string]int64{"A": 0.742e9, "C": 2.17e9}}} {
		p := &trace.Phase{Name: phase.name,
			Roles: map[string]trace.Role{"A": trace.Idle, "C": trace.Idle}}
		for _, d := range run.Disks {
			bytes, works := phase.bytes[d.Name]
			if !works {
				continue
			}
			p.Roles[d.Name] = trace.Write
			disk := &trace.DiskRecord{Name: d.Name, Op: trace.Write}
			for i := range int64(20) {
				disk.Files = append(disk.Files,
					trace.File{Seq: int(i), Bytes: bytes, StartNS: i * 1e9, EndNS: (i + 1) * 1e9})
			}
			p.Disks = append(p.Disks, disk)
		}
		run.Phases = append(run.Phases, p)
	}
	return run
}

// What one run comes to reads the same from every output.
func TestEveryOutputSaysTheSame(t *testing.T) {
	t.Parallel()
	run := steady()
	doc := report.OfRun(report.RunData{Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})})
	outputs := written(t, run, doc, doc.Phases()[2])
	// A's rate, C's, and that of both, in GB/s.
	patterns := map[string][3]string{
		"text": {`(?s)\nA and C write\n.*?\n +A +write +(\S+)`, `(?s)\nA and C write\n.*?\n +C +write +(\S+)`, `(?s)\nA and C write\n.*?\n +together +(\S+)`},
		"md":   {`(?s)### A and C write.*?\| A \| write \| \*\*(\S+)\*\*`, `(?s)### A and C write.*?\| C \| write \| \*\*(\S+)\*\*`, `(?s)### A and C write.*?\| together \|  \| \*\*(\S+)\*\*`},
		"html": {`(?s)id="phase-3".*?<bdi>A</bdi></span></th><td>write</td><td class="num"><b>([^<]*)`, `(?s)id="phase-3".*?<bdi>C</bdi></span></th><td>write</td><td class="num"><b>([^<]*)`, `(?s)id="phase-3".*?together</th><td></td><td class="num"><b>([^<]*)`},
		"svg":  {`>(0\.742)<`, `>(2\.17)<`, `Together (\S+) GB/s with both busy`},
		"csv":  {},
	}
	want := [3]float64{0.742, 2.17, 2.91}
	for name, patterns := range patterns {
		var got [3]float64
		if name == "csv" {
			got = ratesOf(t, outputs[name])
		}
		for i, pattern := range patterns {
			if pattern == "" {
				continue
			}
			found := regexp.MustCompile(pattern).FindStringSubmatch(outputs[name])
			if found == nil {
				t.Errorf("%s: no match for %s", name, pattern)
				continue
			}
			got[i], _ = strconv.ParseFloat(strings.TrimSpace(found[1]), 64)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 0.005 {
				t.Errorf("%s: %v, want %v", name, got, want)
				break
			}
		}
	}
}

// What became of streams and of requests reads the same from every output, and as the trace has it.
func TestEveryOutputSaysTheSameOfStreams(t *testing.T) {
	t.Parallel()
	run := backup()
	a := analysis.Analyze(run, analysis.Options{})
	doc := report.OfRun(report.RunData{Trace: run, Analysis: a})
	late, due := 0, 0
	for _, s := range run.Phases[0].Disk("A").Streams {
		last := s.Samples[len(s.Samples)-1]
		late, due = late+last.Late, due+last.Due
	}
	probed, played := latency.NewSum(), latency.NewSum()
	for disk, h := range map[string]*latency.Sum{"A": played, "C": probed} {
		for _, l := range run.Phases[0].Disk(disk).Latencies {
			l.Hist.MergeInto(h)
		}
	}
	took := func(h *latency.Sum) string {
		return regexp.QuoteMeta(unit.FormatSeconds(float64(h.ValueAtQuantile(99)) / 1e9))
	}
	frames := fmt.Sprintf("%d of 1,%03d", late, due-1000)
	share := fmt.Sprintf("%.0f %%", 100*float64(late)/float64(due))
	const phase = "play beside backup"
	patterns := map[string][]string{
		"text": {
			`\nA drops ` + share + ` of frames when B writes`,
			`(?s)\n` + phase + `\n.*?\n +A +4 x ProRes 422 HQ UHD 25p played +✗ drops worst in stream 2 +` + frames + ` \(`,
			`(?s)\n` + phase + `\n.*?\n +C +probe, 4 KiB +A plays 4 streams, B writes.*? +` + took(probed) + ` `,
			`\n +A +play +B writes .*? +` + took(played) + ` `,
		},
		"md": {
			`\nA drops ` + share + ` of frames when B writes`,
			`\| A \| 4 x ProRes 422 HQ UHD 25p played \| \*\*drops worst in stream 2\*\* \| ` + frames + ` \(`,
			`\| C \| probe, 4 KiB \| [^|]* \| 2,000 \| [^|]* \| \*\*` + took(probed) + `\*\* \|`,
			`\| A \| play \| B writes \| [^|]* \| [^|]* \| \*\*` + took(played) + `\*\* \|`,
		},
		"html": {
			`<h1>A drops ` + strings.Replace(share, " ", "\u00a0", 1) + ` of frames when B writes`,
			`(?s)id="phase-1".*?<b>drops</b> <small>worst in stream 2</small></td><td class="num">` + frames + ` \(`,
			`<b>` + took(probed) + `</b>`, `<b>` + took(played) + `</b>`,
		},
		"svg":  {`>` + fmt.Sprint(late) + ` frames are dropped<`, `>half of the buffer<`},
		"json": {`"late":` + fmt.Sprint(late) + `,`, `"due":` + fmt.Sprint(due) + `,`, `"p99_ns":` + fmt.Sprint(probed.ValueAtQuantile(99)) + `,`, `"p99_ns":` + fmt.Sprint(played.ValueAtQuantile(99)) + `,`},
	}
	outputs := written(t, run, doc, doc.Phases()[0])
	for name, patterns := range patterns {
		for _, pattern := range patterns {
			if !regexp.MustCompile(pattern).MatchString(outputs[name]) {
				t.Errorf("%s: no match for %s", name, pattern)
			}
		}
	}
	// The table of files has what the streams moved: as much as they asked for, once they had
	// caught up.
	rows, err := csv.NewReader(strings.NewReader(outputs["csv"])).ReadAll()
	check.Must(t, err)
	moved := 0.0
	for _, row := range rows {
		if row[0] == phase && row[1] == "A" {
			n, _ := strconv.ParseFloat(row[4], 64)
			moved += n
		}
	}
	if rate := a.Phases[0].Overlap.Disks["A"].Rate; math.Abs(moved/20-rate) > 0.005*rate {
		t.Errorf("the files come to %g B/s, the report says %g", moved/20, rate)
	}
}

// written is what each output makes of a run, the pictures of all charts of one of its phases.
func written(t *testing.T, run *trace.Run, doc *report.Document,
	phase *report.Details) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, encode := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error {
			return text.Write(w, doc, text.Options{Width: 160, All: true})
		},
		"md": func(w io.Writer) error { return md.Write(w, doc) },
		"html": func(w io.Writer) error {
			return write(w, doc, bytes.NewReader(eventsOf(run)), standIn)
		},
		"svg": func(w io.Writer) error {
			for _, c := range report.Collect[*report.Chart](phase.Blocks) {
				if err := plot.Write(w, doc, c, plot.Options{}); err != nil {
					return err
				}
			}
			return nil
		},
		"csv":  func(w io.Writer) error { return export.CSV(w, run) },
		"json": func(w io.Writer) error { return json.NewEncoder(w).Encode(doc.Data) },
	} {
		var text strings.Builder
		check.Must(t, encode(&text))
		out[name] = text.String()
	}
	return out
}

// ratesOf works the rates out from the table of files.
func ratesOf(t *testing.T, table string) (rates [3]float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	check.Must(t, err)
	end := 0.0
	for _, row := range rows[1:] {
		if row[0] != "WW" {
			continue
		}
		bytes, _ := strconv.ParseFloat(row[4], 64)
		at, _ := strconv.ParseFloat(row[6], 64)
		end = max(end, at)
		if row[1] == "C" {
			rates[1] += bytes / 1e9
		} else {
			rates[0] += bytes / 1e9
		}
		rates[2] += bytes / 1e9
	}
	for i := range rates {
		rates[i] /= end
	}
	return rates
}
