package html

import (
	"math"
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
	scale := by.Size
	decimals := timeDecimals(line)
	rows := make([][]float64, len(line.Disks))
	ends := [][]float64{}
	view := view{Kind: "time", Unit: by.Unit, Window: windowLabel(found)}

	c := charts.NewCustom()
	c.Accept(visitor{zoom: zooms([]int{0, 1, 2}), xTick: "seconds"})
	c.ExtendXAxis(opts.XAxis{}, opts.XAxis{})
	c.ExtendYAxis(opts.YAxis{}, opts.YAxis{})
	top := headHeight
	grid := func(height int) opts.Grid {
		g := opts.Grid{Left: "52", Right: "24", Top: strconv.Itoa(top), Height: strconv.Itoa(height)}
		top += height + panelGap
		return g
	}
	end := fixed(line.EndS, decimals)
	axis := func(i int) charts.GlobalOpts {
		return charts.WithXAxisOpts(opts.XAxis{Type: "value", Min: 0, Max: end, GridIndex: i}, i)
	}
	c.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(grid(speedHeight), grid(totalHeight), grid(rowHeight*len(line.Disks))),
		axis(0), axis(1), axis(2),
		charts.WithYAxisOpts(opts.YAxis{Name: speedName(line) + ", " + by.Unit, Type: "value", Min: 0, SplitNumber: 5}, 0),
		charts.WithYAxisOpts(opts.YAxis{Name: "total, " + by.Unit, Type: "value", Min: 0, SplitNumber: 3, GridIndex: 1}, 1),
		charts.WithYAxisOpts(opts.YAxis{
			Name: "files in transfer", NameLocation: "start", Type: "value", Min: -0.5, Max: float64(len(line.Disks)) - 0.5, Inverse: opts.Bool(true),
			AxisLabel: &opts.AxisLabel{Show: opts.Bool(false)}, GridIndex: 2,
		}, 2),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: function("timeTip")}),
		charts.WithAxisPointerOpts(&opts.AxisPointer{Type: "line", Link: []opts.AxisPointerLink{{XAxisIndex: []int{0, 1, 2}}}}),
		charts.WithDataZoomOpts(opts.DataZoom{}),
	)

	windows := make([][]float64, len(line.Windows))
	for i, span := range line.Windows {
		windows[i] = []float64{fixed(span.StartS, decimals), fixed(span.EndS, decimals)}
	}
	for panel := range 3 {
		rows := make([][]float64, len(windows))
		for i, span := range windows {
			rows[i] = []float64{span[0], span[1], 0}
			if panel == 0 && widest(line.Windows) == i {
				rows[i][2] = 1 // the one that carries the label
			}
		}
		add(c, "window", panel, "shade", rows, opts.Encode{X: []int{0, 1}})
	}
	for i, lane := range line.Disks {
		view.Disks = append(view.Disks, viewDisk{Name: lane.Disk, Op: string(lane.Op), Index: lane.Index})
		name := "disk" + strconv.Itoa(i)
		place := opts.Encode{X: []int{0, 1}, Y: 2}
		files, busy := fileRows(lane.Files, decimals, scale), lane.Busy
		if lane.Bands != nil {
			bands := make([][]float64, len(lane.Bands))
			for j, band := range lane.Bands {
				bands[j] = bandRow(band, decimals, 1, scale)
			}
			add(c, name, 0, "band", bands, opts.Encode{X: []int{0, 1}, Y: []int{2, 3, 4}})
			files = fileRows(lane.Outliers, decimals, scale)
			if n := len(bands); n > 0 {
				ends = append(ends, []float64{bands[n-1][1], bands[n-1][2], float64(i)})
			}
		} else {
			for _, file := range lane.Files {
				busy = append(busy, file.Span)
			}
			if n := len(files); n > 0 {
				ends = append(ends, []float64{files[n-1][1], files[n-1][2], float64(i)})
			}
		}
		add(c, name, 0, "segment", files, place)
		blocks := make([][]float64, len(busy))
		for j, span := range busy {
			blocks[j] = []float64{fixed(span.StartS, decimals), fixed(span.EndS, decimals), float64(i)}
		}
		add(c, name, 2, "busy", blocks, place)
		rows[i] = []float64{0, float64(i)}
	}
	add(c, "names", 2, "row", rows, opts.Encode{X: 0, Y: 1})
	add(c, "ends", 0, "ends", ends, opts.Encode{X: 0, Y: 1})
	total := make([][]float64, 0, len(line.Total)+1)
	for _, step := range line.Total {
		total = append(total, []float64{fixed(step.StartS, decimals), significant(step.Rate / scale)})
	}
	if n := len(line.Total); n > 0 {
		total = append(total, []float64{end, significant(line.Total[n-1].Rate / scale)})
	}
	totals := charts.NewLine()
	totals.AddSeries("total", nil, charts.WithSeriesOpts(func(s *charts.SingleSeries) {
		s.Data, s.XAxisIndex, s.YAxisIndex = total, 1, 1
		s.Step, s.ShowSymbol, s.Symbol = "end", opts.Bool(false), "none"
		s.LineStyle = &opts.LineStyle{Color: "@ink", Width: 1.5}
		s.ItemStyle = &opts.ItemStyle{Color: "@ink"}
		s.AreaStyle = &opts.AreaStyle{Color: "@area", Opacity: opts.Float(1)}
	}))
	c.Overlap(totals)
	if found != nil && found.Overlap != nil {
		mean := [][]float64{}
		for _, span := range windows {
			mean = append(mean, []float64{span[0], span[1], precise(found.Overlap.Rate / scale)})
		}
		add(c, "mean", 1, "mean", mean, opts.Encode{X: []int{0, 1}, Y: 2})
	}
	if brackets := recoveries(line, found, scale, decimals); len(brackets) > 0 {
		add(c, "recovery", 0, "bracket", brackets, opts.Encode{X: []int{0, 1}, Y: 2})
	}
	view.Gutter = gutter(view.Disks)
	c.Validate()
	return figure{Option: c.JSON(), View: view, Height: top - panelGap + footHeight}
}

