// Package html writes a document as a page: one file that opens offline. It shows the document's
// blocks and draws its figures' marks; it knows no particular table or chart. Start at Write.
//
// The page is this package's own template. go-echarts serves only to build chart options: its own
// page loads scripts from elsewhere and runs code hidden in a disk's name.
package html

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
)

//go:embed *.tmpl *.css script
var parts embed.FS

// What a page holds at most.
const (
	// Bytes of the document's data that stand in the page as they are; more are packed.
	maxSummary  = 300_000
	maxListed   = 100       // phases that show their charts
	maxUnpacked = maxListed // rows of a table in closed details that are not packed
	maxTrimmed  = 20        // rows of a table in the phases of more than that
	maxPoints   = 20_000    // numbers of plots that can be chosen
)

// page is what the template shows.
type page struct {
	Doc      *report.Document
	Policy   string
	Style    template.CSS
	Library  template.JS // the chart library; empty: pictures instead
	Script   template.JS
	Summary  template.JS // the document's data
	DataID   string      // ID of the element that holds it
	DataName string      // name of the file it is saved as
	Events   template.JS // events.jsonl, packed; empty where the page goes without
	Card     template.JS // the answer as a picture to share, packed
	Outlines []string    // symbols of the keys

	Flow *flow         // its picture; nil if it has another
	Each *report.Table // the disks of the only phase

	Body    []report.Block // all blocks of a document that is shown whole
	Folds   []*report.Details
	Phases  []*report.Details
	Parts   string // what the phases are called
	Numbers *report.Table
	Last    []*report.Details
}

// Write writes the document. Events are those of a run, for its page to carry; nil, or too long
// (see maxEvents): the page goes without.
func Write(w io.Writer, doc *report.Document, events io.Reader) error {
	if err := write(w, doc, events, library()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// write takes the chart library as an argument, so that tests see the page with and without it.
func write(w io.Writer, doc *report.Document, events io.Reader, charts []byte) error {
	p := &page{
		Doc: doc, Outlines: report.Outlines(), DataID: cmp.Or(doc.DataID, doc.Kind),
		DataName: cmp.Or(doc.DataFile, doc.Kind), Parts: cmp.Or(doc.Parts, "phases"),
	}
	if err := p.addStyles(charts); err != nil {
		return err
	}
	summary, err := json.Marshal(doc.Data)
	if err != nil {
		return fmt.Errorf("encode its data: %w", err)
	}
	p.Summary = template.JS(summary) //nolint:gosec // json.Marshal escapes what could end it
	if len(summary) > maxSummary {
		if p.Summary, err = deflate(summary); err != nil {
			return err
		}
	}
	if p.Events, err = pack(events); err != nil {
		return err
	}
	if err := p.addCard(); err != nil {
		return err
	}
	drawer := &drawer{doc: doc, static: charts == nil, charts: map[*report.Chart]place{}}
	tmpl, err := newTemplate(drawer)
	if err != nil {
		return err
	}
	if doc.Page != nil {
		if p.Flow, err = newFlow(tmpl, doc.Page.Hero); err != nil {
			return err
		}
		drawer.flow = p.Flow
	}
	p.arrangeBlocks()
	p.listPhases(drawer)
	return tmpl.Execute(w, p)
}

// addCard packs the picture that the page's button saves.
func (p *page) addCard() error {
	if p.Doc.Page == nil {
		return nil
	}
	var card bytes.Buffer
	err := plot.WriteCard(&card, p.Doc, plot.Options{})
	if err != nil {
		return err
	}
	p.Card, err = deflate(card.Bytes())
	return err
}

// quantity is a number and its unit, which belong on one line.
var quantity = regexp.MustCompile(`(\d) ((?:[KMGT]?B/s|[KMGT]?B|Gb/s|s|min|h|ms)\b)`)

// newTemplate parses the page's template, with the functions that it calls.
func newTemplate(drawer *drawer) (*template.Template, error) {
	var tmpl *template.Template
	packed := func(d *report.Details) (template.JS, error) {
		rows := 0
		for _, t := range report.Collect[*report.Table](d.Blocks) {
			rows = max(rows, len(t.Rows))
		}
		if rows <= maxUnpacked {
			return "", nil
		}
		text, err := markup(tmpl, "blocks", d.Blocks)
		if err != nil {
			return "", err
		}
		return deflate([]byte(text))
	}
	tmpl = template.New("page.tmpl").Funcs(template.FuncMap{
		"words": strings.Fields,
		"one":   func(block report.Block) []report.Block { return []report.Block{block} },
		"pair": func(axis *report.Ruler, row report.Row) any {
			return struct {
				Axis *report.Ruler
				Row  *report.Row
			}{axis, &row}
		},
		"prepare": drawer.drawChart, "class": class, "foreign": report.RightToLeft,
		"packed": packed, "prints": prints,
		"tight": func(text string) string { return quantity.ReplaceAllString(text, "$1\u00a0$2") },
		"tint":  tint, "timeline": newTimePlot,
		"flow":  drawer.flowOf,
		"width": func(s report.FlowState) float64 { return tenth(s.To - s.From) },
	})
	return tmpl.ParseFS(parts, "*.tmpl")
}

// addStyles puts in the styles and scripts, and a policy under which nothing else may load or run.
func (p *page) addStyles(charts []byte) error {
	styles := []string{"page.css", "hero.css"}
	if page := p.Doc.Page; page != nil {
		if c := page.Chart(); c != nil && c.X.Names != nil { // runs, one dot each
			styles = append(styles, "trend.css")
		}
	}
	style, styleErr := joined(styles...)
	script, scriptErr := joined("script/chart.js", "script/page.js")
	if err := errors.Join(styleErr, scriptErr); err != nil {
		return err
	}
	// The parts of the script share one scope.
	script = slices.Concat([]byte("(() => {\n\"use strict\";\n"), script, []byte("})();\n"))
	for _, text := range [][]byte{charts, script} {
		// The page would end where its script says so.
		if bytes.Contains(bytes.ToLower(text), []byte("</script")) ||
			bytes.Contains(text, []byte("<!--")) {
			return errors.New("a script holds a tag that would end it early: " +
				"rebuild it with make build")
		}
	}
	p.Style = template.CSS(style)   //nolint:gosec // this program's own file
	p.Script = template.JS(script)  //nolint:gosec // likewise
	p.Library = template.JS(charts) //nolint:gosec // likewise
	p.Policy = "default-src 'none'; img-src data:; style-src '" + hash(style) +
		"'; style-src-attr 'unsafe-inline'; script-src '" + hash(script)
	if charts != nil {
		p.Policy += "' '" + hash(charts)
	}
	p.Policy += "'; base-uri 'none'; form-action 'none'"
	return nil
}

// joined is some of this package's files, one after the other.
func joined(names ...string) (text []byte, err error) {
	for _, name := range names {
		part, err := parts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text = append(text, part...)
	}
	return text, nil
}

// hash is a source expression of a Content-Security-Policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// deflate is text as base64 of its gzip, in a JSON string.
func deflate(text []byte) (template.JS, error) {
	zipped, err := zip(text)
	return template.JS(`"` + base64.StdEncoding.EncodeToString(zipped) + `"`), err //nolint:gosec // letters of base64
}
