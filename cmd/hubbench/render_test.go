package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// FuzzRender holds that whatever can be read can be shown in every form: a run without a page is a
// lost run.
func FuzzRender(f *testing.F) {
	// Axes that end on a step.
	for _, end := range []int64{1, 9, 1e6, 2e6, 2_220_000_000, 1e9, 123_456_789} {
		f.Add([]byte(fileLine("A", "write", 0, end)))
		f.Add([]byte(fileLine("A", "write", 0, end) + fileLine("B", "read", 0, end)))
		f.Add([]byte(fileLine("A", "write", 0, end) + fileLine("A", "write", end, 2*end) +
			fileLine("B", "read", end/2, end)))
	}
	hist := latency.New()
	latency.Record(hist, 1, 1)
	latency.Record(hist, latency.MaxNS, 1)
	f.Add(fmt.Appendf(nil, `{"type":"phase","phase":"p","roles":{"A":"read","B":"write"},`+
		`"work":{"A":{"op":"read","streams":[{"kind":"x","rate":1e6,"frame_ns":40000000,"count":2,`+
		`"buffer_ns":1000000000}]}},`+
		`"search":{"search":"s","kind":"streams","disk":"A","value":2}}
%s%s{"type":"stream","phase":"p","disk":"A","stream":"1","t_ns":100000000,"due":3,"late":1,`+
		`"buffer_ns":5,"stall_ns":4}
{"type":"latency","phase":"p","disk":"B","op":"write","t_ns":1000000000,"hist":"%s"}
{"type":"phase_end","phase":"p","status":"complete"}
`, fileLine("A", "read", 0, 2e9), fileLine("B", "write", 0, 3e9), latency.Encode(hist)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Count(data, []byte("\n")) > 200 {
			return
		}
		run, err := trace.Load(bytes.NewReader(data), "fuzz")
		if err != nil || len(run.Phases) == 0 {
			return
		}
		a := analysis.Analyze(run, analysis.Options{})
		doc := report.OfRun(report.RunData{Trace: run, Analysis: a})
		for name, write := range map[string]func(io.Writer) error{
			"text": func(w io.Writer) error {
				return text.Write(w, doc, text.Options{Width: text.Width, All: true})
			},
			"md":      func(w io.Writer) error { return export.Markdown(w, doc) },
			"html":    func(w io.Writer) error { return html.Write(w, doc, bytes.NewReader(data)) },
			"json":    func(w io.Writer) error { return export.JSON(w, doc.Data) },
			"csv":     func(w io.Writer) error { return export.CSV(w, run) },
			"gobench": func(w io.Writer) error { return export.GoBench(w, run, a) },
			"svg":     func(w io.Writer) error { return drawAll(w, doc) },
		} {
			var out strings.Builder
			if err := write(&out); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if name != "csv" && (strings.Contains(out.String(), "NaN") ||
				strings.Contains(out.String(), "+Inf")) && !bytes.Contains(data, []byte("NaN")) &&
				!bytes.Contains(data, []byte("Inf")) && name != "html" {
				t.Errorf("%s holds a number that is none:\n%s", name, out.String())
			}
		}
	})
}

func fileLine(disk, op string, startNS, endNS int64) string {
	return string(trace.AppendEvent(nil, &trace.Event{Type: trace.FileType, Phase: "p", Disk: disk,
		Op: trace.Role(op), Seq: int(startNS), Bytes: 1000, StartNS: startNS, EndNS: endNS}))
}

func drawAll(w io.Writer, doc *report.Document) error {
	figures := report.Collect[*report.Chart](doc.Blocks)
	for _, phase := range doc.Phases() {
		figures = append(figures, report.Collect[*report.Chart](phase.Blocks)...)
	}
	for _, figure := range figures {
		if err := plot.Write(w, doc, figure, plot.Options{}); err != nil {
			return fmt.Errorf("figure %s: %w", figure.ID, err)
		}
	}
	return nil
}
