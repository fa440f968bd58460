package html

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// The heights of the timeline's parts in pixels.
const (
	speedHeight = 250
	totalHeight = 110
	rowHeight   = 26 // of a disk in the panel of files
	panelGap    = 48 // between panels: room for the next one's name
	headHeight  = 34
	footHeight  = 78 // time labels and the slider
	sliderSize  = 22
)

// timeline is the three linked panels: speed, total, files.
func timeline(line *chart.Timeline, found *analysis.Phase, by chart.Scale) figure {
	t := &timelineChart{Custom: charts.NewCustom(), line: line, scale: by.Size, decimals: timeDecimals(line)}
	v := view{Kind: "time", Unit: by.Unit, Window: windowLabel(found), Mean: "in the overlap"}
	if found.Overlap != nil && len(found.Overlap.Disks) == 1 {
		v.Mean = "on average"
	}
	if oneWayLimit(found) != nil {
		v.Limit = "a limit the disks share"
	}
	for _, lane := range line.Disks {
		v.Disks = append(v.Disks, viewDisk{Name: lane.Disk, Op: string(lane.Op), Index: lane.Index})
	}
	v.Gutter = gutter(v.Disks)
	height := t.frame(by.Unit)
	t.windows(v.Window != "")
	for i := range line.Disks {
		t.lane(i)
	}
	names(t.Custom, 2, len(line.Disks))
	add(t.Custom, "ends", 0, "ends", t.ends, opts.Encode{X: 0, Y: 1})
	t.total()
	t.overlap(found)
	t.Validate()
	return figure{Option: t.JSON(), View: v, Height: height}
}

// timelineChart is the chart in the making.
type timelineChart struct {
	*charts.Custom
	line     *chart.Timeline
	scale    float64     // of the page's unit of rates
	decimals int         // of a second
	ends     [][]float64 // where each disk's name stands in the speed panel
}

// frame sets up the panels one above the other, and returns the height of all.
func (t *timelineChart) frame(unit string) int {
	t.Accept(visitor{zoom: zooms([]int{0, 1, 2}), xTick: "seconds"})
	t.ExtendXAxis(opts.XAxis{}, opts.XAxis{})
	t.ExtendYAxis(opts.YAxis{}, opts.YAxis{})
	top := headHeight
	grid := func(height int) opts.Grid {
		g := opts.Grid{Left: "52", Right: "24", Top: strconv.Itoa(top), Height: strconv.Itoa(height)}
		top += height + panelGap
		return g
	}
	axis := func(i int) charts.GlobalOpts {
		return charts.WithXAxisOpts(opts.XAxis{Type: "value", Min: 0, Max: t.seconds(t.line.EndS), GridIndex: i}, i)
	}
	disks := len(t.line.Disks)
	t.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(grid(speedHeight), grid(totalHeight), grid(rowHeight*disks)),
		axis(0), axis(1), axis(2),
		charts.WithYAxisOpts(opts.YAxis{Name: speedName(t.line) + ", " + unit, Type: "value", Min: 0, SplitNumber: 5}, 0),
		charts.WithYAxisOpts(opts.YAxis{Name: "total, " + unit, Type: "value", Min: 0, SplitNumber: 3, GridIndex: 1}, 1),
		charts.WithYAxisOpts(opts.YAxis{
			Name: "files in transfer", NameLocation: "start", Type: "value", Min: -0.5, Max: float64(disks) - 0.5, Inverse: opts.Bool(true),
			AxisLabel: &opts.AxisLabel{Show: opts.Bool(false)}, GridIndex: 2,
		}, 2),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: function("timeTip")}),
		charts.WithAxisPointerOpts(&opts.AxisPointer{Type: "line", Link: []opts.AxisPointerLink{{XAxisIndex: []int{0, 1, 2}}}}),
		charts.WithDataZoomOpts(opts.DataZoom{}), // one at least, or the visitor is not asked for its own
	)
	return top - panelGap + footHeight
}

