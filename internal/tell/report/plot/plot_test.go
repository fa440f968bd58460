package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func reportOf(run *trace.Run) *report.Document {
	return report.OfRun(report.RunData{Trace: run,
		Analysis: analysis.Analyze(run, analysis.Options{}),
		About:    report.About{Hub: "goshen-ridge", Tool: "v1"}})
}

func TestEveryChart(t *testing.T) {
	for name, run := range map[string]*trace.Run{"triple": fixture.Triple(),
		"hostile": fixture.Hostile(), "many": fixture.Many(6000)} {
		doc := reportOf(run)
		for _, f := range report.Collect[*report.Chart](doc.Phases()[0].Blocks) {
			for _, opts := range []Options{{}, {PNG: true, Dark: true}} {
				if opts.PNG && (name != "triple" || f.ID != "time") {
					continue // slow, and the same strokes
				}
				var out bytes.Buffer
				check.Must(t, Write(&out, doc, f, opts))
				if opts.PNG {
					if _, err := png.Decode(&out); err != nil {
						t.Error(err)
					}
					continue
				}
				checkSVG(t, out.String())
			}
		}
	}
}

// A picture that leaves its report says what it shows, when and on what it was measured, and that
// it was not.
func TestOrigin(t *testing.T) {
	run := fixture.Triple()
	for i := range run.Disks {
		run.Disks[i].Profile = "A"
	}
	doc := reportOf(run)
	var out strings.Builder
	check.Must(t, Write(&out, doc, report.Collect[*report.Chart](doc.Phases()[1].Blocks)[0],
		Options{}))
	for _, want := range []string{"All three share ", "triple · all read · 20 Nov 2026",
		"goshen-ridge", "simulated", "hubbench v1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
}

// Words never cover one another, however close what they are of.
func TestWordsKeepApart(t *testing.T) {
	c := &report.Chart{Title: "Words",
		Keys: []report.LegendKey{{Name: "Samsung T7 Shield 2TB", Label: "Samsung T7 Shield 2TB"}},
		X:    report.Axis{Max: 1}, Y: report.Axis{Max: 1}}
	for range 12 {
		c.Marks = append(c.Marks, report.Mark{At: 0.5, From: 0.5, To: 0.6,
			Text: "Samsung T7 Shield 2TB"})
	}
	var out strings.Builder
	check.Must(t, Write(&out, &report.Document{Title: "t"}, c, Options{}))
	seen := map[string]bool{}
	for _, place := range regexp.MustCompile(`<text x="\S+" y="\S+"`).FindAllString(out.String(), -1) {
		if seen[place] {
			t.Errorf("two words at %s", place)
		}
		seen[place] = true
	}
	if len(seen) < 9 {
		t.Errorf("%d words in the picture, want most of the labels", len(seen))
	}
}

// A chart of one instant is drawn all the same.
func TestNoLength(t *testing.T) {
	points := [][]float64{{5, 5}, {5, 5}}
	for _, axis := range []report.Axis{{}, {Min: 5, Max: 5}, {Min: 5, Max: 5, Log: true}} {
		c := &report.Chart{X: axis, Y: axis, Series: []report.ChartSeries{
			{Kind: report.Line, Key: report.None, Points: points},
			{Kind: report.Dots, Points: points}, {Kind: report.Dots, Points: points},
		}, Keys: []report.LegendKey{{Label: "A"}}}
		var out strings.Builder
		check.Must(t, Write(&out, &report.Document{Title: "t"}, c, Options{}))
		checkSVG(t, out.String())
	}
}

// A PNG writes what its font has: a name of other letters is replaced by the disk's number.
func TestLettersOfPNG(t *testing.T) {
	keys := []report.LegendKey{{Label: "磁盘"}, {Label: "אבג", Index: 1}}
	c := newSheet(100, 100, 72, keys, Options{PNG: true})
	for words, want := range map[string]string{"磁盘: 2 GB/s": "disk 1: 2 GB/s",
		"אבג beside": "disk 2 beside",
		"größer: Ω, диск, ≤ 5 µs ± 3 – „…“ °C × → ·": "größer: Ω, диск, ≤ 5 µs ± 3 – „…“ °C × → ·",
		"何": "?"} {
		if got := c.writable(words); got != want {
			t.Errorf("show(%q) = %q, want %q", words, got, want)
		}
	}
}

// checkSVG wants well-formed XML of drawing elements only, with no number that is none.
func checkSVG(t *testing.T, text string) {
	t.Helper()
	reader := xml.NewDecoder(strings.NewReader(text))
	paths := 0
	for {
		token, err := reader.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch element.Name.Local {
		case "path":
			paths++
		case "svg", "g", "text":
		default:
			t.Errorf("an element <%s> in the picture", element.Name.Local)
		}
		for _, a := range element.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Value, "NaN") ||
				strings.Contains(a.Value, "Inf") || strings.Contains(a.Value, "#-") {
				t.Errorf("<%s %s=%q>", element.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	if paths < 3 {
		t.Errorf("%d paths: nothing is drawn", paths)
	}
}
