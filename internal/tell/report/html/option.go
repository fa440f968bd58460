package html

import (
	"strconv"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// live is what the page's script needs to draw a chart: the option, and what its functions look up.
// In the option, colours are "@name" tokens of the style sheet and functions are names from the
// script's allow-list. Names that people chose never stand where either is resolved.
type live struct {
	Option map[string]any `json:"option"`
	View   view           `json:"view"`
	// Columns are the numbers of each series. A column's numbers are like each other, and pack a
	// third smaller than rows.
	Columns [][][]*float64 `json:"columns"`
}

// view is what the page's script looks up for a chart.
type view struct {
	Picture object               `json:"picture"` // what a saved picture has in place of the same of the option
	Keys    []report.LegendKey   `json:"keys"`
	Symbols []string             `json:"symbols"` // one symbol a key
	Rows    []string             `json:"rows,omitempty"`
	X       report.Axis          `json:"x"`
	Y       report.Axis          `json:"y"`
	Series  []report.ChartSeries `json:"series"` // the option's first; those after them are only to be seen
	Texts   []string             `json:"texts"`  // the text of each line
}

// The height of a chart in pixels.
const (
	planeHeight = 330
	rowHeight   = 30
	rowsFrame   = 3 * rowHeight // above and below rows
	zoomSpace   = rowHeight
)

func height(c *report.Chart) int {
	switch {
	case len(c.Rows) > 0:
		return rowsFrame + rowHeight*len(c.Rows)
	case c.Wide:
		return planeHeight + zoomSpace
	}
	return planeHeight
}

// builder makes a chart's option, a series after the other.
type builder struct {
	*charts.Line
	chart *report.Chart
	live  live
}

func newLive(doc *report.Document, c *report.Chart) live {
	b := builder{charts.NewLine(), c, live{View: view{
		Keys: append([]report.LegendKey{}, c.Keys...), Rows: c.Rows, X: c.X, Y: c.Y,
		Symbols: []string{}, Series: c.Series, Texts: []string{},
	}}}
	for _, key := range c.Keys {
		b.live.View.Symbols = append(b.live.View.Symbols, symbol(key))
	}
	for i := range c.Series {
		b.addSeries(&c.Series[i])
	}
	for _, band := range c.Bands {
		area := &opts.AreaStyle{
			Color: "@" + paint(nil, report.None, band.Tone, "ink"), Opacity: opts.Float(0.1),
			Origin: "start",
		}
		if band.Tone == report.Unsigned {
			area.Opacity = opts.Float(0.05)
		}
		ends := [][]float64{{band.From, c.Y.Max}, {band.To, c.Y.Max}}
		b.addLine(report.None, band.Text, ends, area, opts.LineStyle{Color: "transparent"})
	}
	for _, s := range c.Series {
		for _, bar := range s.Points {
			low, high, known := report.Interval(bar)
			if s.Kind == report.Bar && known {
				ends := [][]float64{{low, bar[0]}, {high, bar[0]}}
				b.addLine(report.None, "", ends, nil, opts.LineStyle{Color: "@ink", Width: 1.5})
			}
		}
	}
	for i := range c.Marks {
		m := &c.Marks[i]
		x1, y1, x2, y2 := m.Ends(c)
		ends := [][]float64{{x1, y1}, {x2, y2}}
		if m.Upright { // its text stands at its head
			ends = [][]float64{{x2, y2}, {x1, y1}}
		}
		stroke := opts.LineStyle{
			Color: "@" + paint(c.Keys, m.Key, m.Tone, "soft"), Type: "dashed", Width: 1.3,
		}
		b.addLine(m.Key, m.Text, ends, nil, stroke)
	}
	b.addAxes()
	b.Validate()
	option := b.JSON()
	// Every series says its own colour.
	for _, unused := range []string{"title", "toolbox", "color"} {
		delete(option, unused)
	}
	option["animation"] = false
	option["legend"] = object{"show": false}
	tip := object{
		"trigger": "item", "formatter": "tip", "confine": true, "className": "tip", "padding": 0,
		"borderWidth":        0,
		"transitionDuration": 0,
	}
	if c.Drawn() {
		tip["trigger"] = "axis"
	}
	grid := frame(36, 8)
	if c.Wide {
		grid["bottom"] = zoomSpace
		option["dataZoom"] = []object{{ // a slider below the plane
			"type": "slider", "filterMode": "none", "bottom": edge, "height": 16,
			"showDetail": false, "showDataShadow": false, "moveHandleSize": 0,
			"borderColor": "@line", "fillerColor": "@pill", "backgroundColor": "transparent",
			"handleStyle": object{"color": "@card", "borderColor": "@faint"},
		}}
	}
	option["tooltip"], option["grid"] = tip, grid
	b.live.Option = option
	keys := []object{}
	for i, symbol := range b.live.View.Symbols {
		keys = append(keys, object{"name": "k" + strconv.Itoa(i), "icon": "path://" + symbol})
	}
	b.live.View.Picture = picture(report.Clean(c.Title), report.ChartOrigin(doc, c), keys)
	return b.live
}

// picture is what a saved chart has besides: its title, its keys and where it comes from.
func picture(title, origin string, keys []object) object {
	return object{
		"title": []object{
			{"text": title},
			{"text": origin, "bottom": edge, "textStyle": object{"fontSize": 10, "color": "@soft"}},
		},
		"legend": object{"top": 32, "left": 0, "selectedMode": false, "data": keys,
			"formatter": "key"},
		"grid":     frame(100, 36),
		"dataZoom": []object{},
	}
}

// edge is the space at the left of a chart and below what stands under it.
const edge = 4

// frame leaves space around a chart's plane.
func frame(top, bottom int) object {
	return object{"left": edge, "right": 24, "top": top, "bottom": bottom,
		"outerBoundsMode": "same"}
}

type object = map[string]any

// symbolSize is that of a key's symbol in pixels.
const symbolSize = 7

// paint names a colour of the style sheet: a key's, a tone's if there is no key, or the plain one.
func paint(keys []report.LegendKey, key int, tone report.Sign, plain string) string {
	switch {
	case key != report.None:
		return "c" + strconv.Itoa(keys[key].Colour())
	case tone == report.Good:
		return "good"
	case tone == report.Doubt:
		return "mid"
	case tone == report.Bad:
		return "bad"
	}
	return plain
}

// symbol is a key's outline as a path.
func symbol(key report.LegendKey) string {
	points := report.Outlines()[key.Symbol()]
	if points == "" {
		return "M9,0A9,9 0 1 1 -9,0A9,9 0 1 1 9,0Z"
	}
	return "M" + strings.ReplaceAll(points, " ", "L") + "Z"
}

// addSeries adds a series. All of one key have one name, by which the script hides them together.
func (b *builder) addSeries(s *report.ChartSeries) {
	b.live.Columns = append(b.live.Columns, columns(s.Points))
	fill := "@" + paint(b.chart.Keys, s.Key, report.Unsigned, "ink")
	opacity := float32(1)
	if s.Faint {
		opacity = 0.4
	}
	look := charts.WithSeriesOpts(func(out *charts.SingleSeries) {
		out.Animation = nil // the chart's own says it
		out.ItemStyle = &opts.ItemStyle{Color: fill, Opacity: opts.Float(opacity)}
		switch s.Kind {
		case report.Line:
			out.LineStyle = &opts.LineStyle{Color: fill,
				Opacity: opts.Float(opacity), Width: 2}
			out.ShowSymbol = opts.Bool(false)
		case report.Dots:
			out.Symbol, out.SymbolSize = "path://"+b.live.View.Symbols[s.Key], symbolSize
		case report.Bar:
			out.BarGap, out.BarWidth = "-100%", "10" // one over the other
			if b.chart.Series[0].Faint {
				out.BarGap = "-75%" // in the middle of one twice as wide
			}
			out.Encode = &opts.Encode{X: 1, Y: 0}
			if s.Faint {
				out.BarWidth = "20"
			}
		case report.Files:
			out.RenderItem = "file"
			out.Encode = &opts.Encode{X: []int{0, 1}, Y: 2}
		}
	})
	name := "k" + strconv.Itoa(s.Key)
	switch s.Kind {
	case report.Line:
		b.AddSeries(name, nil, look)
	case report.Dots:
		b.Overlap(charts.NewScatter().AddSeries(name, nil, look))
	case report.Bar:
		b.Overlap(charts.NewBar().AddSeries(name, nil, look))
	case report.Files:
		b.Overlap(charts.NewCustom().AddSeries(name, nil, look))
	}
}

// addLine adds a line that is only to be seen, with its text at its first point, and the area below
// it if that has a style.
func (b *builder) addLine(
	key int, text string, ends [][]float64, area *opts.AreaStyle, stroke opts.LineStyle,
) {
	b.live.Columns = append(b.live.Columns, columns(ends))
	b.live.View.Texts = append(b.live.View.Texts, report.Clean(text))
	b.AddSeries("k"+strconv.Itoa(key), nil, charts.WithSeriesOpts(func(s *charts.SingleSeries) {
		s.Animation = nil
		s.Symbol = "none"
		s.AreaStyle = area
		s.LineStyle = &stroke
		if text == "" {
			return
		}
		s.Symbol, s.SymbolSize, s.ShowSymbol = "circle", 0.1, opts.Bool(true)
		s.Label = &opts.Label{
			Show: opts.Bool(true), Formatter: "text", Color: "@ink", Position: "right",
		}
		if key != report.None {
			s.Symbol, s.SymbolSize = "path://"+b.live.View.Symbols[key], symbolSize
			s.ItemStyle = &opts.ItemStyle{Color: stroke.Color}
		}
	}))
}

// addAxes adds both axes. Bars take a row each.
func (b *builder) addAxes() {
	c := b.chart
	rows := len(c.Rows) > 0
	foot := &opts.AxisLine{OnZero: opts.Bool(false), LineStyle: &opts.LineStyle{Color: "@faint"}}
	x := opts.XAxis{
		Type: scale(c.X), Name: c.X.Name, NameLocation: "middle", NameGap: 28, Min: c.X.Min,
		Max:       c.X.Max,
		AxisLabel: label(c.X), SplitLine: grid(rows), AxisLine: foot,
	}
	y := opts.YAxis{
		Type: scale(c.Y), Name: c.Y.Name, NameGap: 14, Min: c.Y.Min, Max: c.Y.Max,
		AxisLabel: label(c.Y), SplitLine: grid(!rows), AxisLine: foot,
	}
	if rows {
		y.Inverse = opts.Bool(true)
		y.AxisLabel.Formatter = "row"
		y.AxisLabel.ShowMaxLabel = nil
		y.AxisLabel.HideOverlap = nil
		var numbers []int
		for i := range c.Rows {
			numbers = append(numbers, i)
		}
		y.Type = "category"
		y.Min = nil
		y.Max = nil
		y.Data = numbers
	}
	b.SetGlobalOptions(charts.WithXAxisOpts(x), charts.WithYAxisOpts(y))
}

// label writes the values of an axis in its unit. The end of one that is no power of ten is no
// round number.
func label(a report.Axis) *opts.AxisLabel {
	name := types.FuncStr("plain")
	switch a.Unit {
	case report.Seconds:
		name = "seconds"
	case report.Bytes:
		name = "bytes"
	}
	return &opts.AxisLabel{Show: opts.Bool(true), Color: "@soft", Formatter: name,
		HideOverlap: opts.Bool(true), ShowMaxLabel: opts.Bool(a.Log)}
}

func grid(show bool) *opts.SplitLine {
	return &opts.SplitLine{Show: opts.Bool(show), LineStyle: &opts.LineStyle{Color: "@line"}}
}

func scale(a report.Axis) string {
	if a.Log {
		return "log"
	}
	return "value"
}

// columns turns rows on their side. What a row lacks, such as a bar without an interval, is null.
func columns(rows [][]float64) [][]*float64 {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	out := make([][]*float64, width)
	for i := range out {
		out[i] = make([]*float64, len(rows))
		for j, row := range rows {
			if i < len(row) {
				out[i][j] = &row[i]
			}
		}
	}
	return out
}
