package html

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// figure is what the page's script needs to draw a chart: the option, and what its functions look up.
// In the option, colours are "@name" tokens of the style sheet and functions are names from the script's
// allow-list. Names that people chose never stand where either is resolved.
type figure struct {
	Option map[string]any `json:"option"`
	View   view           `json:"view"`
	Height int            `json:"-"` // pixels
}

// encode makes the figure safe inside a script element: json.Marshal escapes <, > and &.
func (f figure) encode() (template.JS, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("encode a chart: %w", err)
	}
	return template.JS(text), nil //nolint:gosec // see above: it cannot end the element
}

// view is what the page's script looks up for a figure.
type view struct {
	Kind   string     `json:"kind"` // time, or items that are read one by one
	Disks  []viewDisk `json:"disks"`
	Unit   string     `json:"unit"`
	Gutter int        `json:"gutter"`           // pixels left of the panels
	Window string     `json:"window,omitempty"` // the label of the overlap
	Mean   string     `json:"mean,omitempty"`   // what the overlap's rate is called
	Limit  string     `json:"limit,omitempty"`  // the link's name
	Fit    bool       `json:"fit,omitempty"`    // has regression lines to show on demand
}

// viewDisk is a disk as the page's script names and colours it.
type viewDisk struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	Index int    `json:"index"`
}

// visitor adds to go-echarts' options the keys of ECharts that it has no field for.
type visitor struct {
	charts.BaseConfigurationVisitor
	zoom  []zoom
	xTick string // the script's function for the labels of the horizontal axes
	rows  bool   // a row per disk in place of a vertical scale
}

type xAxis struct {
	opts.XAxis
	NameTextStyle nameStyle `json:"nameTextStyle"`
	AxisLine      axisLine  `json:"axisLine"`
	AxisTick      axisLine  `json:"axisTick"`
	AxisLabel     axisLabel `json:"axisLabel"`
	SplitLine     splitLine `json:"splitLine"`
}

type yAxis struct {
	opts.YAxis
	NameTextStyle nameStyle `json:"nameTextStyle"`
	AxisLine      axisLine  `json:"axisLine"`
	AxisTick      axisLine  `json:"axisTick"`
	AxisLabel     axisLabel `json:"axisLabel"`
	SplitLine     splitLine `json:"splitLine"`
}

type nameStyle struct {
	Align      string `json:"align"`
	Color      string `json:"color"`
	FontWeight int    `json:"fontWeight"`
	FontSize   int    `json:"fontSize"`
	Padding    []int  `json:"padding"`
}

type axisLine struct {
	Show      bool      `json:"show"`
	OnZero    bool      `json:"onZero"`
	LineStyle lineStyle `json:"lineStyle"`
}

type axisLabel struct {
	Show        bool   `json:"show"`
	Color       string `json:"color"`
	FontSize    int    `json:"fontSize"`
	Formatter   string `json:"formatter,omitempty"`
	HideOverlap bool   `json:"hideOverlap"`
	ShowMax     bool   `json:"showMaxLabel"`
}

type splitLine struct {
	Show      bool      `json:"show"`
	LineStyle lineStyle `json:"lineStyle"`
}

type lineStyle struct {
	Color string `json:"color"`
}

type tooltip struct {
	opts.Tooltip
	Confine            bool    `json:"confine"`
	ClassName          string  `json:"className"`
	Padding            int     `json:"padding"`
	BorderWidth        int     `json:"borderWidth"`
	TransitionDuration float64 `json:"transitionDuration"`
}

// zoom is a dataZoom with the fields of its two kinds.
type zoom struct {
	Type         string `json:"type"`
	XAxisIndex   []int  `json:"xAxisIndex"`
	FilterMode   string `json:"filterMode"`
	ZoomOnWheel  any    `json:"zoomOnMouseWheel,omitempty"`
	MoveOnWheel  bool   `json:"moveOnMouseWheel"`
	PreventMove  bool   `json:"preventDefaultMouseMove"`
	Bottom       int    `json:"bottom,omitempty"`
	Height       int    `json:"height,omitempty"`
	ShowDetail   bool   `json:"showDetail"`
	BrushSelect  bool   `json:"brushSelect"`
	BorderColor  string `json:"borderColor,omitempty"`
	FillerColor  string `json:"fillerColor,omitempty"`
	Background   string `json:"backgroundColor,omitempty"`
	ShowShadow   bool   `json:"showDataShadow"`
	MoveHandle   int    `json:"moveHandleSize"`
	HandleStyle  any    `json:"handleStyle,omitempty"`
	MinValueSpan any    `json:"minValueSpan,omitempty"`
}

func (v visitor) VisitXAxis(axes []opts.XAxis) any {
	out := make([]xAxis, len(axes))
	for i, axis := range axes {
		last := i == len(axes)-1
		out[i] = xAxis{
			XAxis:         axis,
			NameTextStyle: nameStyle{Align: "right", Color: "@muted", FontWeight: 400, FontSize: 12, Padding: []int{0, 0, 0, 0}},
			AxisLine:      axisLine{Show: !v.rows, LineStyle: lineStyle{"@axis"}},
			AxisTick:      axisLine{Show: last && !v.rows, LineStyle: lineStyle{"@axis"}},
			AxisLabel:     axisLabel{Show: last, Color: "@muted", FontSize: 12, Formatter: v.xTick, HideOverlap: true, ShowMax: v.rows},
			SplitLine:     splitLine{Show: v.rows, LineStyle: lineStyle{"@line"}},
		}
	}
	return out
}

func (v visitor) VisitYAxis(axes []opts.YAxis) any {
	out := make([]yAxis, len(axes))
	for i, axis := range axes {
		values := axis.AxisLabel == nil // the panel of files has rows, and hides its labels
		out[i] = yAxis{
			YAxis:         axis,
			NameTextStyle: nameStyle{Align: "left", Color: "@ink", FontWeight: 600, FontSize: 13, Padding: []int{0, 0, 2, 0}},
			AxisLine:      axisLine{Show: !values, LineStyle: lineStyle{"@axis"}},
			AxisTick:      axisLine{Show: false},
			AxisLabel:     axisLabel{Show: values, Color: "@muted", FontSize: 12, ShowMax: true},
			SplitLine:     splitLine{Show: values, LineStyle: lineStyle{"@line"}},
		}
	}
	return out
}

func (v visitor) VisitTooltipOpt(tip opts.Tooltip) any {
	return tooltip{Tooltip: tip, Confine: true, ClassName: "tip", Padding: 0}
}

func (v visitor) VisitDataZooms([]opts.DataZoom) any { return v.zoom }

func (v visitor) Visit(option map[string]any) {
	delete(option, "title")
	delete(option, "toolbox")
	delete(option, "color") // every series says its own, as a token of the style sheet
}

// function names an entry of the script's allow-list.
func function(name string) types.FuncStr { return types.FuncStr(name) }

// fixed rounds to a number of decimals, so that the page carries no noise.
func fixed(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(x*scale) / scale
}

// significant rounds to four significant figures: finer than any screen.
func significant(x float64) float64 { return figures(x, 4) }

// precise rounds to as many figures as make no difference to the three that are shown: 0.69849 must not
// become 0.6985 here and 0.699 there.
func precise(x float64) float64 { return figures(x, 9) }

func figures(x float64, n int) float64 {
	if x == 0 {
		return 0
	}
	return fixed(x, n-1-int(math.Floor(math.Log10(math.Abs(x)))))
}
