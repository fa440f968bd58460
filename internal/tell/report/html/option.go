package html

import (
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// live is what the page's script needs to draw a figure: the option, and what its functions look up. In the option,
// colours are "@name" tokens of the style sheet and functions are names from the script's allow-list. Names that people
// chose never stand where either is resolved.
type live struct {
	Option map[string]any `json:"option"`
	View   view           `json:"view"`
	// Columns are the numbers of each series. A column's numbers are like each other, and pack a third smaller than rows.
	Columns [][][]float64 `json:"columns"`
	height  int           // pixels
}

// view is what the page's script looks up for a figure.
type view struct {
	Title  string           `json:"title"` // of a saved picture
	Origin string           `json:"origin"`
	Zoom   bool             `json:"zoom,omitempty"`
	Also   string           `json:"also,omitempty"` // the name of marks to be shown on demand
	Keys   []report.Key     `json:"keys"`
	X      report.Axis      `json:"x"`
	Panels []report.Axis    `json:"panels"`
	Marks  []report.OldMark `json:"marks"` // of the option's series, in its order
	Place  []int            `json:"place"` // the panel of each
}

// The places of a figure's parts in pixels.
const (
	headHeight = 34 // above the first panel: its name
	panelGap   = 34 // between panels: room for the next one's name
	rowsGap    = 28 // the same between panels of rows
	footHeight = 42 // the horizontal axis
	bareFoot   = 6  // one without values
	zoomHeight = 26 // the slider below it
)

func newLive(doc *report.Document, f *report.Figure) live {
	v := view{
		Title: report.Clean(f.Title), Origin: report.PictureOrigin(doc, f), Zoom: f.Wide, Also: f.Also,
		Keys: f.Keys, X: f.X,
	}
	c := charts.NewCustom()
	var data [][][]float64
	add := func(m *report.OldMark, panel int) {
		addSeries(c, len(v.Marks), panel, m)
		v.Marks, v.Place, data = append(v.Marks, *m), append(v.Place, panel), append(data, columns(m.Rows))
	}
	for i, panel := range f.Panels {
		v.Panels = append(v.Panels, panel.Y)
		for _, m := range panel.Marks {
			add(&m, i)
		}
	}
	// What is written in the panels is placed last and together, so that nothing covers anything.
	for i := range f.Panels {
		add(&report.OldMark{Shape: "words", Key: report.None, Rows: [][]float64{{f.X.Min, f.Panels[i].Y.Min}}}, i)
	}
	c.Validate()
	grids, height := grids(f)
	option := c.JSON()
	for _, unused := range []string{"title", "toolbox", "color"} { // every series says its own colour
		delete(option, unused)
	}
	axes := make([]int, len(f.Panels))
	for i := range axes {
		axes[i] = i
	}
	option["animation"], option["legend"] = false, object{"show": false}
	option["grid"], option["xAxis"], option["yAxis"] = grids, xAxes(f), yAxes(f)
	tip := object{
		"show": true, "trigger": "item", "formatter": "itemTip", "confine": true, "className": "tip", "padding": 0,
		"borderWidth": 0, "transitionDuration": 0,
	}
	if f.Wide {
		option["dataZoom"] = zooms(axes)
		tip["trigger"], tip["formatter"] = "axis", "lineTip"
		option["axisPointer"] = object{"type": "line", "link": []object{{"xAxisIndex": axes}}}
	}
	option["tooltip"] = tip
	return live{Option: option, View: v, Columns: data, height: height}
}

// columns turns rows of one length on their side.
func columns(rows [][]float64) [][]float64 {
	if len(rows) == 0 {
		return [][]float64{}
	}
	out := make([][]float64, len(rows[0]))
	for i := range out {
		out[i] = make([]float64, len(rows))
		for j, row := range rows {
			out[i][j] = row[i]
		}
	}
	return out
}

// addSeries puts a mark on a panel, to be drawn row by row by the script's function of the shape's name. A step is
// a line of the library's own.
func addSeries(c *charts.Custom, number, panel int, m *report.OldMark) {
	name := "mark" + strconv.Itoa(number)
	place := func(s *charts.SingleSeries) {
		s.XAxisIndex, s.YAxisIndex, s.Animation = panel, panel, nil // the chart's own says it
	}
	if m.Shape == report.Step {
		line := charts.NewLine()
		line.AddSeries(name, nil, charts.WithSeriesOpts(place), charts.WithSeriesOpts(func(s *charts.SingleSeries) {
			s.Step, s.ShowSymbol, s.Symbol = "end", opts.Bool(false), "none"
			s.LineStyle = &opts.LineStyle{Color: "@ink", Width: 1.5}
			s.ItemStyle = &opts.ItemStyle{Color: "@ink"}
			s.AreaStyle = &opts.AreaStyle{Color: "@area", Opacity: opts.Float(1)}
		}))
		c.Overlap(line)
		return
	}
	c.AddSeries(name, nil, charts.WithSeriesOpts(place), charts.WithSeriesOpts(func(s *charts.SingleSeries) {
		s.RenderItem = types.FuncStr(m.Shape)
		x, y := m.Axes()
		s.Encode = &opts.Encode{X: numbered(0, x), Y: numbered(x, y)}
	}))
}

// numbered are the numbers of n columns from the first on, as ECharts takes them: one as itself.
func numbered(first, n int) any {
	switch n {
	case 0:
		return nil
	case 1:
		return first
	}
	return []int{first, first + 1, first + 2}[:n]
}

type object = map[string]any

// grids are the places of the panels, one above the other, and the height of all.
func grids(f *report.Figure) (list []opts.Grid, height int) {
	top, gap := headHeight, 0
	if f.Panels[0].Y.Name == "" || f.Panels[0].Y.Bare { // words in it say what it is
		top = headHeight / 3
	}
	for _, panel := range f.Panels {
		list = append(list, opts.Grid{Top: strconv.Itoa(top), Height: strconv.Itoa(panel.Height)})
		if gap = panelGap; panel.Y.Rows {
			gap = rowsGap
		}
		top += panel.Height + gap
	}
	height = top - gap + footHeight
	if f.X.Bare {
		height += bareFoot - footHeight
	}
	if f.Wide {
		height += zoomHeight
	}
	return list, height
}

func shown(show bool, colour string) object {
	return object{"show": show, "onZero": false, "lineStyle": object{"color": colour}}
}

// format is the script's function that writes a unit.
func format(in report.Unit) string {
	return map[report.Unit]string{
		report.Plain: "plain", report.Seconds: "seconds", report.Bytes: "bytes",
	}[in]
}

// scale is the kind of an axis.
func scale(logarithmic bool) string {
	if logarithmic {
		return "log"
	}
	return "value"
}

// xAxes are the one horizontal axis under each panel, with values under the last.
func xAxes(f *report.Figure) []object {
	out := make([]object, len(f.Panels))
	upright := slices.ContainsFunc(f.Panels, func(p report.Panel) bool { return !p.Y.Rows })
	for i := range out {
		last := i == len(out)-1
		out[i] = object{
			"type": scale(f.X.Log), "min": f.X.Min, "max": f.X.Max, "gridIndex": i, "nameLocation": "middle",
			"nameTextStyle": object{"color": "@muted", "fontSize": 12, "padding": []int{14, 0, 0, 0}},
			"axisLine":      shown(upright, "@axis"),
			"axisTick":      shown(last && upright, "@axis"),
			"splitLine":     shown(!upright && !f.X.Bare, "@line"),
			"axisLabel": object{
				"show": last && !f.X.Bare, "color": "@muted", "fontSize": 12, "formatter": format(f.X.Unit), "hideOverlap": true,
				"showMaxLabel": false,
			},
		}
		if last && !f.X.Bare {
			out[i]["name"] = f.X.Name
		}
	}
	return out
}

func yAxes(f *report.Figure) []object {
	out := make([]object, len(f.Panels))
	for i, panel := range f.Panels {
		y := panel.Y
		out[i] = object{
			"min": y.Min, "max": y.Max, "gridIndex": i, "name": y.Name, "nameGap": 8, "inverse": y.Rows,
			"splitNumber": max(2, panel.Height/50),
			"nameTextStyle": object{
				"align": "left", "color": "@ink", "fontWeight": 600, "fontSize": 13, "padding": []int{0, 0, 2, 0},
			},
			"axisLine":  shown(y.Rows, "@axis"),
			"axisTick":  shown(false, "@axis"),
			"splitLine": shown(!y.Rows && !y.Bare, "@line"),
			"axisLabel": object{
				"show": !y.Rows && !y.Bare, "color": "@muted", "fontSize": 12, "showMaxLabel": false, "formatter": format(y.Unit),
			},
		}
		if y.Rows {
			out[i]["nameLocation"] = "start"
		}
		if y.Bare {
			delete(out[i], "name")
		}
	}
	return out
}

// zooms are a slider under the panels and, inside them, pinching and the wheel with Ctrl: the bare wheel scrolls the
// page, and dragging marks the stretch to zoom to, which the script sees to.
func zooms(axes []int) []object {
	return []object{
		{
			"type": "inside", "xAxisIndex": axes, "filterMode": "none", "zoomOnMouseWheel": "ctrl", "moveOnMouseMove": false,
			"moveOnMouseWheel": false, "preventDefaultMouseMove": false,
		},
		{
			"type": "slider", "xAxisIndex": axes, "filterMode": "none", "bottom": 4, "height": 16, "showDetail": false,
			"brushSelect": false, "showDataShadow": false, "moveHandleSize": 0, "borderColor": "@line", "fillerColor": "@area",
			"backgroundColor": "@none", "handleStyle": object{"color": "@surface", "borderColor": "@axis"},
		},
	}
}
