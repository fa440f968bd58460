package html

import (
	"bytes"
	"encoding/csv"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/internal/report/export"
	"github.com/hubbench/hubbench/internal/report/fixture"
	"github.com/hubbench/hubbench/internal/report/md"
	"github.com/hubbench/hubbench/internal/report/picture"
	"github.com/hubbench/hubbench/internal/report/text"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// steady is two disks that write files of one second each for as long as each other, after each has done so alone: what
// they have in the overlap is all that they moved over all their time.
func steady() *trace.Run {
	run := &trace.Run{Name: "steady", Status: trace.Complete, Disks: []trace.Disk{{Name: "A"}, {Name: "C"}}}
	for _, phase := range []struct {
		name  string
		bytes map[string]int64
	}{{"W-", map[string]int64{"A": 1.48e9}}, {"-W", map[string]int64{"C": 2.81e9}}, {"WW", map[string]int64{"A": 0.742e9, "C": 2.17e9}}} {
		p := &trace.Phase{Name: phase.name, Roles: map[string]trace.Role{"A": trace.Idle, "C": trace.Idle}}
		for _, d := range run.Disks {
			bytes, works := phase.bytes[d.Name]
			if !works {
				continue
			}
			p.Roles[d.Name] = trace.Write
			disk := &trace.DiskTrace{Name: d.Name, Op: trace.Write}
			for i := range int64(20) {
				disk.Files = append(disk.Files, trace.File{Seq: int(i), Bytes: bytes, StartNS: i * 1e9, EndNS: (i + 1) * 1e9})
			}
			p.Disks = append(p.Disks, disk)
		}
		run.Phases = append(run.Phases, p)
	}
	return run
}

// What one run comes to reads the same from every output.
func TestEveryOutputSaysTheSame(t *testing.T) {
	run := steady()
	doc := report.OfRun(report.Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	phase := doc.Phases()[2]
	outputs := map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return text.Write(b, doc, text.Width) },
		"md":   func(b *bytes.Buffer) error { return md.Write(b, doc) },
		"html": func(b *bytes.Buffer) error { return write(b, doc, bytes.NewReader(fixture.Events(run)), standIn) },
		"csv":  func(b *bytes.Buffer) error { return export.CSV(b, run) },
		"svg": func(b *bytes.Buffer) error {
			for _, f := range report.Figures(phase.Blocks) {
				if f.ID == "time" || f.ID == "alone" {
					if err := picture.Write(b, doc, f, picture.Options{}); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	// A's rate, C's, and that of both, in GB/s.
	patterns := map[string][3]string{
		"text": {`(?s)WW\n.*?\n +A +write +(\S+)`, `(?s)WW\n.*?\n +C +write +(\S+)`, `(?s)WW\n.*?\n +together +(\S+)`},
		"md":   {`(?s)### WW.*?\| A \| write \| \*\*(\S+)\*\*`, `(?s)### WW.*?\| C \| write \| \*\*(\S+)\*\*`, `(?s)### WW.*?\| together \|  \| \*\*(\S+)\*\*`},
		"html": {
			`(?s)id="phase-3".*?&#34;disks&#34;,&#34;A&#34;,&#34;rate&#34;\]" value="[^"]*">([^<]*)`, `(?s)id="phase-3".*?&#34;disks&#34;,&#34;C&#34;,&#34;rate&#34;\]" value="[^"]*">([^<]*)`,
			`(?s)id="phase-3".*?data-key="\[&#34;overlap&#34;,&#34;rate&#34;\]" value="[^"]*">([^<]*)`,
		},
		"svg": {`>(\S+) of 1\.48<`, `>(\S+) of 2\.81<`, `>(\S+) GB/s in the overlap<`},
	}
	want := [3]float64{0.742, 2.17, 2.91}
	for name, encode := range outputs {
		var out bytes.Buffer
		if err := encode(&out); err != nil {
			t.Fatal(err)
		}
		var got [3]float64
		if name == "csv" {
			got = ratesOf(t, &out)
		}
		for i, pattern := range patterns[name] {
			if pattern == "" {
				continue
			}
			found := regexp.MustCompile(pattern).FindStringSubmatch(out.String())
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

// ratesOf works the rates out from the table of files.
func ratesOf(t *testing.T, in *bytes.Buffer) (rates [3]float64) {
	t.Helper()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
