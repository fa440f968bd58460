package html

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/plot"
)

// drawer prepares a document's charts for the template.
type drawer struct {
	doc    *report.Document
	static bool // pictures in place of live charts
	charts map[*report.Chart]place
	flow   *flow // the page's; nil if it has another picture
}

// place is where a chart stands in the page.
type place struct {
	id     string
	packed bool // its option is, until it is shown
}

// flowOf returns the page's picture of cables; nil if it has another.
func (d *drawer) flowOf(h report.Hero) *flow {
	if d.flow == nil || h != report.Hero(d.flow.Flow) {
		return nil
	}
	return d.flow
}

// nameCharts gives the charts among the blocks their IDs.
func (d *drawer) nameCharts(prefix string, blocks []report.Block, packed bool) {
	for _, c := range report.Collect[*report.Chart](blocks) {
		d.charts[c] = place{prefix + "-" + c.ID, packed}
	}
}

// drawn is a chart as the template shows it.
type drawn struct {
	*report.Chart
	ID      string
	Words   string
	JSON    template.JS  // options of the live chart
	Picture template.URL // in place of it
	Height  int          // pixels
}

func (d *drawer) drawChart(c *report.Chart) (drawn, error) {
	out := drawn{Chart: c, ID: d.charts[c].id, Words: c.Describe(), Height: height(c)}
	if d.static {
		var svg bytes.Buffer
		if err := plot.Write(&svg, d.doc, c, plot.Options{}); err != nil {
			return out, err
		}
		// Made by this program, letter by letter of base64: nothing in it can end the attribute.
		text := base64.StdEncoding.EncodeToString(svg.Bytes())
		out.Picture = template.URL("data:image/svg+xml;base64," + text) //nolint:gosec // see above
		return out, nil
	}
	text, err := json.Marshal(newLive(d.doc, c))
	if err != nil {
		return out, fmt.Errorf("chart %s: %w", c.ID, err)
	}
	if d.charts[c].packed {
		out.JSON, err = deflate(text)
	} else {
		//nolint:gosec // json.Marshal escapes what could end the element
		out.JSON = template.JS(text)
	}
	return out, err
}

// class is a cell's: numbers stand to the right, what is long may wrap.
func class(column report.Column, cell report.Cell) string {
	var names []string
	if column.Numbers {
		names = append(names, "num")
	}
	if cell.NoReference {
		names = append(names, "unknown")
	}
	if len(cell.Text) > 40 {
		names = append(names, "wrap")
	}
	return strings.Join(names, " ")
}

// dist holds echarts.js.gz once bundle.go has run, and always a README, so that it can be embedded.
//
//go:embed all:dist
var dist embed.FS

// library is the chart library, or nil in a binary that was built without it.
func library() []byte {
	file, err := dist.Open("dist/echarts.js.gz")
	if err != nil {
		return nil
	}
	var text []byte
	script, err := gzip.NewReader(file)
	if err == nil {
		text, err = io.ReadAll(script)
	}
	if err != nil {
		panic("charts of this program: " + err.Error())
	}
	return text
}