// windows shades the overlap in every panel; the widest stretch carries its name in the first.
func (t *timelineChart) windows(named bool) {
	for panel := range 3 {
		rows := make([][]float64, len(t.line.Windows))
		for i, span := range t.line.Windows {
			rows[i] = []float64{t.seconds(span.StartS), t.seconds(span.EndS), 0}
			if named && panel == 0 && widest(t.line.Windows) == i {
				rows[i][2] = 1
			}
		}
		add(t.Custom, "window", panel, "shade", rows, opts.Encode{X: []int{0, 1}})
	}
}

// lane adds a disk: its files in the speed panel, or bands and outliers, and its row of blocks.
func (t *timelineChart) lane(i int) {
	lane := t.line.Disks[i]
	name := "disk" + strconv.Itoa(i)
	place := opts.Encode{X: []int{0, 1}, Y: 2}
	files, busy := lane.Files, lane.Busy
	var last []float64
	if lane.Bands != nil {
		rows := make([][]float64, len(lane.Bands))
		for j, band := range lane.Bands {
			rows[j] = bandRow(band, t.decimals, t.scale)
			last = rows[j]
		}
		add(t.Custom, name, 0, "band", rows, opts.Encode{X: []int{0, 1}, Y: []int{2, 3, 4}})
		files = lane.Outliers
	}
	rows := make([][]float64, len(files))
	for j, file := range files {
		rows[j] = []float64{
			t.seconds(file.StartS), t.seconds(file.EndS), significant(file.Rate / t.scale), significant(float64(file.Bytes)), float64(file.Seq),
		}
		if file.Filler {
			rows[j] = append(rows[j], 1)
		}
		if lane.Bands == nil {
			last = rows[j]
			busy = append(busy, file.Span)
		}
	}
	add(t.Custom, name, 0, "segment", rows, place)
	blocks := make([][]float64, len(busy))
	for j, span := range busy {
		blocks[j] = []float64{t.seconds(span.StartS), t.seconds(span.EndS), float64(i)}
	}
	add(t.Custom, name, 2, "busy", blocks, place)
	if last != nil {
		t.ends = append(t.ends, []float64{last[1], last[2], float64(i)})
	}
}

// total is the stepped line of the second panel.
func (t *timelineChart) total() {
	rows := make([][]float64, 0, len(t.line.Total)+1)
	for _, step := range t.line.Total {
		rows = append(rows, []float64{t.seconds(step.StartS), significant(step.Rate / t.scale)})
	}
	if n := len(rows); n > 0 {
		rows = append(rows, []float64{t.seconds(t.line.EndS), rows[n-1][1]})
	}
	totals := charts.NewLine()
	totals.AddSeries("total", nil, charts.WithSeriesOpts(func(s *charts.SingleSeries) {
		s.Data, s.XAxisIndex, s.YAxisIndex = rows, 1, 1
		s.Step, s.ShowSymbol, s.Symbol = "end", opts.Bool(false), "none"
		s.LineStyle = &opts.LineStyle{Color: "@ink", Width: 1.5}
		s.ItemStyle = &opts.ItemStyle{Color: "@ink"}
		s.AreaStyle = &opts.AreaStyle{Color: "@area", Opacity: opts.Float(1)}
	}))
	t.Overlap(totals)
}

// overlap adds what the analysis found: the overlap's rate, and brackets from a winner's end to the new level.
func (t *timelineChart) overlap(found *analysis.Phase) {
	if limit := oneWayLimit(found); limit != nil {
		add(t.Custom, "limit", 1, "limit", [][]float64{{0, t.seconds(t.line.EndS), precise(limit.Rate / t.scale)}}, opts.Encode{X: []int{0, 1}, Y: 2})
	}
	if found.Overlap != nil {
		rows := make([][]float64, len(t.line.Windows))
		for i, span := range t.line.Windows {
			rows[i] = []float64{t.seconds(span.StartS), t.seconds(span.EndS), precise(found.Overlap.Rate / t.scale)}
		}
		add(t.Custom, "mean", 1, "mean", rows, opts.Encode{X: []int{0, 1}, Y: 2})
	}
	var rows [][]float64
	group := map[string]int{}
	for _, r := range found.Recoveries {
		i := slices.IndexFunc(t.line.Disks, func(lane chart.Lane) bool { return lane.Disk == r.Disk })
		if i < 0 || r.LagS == nil || r.ToRate == nil || *r.LagS <= 0 {
			continue
		}
		rows = append(rows, []float64{
			t.seconds(r.AtS), t.seconds(r.AtS + *r.LagS), significant((r.FromRate + *r.ToRate) / 2 / t.scale), // halfway up
			float64(i), float64(group[r.After]), precise(*r.LagS),
		})
		group[r.After]++
	}
	if rows != nil {
		add(t.Custom, "recovery", 0, "bracket", rows, opts.Encode{X: []int{0, 1}, Y: 2})
	}
}

