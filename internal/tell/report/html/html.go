// Package html writes a document as a page: one file that opens offline. It shows the document's blocks and draws its
// figures' marks; it knows no particular table or chart. Start at Write.
//
// The page is this package's own template. go-echarts serves only to build chart options: its own page loads scripts
// from elsewhere and runs code hidden in a disk's name.
package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/say"
)

//go:embed page.tmpl report.css script
var parts embed.FS

// maxSummary is how many bytes of the document's data stand in the page as they are. More are packed: a JSON string in
// place of an object.
const maxSummary = 300_000

// page is what the template shows.
type page struct {
	Doc           *report.Document
	Policy        string
	Style         template.CSS
	Library       template.JS
	Script        template.JS
	Summary       template.JS // the document's data
	DataID        string      // of the element that holds it
	DataName      string      // of the file it is saved as
	Events        template.JS // events.jsonl, packed; empty where the page goes without
	Shapes        [][]report.Corner
	Static        bool          // no chart library: pictures instead
	Numbers       *report.Table // of the answer, below its figure
	Before, After []report.Block
	Open          string // the ID of the phase that is open first
	Parts         string // what its phases are called
	Phases        []section
}

// section is a phase as markup.
type section struct {
	*report.Details
	HTML  template.HTML
	Print bool // on paper as well
}