// fileRows are the columns of report.js's segments: start, end, rate, megabytes, number.
func fileRows(files []chart.Segment, decimals int, scale float64) [][]float64 {
	rows := make([][]float64, len(files))
	for i, file := range files {
		rows[i] = []float64{
			fixed(file.StartS, decimals), fixed(file.EndS, decimals), significant(file.Rate / scale),
			significant(float64(file.Bytes) / 1e6), float64(file.Seq),
		}
	}
	return rows
}

// bandRow is the columns of report.js's bands: from, to, mean, 5th and 95th percentile.
func bandRow(band chart.Band, decimals int, unit, scale float64) []float64 {
	return []float64{
		fixed(band.From/unit, decimals), fixed(band.To/unit, decimals),
		significant(band.Mean / scale), significant(band.P05 / scale), significant(band.P95 / scale),
	}
}

// add puts a series on a panel that report.js draws item by item. The first columns are its place.
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

// windowLabel names the shaded part.
func windowLabel(found *analysis.Phase) string {
	if found == nil || found.Overlap == nil {
		return ""
	}
	if n := len(found.Overlap.Disks); n > 1 {
		return "all " + words(n) + " active: " + unit.FormatSeconds(found.Overlap.DurationS)
	}
	return ""
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

// recoveries are brackets from a winner's end to the new level, halfway up: start, end, rate, disk, place in its group.
func recoveries(line *chart.Timeline, found *analysis.Phase, scale float64, decimals int) [][]float64 {
	if found == nil {
		return nil
	}
	var rows [][]float64
	group := map[string]int{}
	for _, recovery := range found.Recoveries {
		if recovery.LagS == nil || recovery.ToRate == nil || *recovery.LagS <= 0 {
			continue
		}
		for i, lane := range line.Disks {
			if lane.Disk != recovery.Disk {
				continue
			}
			rows = append(rows, []float64{
				fixed(recovery.AtS, decimals), fixed(recovery.AtS+*recovery.LagS, decimals),
				significant((recovery.FromRate + *recovery.ToRate) / 2 / scale),
				float64(i), float64(group[recovery.After]), precise(*recovery.LagS),
			})
			group[recovery.After]++
		}
	}
	return rows
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