func (t *timelineChart) seconds(s float64) float64 { return fixed(s, t.decimals) }

// bandRow is the columns of the script's bands: from, to, mean, 5th and 95th percentile.
func bandRow(band chart.Band, decimals int, scale float64) []float64 {
	return []float64{
		fixed(band.From, decimals), fixed(band.To, decimals),
		significant(band.Mean / scale), significant(band.P05 / scale), significant(band.P95 / scale),
	}
}

// add puts a series on a panel that the page's script draws item by item. The first columns are its place.
func add(c *charts.Custom, name string, panel int, draw string, data [][]float64, encode opts.Encode) {
	c.AddSeries(name, nil, charts.WithSeriesOpts(func(s *charts.SingleSeries) {
		s.Data, s.XAxisIndex, s.YAxisIndex = data, panel, panel
		s.RenderItem = function(draw)
		s.Encode = &encode
	}))
}

// gutter is room for the longest name, within reason.
func gutter(disks []viewDisk) int {
	longest := 0
	for _, d := range disks {
		longest = max(longest, utf8.RuneCountInString(d.Name))
	}
	return min(150, max(52, 40+8*longest))
}

// oneWayLimit is the disks' common limit where all traffic goes one way: then it bounds the total.
func oneWayLimit(found *analysis.Phase) *analysis.Ceiling {
	if found.Overlap == nil || found.Contention == nil || found.Overlap.ReadRate > 0 && found.Overlap.WriteRate > 0 {
		return nil
	}
	return found.Contention.Ceiling
}

// windowLabel names the shaded part.
func windowLabel(found *analysis.Phase) string {
	if found.Overlap == nil {
		return ""
	}
	who := "active: "
	if n := len(found.Overlap.Disks); n > 1 {
		who = allOf(n) + " " + who
	}
	return who + unit.FormatSeconds(found.Overlap.DurationS)
}

// widest is the index of the longest span.
func widest(spans []chart.Span) int {
	at := 0
	for i, span := range spans {
		if span.EndS-span.StartS > spans[at].EndS-spans[at].StartS {
			at = i
		}
	}
	return at
}

// zooms are a slider under the panels and, inside them, dragging, pinching, and the wheel with Ctrl:
// the bare wheel scrolls the page.
func zooms(axes []int) []zoom {
	return []zoom{
		{Type: "inside", XAxisIndex: axes, FilterMode: "none", ZoomOnWheel: "ctrl"},
		{
			Type: "slider", XAxisIndex: axes, FilterMode: "none", Bottom: 10, Height: sliderSize,
			BorderColor: "@line", FillerColor: "@area", Background: "@none",
			HandleStyle: map[string]string{"color": "@surface", "borderColor": "@axis"},
		},
	}
}

// timeDecimals is how many decimals of a second the panels need: a 1/20 of the shortest file, and
// never more than a nanosecond.
func timeDecimals(line *chart.Timeline) int {
	finest := line.EndS / 1e4
	for _, lane := range line.Disks {
		if lane.Bands != nil {
			finest = line.EndS / 1e5 // no single file to look at
			break
		}
		for _, file := range lane.Files {
			finest = min(finest, (file.EndS-file.StartS)/20)
		}
	}
	if finest <= 0 {
		return 9
	}
	return min(9, max(0, int(math.Ceil(-math.Log10(finest)))))
}

// speedName says what the speeds are of.
func speedName(line *chart.Timeline) string {
	name := ""
	for _, lane := range line.Disks {
		switch {
		case name == "":
			name = string(lane.Op)
		case name != string(lane.Op):
			return "speed of each file"
		}
	}
	return name + " speed of each file"
}