// Write writes the document. Events are those of a run, for its page to carry; nil, or too long (see maxEvents): the
// page goes without.
func Write(w io.Writer, doc *report.Document, events io.Reader) error {
	if err := write(w, doc, events, library()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// write takes the chart library as an argument, so that tests see the page with and without it.
func write(w io.Writer, doc *report.Document, events io.Reader, charts []byte) error {
	p := &page{
		Doc: doc, Shapes: report.Shapes(), Static: charts == nil, DataID: doc.Kind, DataName: doc.Kind, Parts: "phases",
	}
	if doc.Kind == "report" {
		p.DataID, p.DataName = "summary", "analysis"
	}
	if doc.Kind == "comparison" {
		p.Parts = "runs"
	}
	if err := p.dress(charts); err != nil {
		return err
	}
	summary, err := json.Marshal(doc.Data)
	if err != nil {
		return fmt.Errorf("encode its data: %w", err)
	}
	p.Summary = template.JS(summary) //nolint:gosec // json.Marshal escapes what could end the element
	if len(summary) > maxSummary {
		if p.Summary, err = deflate(summary); err != nil {
			return err
		}
	}
	if p.Events, err = pack(events); err != nil {
		return err
	}
	drawer := &drawer{doc: doc, static: p.Static, ids: map[*report.Figure]string{}}
	var tmpl *template.Template
	packed := func(d *report.Details) (template.JS, error) {
		tables := report.Collect[*report.Table](d.Blocks)
		if !slices.ContainsFunc(tables, func(t *report.Table) bool { return len(t.Rows) > maxRows }) {
			return "", nil
		}
		var out bytes.Buffer
		if err := tmpl.ExecuteTemplate(&out, "blocks", d.Blocks); err != nil {
			return "", err
		}
		return deflate(out.Bytes())
	}
	functions := template.FuncMap{
		"group": group, "prepare": drawer.prepare, "class": class, "unknown": unknown,
		"foreign": report.RightToLeft, "packed": packed, "export": exportOf(doc),
	}
	if tmpl, err = template.New("page.tmpl").Funcs(functions).ParseFS(parts, "page.tmpl"); err != nil {
		return err
	}
	p.Numbers, p.Before, p.After = around(doc)
	phases, paper := doc.Phases(), printed(doc)
	if len(paper) > 0 {
		p.Open = paper[0]
	}
	if doc.Answer != nil && doc.Answer.Figure != nil && len(phases) == 1 {
		paper = nil // it is the phase
	}
	if err := p.sections(phases, paper, drawer, tmpl); err != nil {
		return err
	}
	drawer.name("all", doc.Blocks)
	if a := doc.Answer; a != nil && a.Figure != nil {
		drawer.ids[a.Figure] = a.Figure.ID
	}
	drawer.pack, drawer.scripted = false, false
	return tmpl.Execute(w, p)
}

// sections are the phases as markup. The charts of those that are neither open first nor printed are packed, and have
// no pictures for readers without scripts if there are many.
func (p *page) sections(phases []*report.Details, paper []string, drawer *drawer, tmpl *template.Template) error {
	for i, phase := range phases {
		if len(phases) > maxListed {
			phase = trim(phase)
		}
		if len(phases) == 1 && p.Numbers != nil { // which are the phase's own
			only := *phase
			only.Blocks = slices.DeleteFunc(slices.Clone(phase.Blocks), func(b report.Block) bool {
				t, ok := b.(*report.Table)
				return ok && t.Title == p.Numbers.Title
			})
			phase = &only
		}
		drawer.name(phase.ID, phase.Blocks)
		onPaper := slices.Contains(paper, phase.ID)
		drawer.pack = !onPaper && i > 0
		drawer.scripted = drawer.pack && len(phases) > maxWhole
		var out bytes.Buffer
		if err := tmpl.ExecuteTemplate(&out, "phase", phase); err != nil {
			return fmt.Errorf("phase %s: %w", phase.Title, err)
		}
		markup := template.HTML(out.String()) //nolint:gosec // made by this very template
		p.Phases = append(p.Phases, section{Details: phase, HTML: markup, Print: onPaper})
	}
	return nil
}

const (
	maxPrinted = 4  // phases of a run on paper, two to a page
	maxWhole   = 12 // phases with pictures for readers without scripts; runs of a comparison on paper
)

// printed are the IDs of the phases that the answer's findings name, in their order, then of those that its table
// leads to, bad news first: the first is open when the page is, and all are printed. Of a comparison it is every
// run.
func printed(doc *report.Document) []string {
	phases := doc.Phases()
	if doc.Kind == "comparison" && len(phases) <= maxWhole {
		return say.Each(phases, func(phase *report.Details) string { return phase.ID })
	}
	most := maxPrinted
	for _, t := range report.Collect[*report.Table](doc.Blocks) {
		if t.ID == "pairs" { // it takes half a page
			most--
		}
	}
	var ids, links, others []string
	if a := doc.Answer; a != nil {
		ids = named(a.Findings, slices.Clone(phases), most)
		if a.Table != nil {
			for _, cell := range slices.Concat(a.Table.Rows...) {
				if cell.Sign == report.Bad {
					links = append(links, cell.Link)
				} else {
					others = append(others, cell.Link)
				}
			}
		}
	}
	links = append(links, others...)
	if i := slices.IndexFunc(phases, func(d *report.Details) bool { return d.Fold == "" }); i >= 0 && len(ids) == 0 {
		links = append(links, phases[i].ID)
	}
	for _, id := range links {
		known := slices.ContainsFunc(phases, func(d *report.Details) bool { return d.ID == id })
		if known && !slices.Contains(ids, id) && len(ids) < most {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 && len(phases) > 0 {
		ids = []string{phases[0].ID}
	}
	return ids
}

// named are the IDs of the first phases that findings name, in their order.
func named(findings []string, phases []*report.Details, most int) []string {
	var ids []string
	// "all W, rest R" before "all W"
	slices.SortStableFunc(phases, func(a, b *report.Details) int { return len(b.Title) - len(a.Title) })
	for _, text := range findings {
		at := map[string]int{}
		for _, phase := range phases {
			if !strings.Contains(text, phase.Title) { // compiling takes longer
				continue
			}
			title := regexp.MustCompile(`(^|[^\pL\d])` + regexp.QuoteMeta(phase.Title) + `($|[^\pL\d])`)
			if found := title.FindStringIndex(text); found != nil {
				at[phase.ID] = found[0]
				text = text[:found[0]] + strings.Repeat("\x00", found[1]-found[0]) + text[found[1]:]
			}
		}
		for _, id := range slices.SortedFunc(maps.Keys(at), func(a, b string) int { return at[a] - at[b] }) {
			if !slices.Contains(ids, id) && len(ids) < most {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// flagged is how a table or a figure is had alone, on a command line.
type flagged struct{ Flag, Command string }

// exportOf names the parts of a document for those who want one alone.
func exportOf(doc *report.Document) func(kind, name, phase string) flagged {
	several := len(doc.Phases()) > 1
	return func(kind, name, phase string) flagged {
		out := flagged{Flag: "--" + kind + " " + name}
		out.Command = out.Flag
		if doc.Kind == "report" {
			out.Command = "hubbench report RUN " + out.Flag
		}
		if phase != "" && several {
			out.Command += fmt.Sprintf(" --phase %q", phase)
		}
		return out
	}
}

// maxRows is how many rows a table in closed details has at most that is not packed until they are opened.
const maxRows = 100

// maxListed is how many phases there are at most for the page to show the files of each one by one.
const maxListed = 100

// trim leaves out what a phase's closed details show file by file: figures, and tables of more rows than anyone reads.
func trim(phase *report.Details) *report.Details {
	out := *phase
	out.Blocks = nil
	for _, block := range phase.Blocks {
		if d, ok := block.(*report.Details); ok {
			short := *d
			short.Blocks = slices.DeleteFunc(slices.Clone(d.Blocks), func(b report.Block) bool {
				t, listed := b.(*report.Table)
				_, drawn := b.(*report.Figure)
				return drawn || listed && len(t.Rows) > 20
			})
			if len(short.Blocks) == 0 {
				continue
			}
			block = &short
		}
		out.Blocks = append(out.Blocks, block)
	}
	out.Add(report.Sentence{Text: "A page of so many phases does not show the files one by one: " +
		"hubbench report has them with --phase and --format svg, and with --format csv."})
	return &out
}

// around are the document's blocks before its first phase, and after its last; and apart from them the table of all
// phases, or else that of the answer, which belong below the answer's figure.
func around(doc *report.Document) (numbers *report.Table, before, after []report.Block) {
	if a := doc.Answer; a != nil && a.Figure != nil {
		numbers = a.Table
	}
	seen := false
	for _, block := range doc.Blocks {
		d, ok := block.(*report.Details)
		t, listed := block.(*report.Table)
		list, titled := block.(report.List)
		switch {
		case ok && d.Phase:
			seen = true
		case listed && doc.Answer != nil && t.Name() == "all-phases" && len(t.Columns) <= maxNumbers:
			numbers = t
		case seen:
			after = append(after, block)
		case doc.Answer != nil && titled && list.Title != "": // what is behind the answer
			before = append(before, &report.Details{Title: list.Title, Blocks: []report.Block{report.List{Items: list.Items}}})
		default:
			before = append(before, block)
		}
	}
	return numbers, before, after
}

// maxNumbers is how many columns a table below the answer has at most: no more have room on paper.
const maxNumbers = 10

// group puts neighbouring figures that do not take the whole width side by side, as a []*report.Figure.
func group(blocks []report.Block) []any {
	var out []any
	for _, block := range blocks {
		figure, ok := block.(*report.Figure)
		if !ok || figure.Wide {
			out = append(out, block)
			continue
		}
		if n := len(out); n > 0 {
			if row, ok := out[n-1].([]*report.Figure); ok {
				out[n-1] = append(row, figure)
				continue
			}
		}
		out = append(out, []*report.Figure{figure})
	}
	return out
}

// dress puts in the styles and scripts, and a policy under which nothing else may load or run.
func (p *page) dress(charts []byte) error {
	style, err := parts.ReadFile("report.css")
	if err != nil {
		return err
	}
	script := []byte("(() => {\n\"use strict\";\n") // its parts share one scope
	for _, name := range []string{"look", "draw", "chart", "page"} {
		part, err := parts.ReadFile("script/" + name + ".js")
		if err != nil {
			return err
		}
		script = append(script, part...)
	}
	script = append(script, "})();\n"...)
	for _, text := range [][]byte{charts, script} {
		// The page would end where its script says so.
		if bytes.Contains(bytes.ToLower(text), []byte("</script")) || bytes.Contains(text, []byte("<!--")) {
			return fmt.Errorf("a script holds a tag that would end it early: rebuild it with make build")
		}
	}
	p.Style, p.Script = template.CSS(style), template.JS(script) //nolint:gosec // this program's own files
	p.Library = template.JS(charts)                              //nolint:gosec // likewise
	p.Policy = fmt.Sprintf("default-src 'none'; img-src data:; style-src '%s'; script-src '%s'", hash(style), hash(script))
	if charts != nil {
		p.Policy += fmt.Sprintf(" '%s'", hash(charts))
	}
	p.Policy += "; base-uri 'none'; form-action 'none'"
	return nil
}

// hash is a source expression of a Content-Security-Policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// deflate is text as base64 of its gzip, in a JSON string.
func deflate(text []byte) (template.JS, error) {
	zipped, err := zip(bytes.NewReader(text))
	if err != nil {
		return "", fmt.Errorf("pack: %w", err)
	}
	return template.JS(`"` + base64.StdEncoding.EncodeToString(zipped) + `"`), nil //nolint:gosec // letters of base64
}
