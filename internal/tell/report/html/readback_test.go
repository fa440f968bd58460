package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

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
	share := fmt.Sprintf("%.0f%%", 100*float64(late)/float64(due))
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
			`<h1>A drops ` + share + ` of frames when B writes`,
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
		"md": func(w io.Writer) error { return export.Markdown(w, doc) },
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
		"json": func(w io.Writer) error { return json.NewEncoder(w).Encode(doc.Data) },
	} {
		var text strings.Builder
		check.Must(t, encode(&text))
		out[name] = text.String()
	}
	return out
}
