package html

import (
	_ "embed" // for the template
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/delta"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
)

//go:embed compare.tmpl
var compareTemplate string

// comparison is what the page of a comparison shows.
type comparison struct {
	page    // what every page has: styles, scripts, symbols
	Title   string
	Runs    []side
	Pairs   []pair
	Heads   []string
	Phases  []comparedPhase
	Trust   []string
	Results template.JS // the comparison as JSON
}

// side is a run with its colour and symbol.
type side struct {
	disk
	About string
}

// pair is a run beside the base. Who is empty where there is but one.
type pair struct {
	Who            string
	Summary        string
	Method, Only   []string
	Appeared, Went []string
}

// comparedPhase is a phase with the tables of all pairs that have it.
type comparedPhase struct {
	phase
	Tables []comparedTable
}

type comparedTable struct {
	Who    string
	Colour int // the run's
	Scale  string
	Rows   []comparedRow
	Lines  []string
}

type comparedRow struct {
	Cells []string
	Told  bool // apart from chance
	Bar   *changeBar
}

// changeBar is a change and its interval, in percent of a drawing's width; no change is at 50.
type changeBar struct{ X, Width, At float64 }

// WriteComparison writes a comparison as a page that opens offline. The runs are those that were compared, the base
// first.
func WriteComparison(w io.Writer, c *compare.Comparison, runs []compare.Run) error {
	return writeComparison(w, c, runs, library())
}

func writeComparison(w io.Writer, c *compare.Comparison, runs []compare.Run, charts []byte) error {
	page, err := newComparison(c, runs, charts == nil)
	if err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	if err := page.dress(charts); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	tmpl, err := template.ParseFS(parts, "page.tmpl")
	if err == nil {
		tmpl, err = tmpl.New("compare.tmpl").Parse(compareTemplate)
	}
	if err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	if err := tmpl.Execute(w, page); err != nil {
		return fmt.Errorf("comparison: write the page: %w", err)
	}
	return nil
}

func newComparison(c *compare.Comparison, runs []compare.Run, static bool) (*comparison, error) {
	results, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode it: %w", err)
	}
	scale := delta.Scale(c)
	out := &comparison{
		page:    page{Shapes: chart.Shapes(), Unit: scale.Unit, Static: static, Warnings: c.Warnings},
		Title:   fmt.Sprintf("%d runs beside %s", len(c.Pairs), c.Base.Label),
		Heads:   delta.Heads(scale),
		Trust:   delta.Notes(c),
		Results: template.JS(results), //nolint:gosec // json.Marshal escapes what could end the element
	}
	if len(c.Pairs) == 1 {
		out.Title = c.Pairs[0].Label + " beside " + c.Base.Label
	}
	over := newOverlay(runs)
	for i, d := range over.run.Disks {
		about := []string{runs[i].Analysis.Name}
		if at := started(runs[i].Trace.Started); at != "" {
			about = append(about, at)
		}
		out.Runs = append(out.Runs, side{look(over.run, d.Name), strings.Join(about, ", ")})
	}
	for i := range c.Pairs {
		out.Pairs = append(out.Pairs, newPairView(&c.Pairs[i], len(c.Pairs) > 1))
	}
	for i, t := range runs[0].Trace.Phases {
		p := comparedPhase{phase: phase{ID: fmt.Sprintf("phase-%d", i+1), Name: t.Name}}
		for j := range c.Pairs {
			p.add(&c.Pairs[j], scale, out.Pairs[j].Who, out.Runs[j+1].Colour)
		}
		if len(p.Tables) == 0 {
			continue
		}
		for _, d := range t.Disks {
			figures, err := over.figures(&p.phase, d.Name, scale, static)
			if err != nil {
				return nil, err
			}
			p.More = append(p.More, figures...)
		}
		out.Phases = append(out.Phases, p)
	}
	return out, nil
}

func newPairView(p *compare.Pair, many bool) pair {
	out := pair{
		Summary: delta.Summary(p), Only: delta.Missing(p),
		Appeared: findingTexts(p.Appeared), Went: findingTexts(p.Went),
	}
	if many {
		out.Who = p.Label
	}
	for _, d := range p.Method {
		out.Method = append(out.Method, delta.Method(d))
	}
	return out
}

func findingTexts(findings []analysis.Finding) []string {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.Text
	}
	return texts
}

// add adds the table of a pair that has the phase; colour is the run's.
func (p *comparedPhase) add(with *compare.Pair, scale chart.Scale, who string, colour int) {
	for i := range with.Phases {
		found := &with.Phases[i]
		if found.Phase != p.Name {
			continue
		}
		reach := reachOf(found.Rates)
		t := comparedTable{
			Who: who, Colour: colour, Scale: fmt.Sprintf("-%g %% to +%[1]g %%", significant(100*reach)),
			Lines: append(delta.Recoveries(found), delta.Doubts(found)...),
		}
		for _, r := range found.Rates {
			row := comparedRow{Cells: delta.Row(r, scale), Told: r.Verdict == compare.Faster || r.Verdict == compare.Slower}
			if r.CI95 != nil {
				at := func(change float64) float64 { return fixed(50+50*change/reach, 2) }
				row.Bar = &changeBar{X: at(r.CI95[0]), Width: fixed(50*(r.CI95[1]-r.CI95[0])/reach, 2), At: at(*r.Change)}
			}
			t.Rows = append(t.Rows, row)
		}
		p.Tables = append(p.Tables, t)
	}
}

// reachOf is the change up to which the bars of a table reach: a round one that holds all intervals.
func reachOf(rates []compare.Rate) float64 {
	most := 0.0
	for _, r := range rates {
		if r.CI95 != nil {
			most = max(most, -r.CI95[0], r.CI95[1])
		}
	}
	_, reach := chart.Round125(0.01, max(most, 0.05))
	return reach
}
