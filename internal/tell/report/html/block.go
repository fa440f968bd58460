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
	"github.com/hubbench/hubbench/internal/tell/report/picture"
)

// drawer prepares a document's figures for the template.
type drawer struct {
	doc    *report.Document
	static bool
	pack   bool // the options, as gzip
	// scripted figures are of a phase that is seen only with scripts, and need no picture for readers without.
	scripted bool
	ids      map[*report.Chart]string
}

// name gives the figures among the blocks their IDs.
func (d *drawer) name(prefix string, blocks []report.Block) {
	for _, f := range report.Collect[*report.Chart](blocks) {
		d.ids[f] = prefix + "-" + f.ID
	}
}

// drawn is a figure as the template shows it.
type drawn struct {
	*report.Figure
	ID      string
	Words   string
	JSON    template.JS  // of the live chart
	Picture template.URL // the same without scripts, where it is needed
	Height  int          // pixels
	Static  bool
	Packed  bool
}

func (d *drawer) prepare(f *report.Figure) (drawn, error) {
	out := drawn{Figure: f, ID: f.ID, Words: f.Describe(), Static: d.static}
	if d.static || f.Wide && !d.scripted {
		var svg bytes.Buffer
		if err := picture.Write(&svg, d.doc, f, picture.Options{}); err != nil {
			return out, fmt.Errorf("figure %s: %w", f.ID, err)
		}
		// Made by this program, letter by letter of base64: nothing in it can end the attribute.
		text := base64.StdEncoding.EncodeToString(svg.Bytes())
		out.Picture = template.URL("data:image/svg+xml;base64," + text) //nolint:gosec // see above
	}
	if d.static {
		return out, nil
	}
	live := newLive(d.doc, f)
	text, err := json.Marshal(live)
	if err != nil {
		return out, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	if d.pack {
		out.Packed = true
		out.JSON, err = deflate(text)
	} else {
		out.JSON = template.JS(text) //nolint:gosec // json.Marshal escapes what could end the element
	}
	out.Height = live.height
	return out, err
}

// class is a cell's: numbers stand to the right, shares are coloured in steps of a tenth.
func class(column report.Column, cell report.Cell) string {
	var names []string
	if column.Numbers {
		names = append(names, "num")
	}
	if cell.Heat != nil {
		names = append(names, fmt.Sprintf("heat h%d", min(10, max(0, int(*cell.Heat*10+0.5)))))
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
	script, err := gzip.NewReader(file)
	if err != nil {
		panic("charts of this program: " + err.Error())
	}
	text, err := io.ReadAll(script)
	if err != nil {
		panic("charts of this program: " + err.Error())
	}
	return text
}
