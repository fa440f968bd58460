package export

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// One block of each kind.
func TestMarkdown(t *testing.T) {
	keys := []report.LegendKey{{Name: "A", Label: "A"}, {Name: "B|b", Label: "B|b", Index: 1}}
	doc := &report.Document{Title: "small *run*", Started: "today", Simulated: true, Keys: keys,
		Blocks: []report.Block{
			report.Warning{Text: "disk A failed"},
			report.Sentence{Text: "A keeps 50%.", Lead: true},
			report.Heading{Text: "Numbers"},
			&report.Table{Note: "In the overlap.",
				Columns: []report.Column{{Head: "Disk"}, {Head: "GB/s", Numbers: true},
					{Head: "nothing"}}, Rows: [][]report.Cell{
					{
						{Disk: &keys[1]},
						{Letter: "R", Text: "0.700", Small: "50%", Strong: true, Heat: 0.5},
						{},
					},
				}},
			report.List{Title: "What stands out", Items: []string{"one | two"}},
			&report.Chart{
				Title: "Over time", Keys: keys, X: report.Axis{Max: 60},
				Y: report.Axis{Name: "speed, GB/s", Max: 2}, Series: []report.ChartSeries{
					{Kind: report.Files, Points: [][]float64{{0, 30, 0.5}, {30, 60, 1.9}}},
					{Kind: report.Line, Key: 1, Points: [][]float64{{0, 1}, {20, 1}}},
				},
			},
			&report.Details{Title: "More", Blocks: []report.Block{report.Sentence{Text: "closed"}}},
			&report.Details{Title: "WR", Phase: true,
				Blocks: []report.Block{report.Sentence{Text: "open"}}},
		}}
	var out strings.Builder
	check.Must(t, Markdown(&out, doc))
	file := filepath.Join("testdata", "blocks.md")
	if *update {
		check.Must(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	check.Same(t, "Markdown; -update accepts", string(want), out.String())
}

// The answer fits into a review, however many rows its tables have; the rest is for --all.
func TestShortMarkdown(t *testing.T) {
	table := &report.Table{Note: "note", Columns: []report.Column{{Head: "Phase"}}}
	for range 300 {
		table.Rows = append(table.Rows, []report.Cell{{Text: "row"}})
	}
	doc := &report.Document{Title: "long", Page: &report.Page{Headline: "C wins"},
		Blocks: []report.Block{table, report.Sentence{Text: "after it"}, table,
			&report.Details{Title: "folded", Blocks: []report.Block{report.Sentence{Text: "in it"}}}}}
	var out strings.Builder
	check.Must(t, ShortMarkdown(&out, doc))
	if n := strings.Count(out.String(), "\n"); n > 120 {
		t.Errorf("%d lines, want 120 at most", n)
	}
	for words, isThere := range map[string]bool{
		"C wins.": true, "more rows.": true, "after it": true, "Everything else: --all.": true,
		"in it": false,
	} {
		if strings.Contains(out.String(), words) != isThere {
			t.Errorf("%q is there: %v, want %v", words, !isThere, isThere)
		}
	}
}

// Names stay text, and every row of a table has its columns.
func TestHostileNamesInMarkdown(t *testing.T) {
	run := fixture.Hostile()
	var out strings.Builder
	doc := report.OfRun(report.RunData{Trace: run,
		Analysis: analysis.Analyze(run, analysis.Options{})})
	doc.Add(report.Sentence{Text: "::error::all is lost"})
	check.Must(t, Markdown(&out, doc))
	for _, bad := range []string{"<script", "<img", " @ink", "__f__", "\x1b", "\u202e"} {
		if strings.Contains(strings.ReplaceAll(out.String(), "```", ""), bad) && !inFence(out.String(), bad) {
			t.Errorf("%q stands unescaped in the text", bad)
		}
	}
	bars := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "::") {
			t.Errorf("a command of GitHub's workflows: %s", line)
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if !strings.HasPrefix(line, "|") {
			bars = 0
			continue
		}
		if bars > 0 && n != bars {
			t.Errorf("%d bars in a row of a table of %d: %s", n, bars, line)
		}
		bars = n
	}
}

// inFence reports whether the text stands between fences only, where nothing is markup.
func inFence(text, part string) bool {
	for i, piece := range strings.Split(text, "```") {
		if i%2 == 0 && strings.Contains(piece, part) {
			return false
		}
	}
	return true
}
