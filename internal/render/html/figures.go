package html

import (
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// panel is the frame of a chart of one panel: its axes and its place.
type panel struct {
	x, y   opts.XAxis
	tick   string // the script's function for the labels of the horizontal axis
	rows   int    // a row per disk in place of a vertical scale, where not zero
	height int    // of the plane in pixels
	view   view
}

const (
	planeHeight = 250
	pairHeight  = 46 // of a disk's row in the charts that have one
	axisHeight  = 34 // labels under a plane
)

func (p panel) chart() *charts.Custom {
	c := charts.NewCustom()
	c.Accept(visitor{xTick: p.tick, rows: p.rows > 0})
	y := opts.YAxis{Name: p.y.Name, Type: "value", Min: 0, SplitNumber: 5}
	if p.rows > 0 {
		y = opts.YAxis{Type: "value", Min: -0.5, Max: float64(p.rows) - 0.5, Inverse: opts.Bool(true), AxisLabel: &opts.AxisLabel{Show: opts.Bool(false)}}
	}
	c.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(opts.Grid{Left: "52", Right: "24", Top: strconv.Itoa(p.top()), Height: strconv.Itoa(p.height)}),
		charts.WithXAxisOpts(p.x), charts.WithYAxisOpts(y),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "item", Formatter: function("itemTip")}),
	)
	return c
}

func (p panel) top() int {
	if p.rows > 0 {
		return 6
	}
	return headHeight
}

func (p panel) finish(c *charts.Custom) figure {
	c.Validate()
	return figure{Option: c.JSON(), View: p.view, Height: p.top() + p.height + axisHeight}
}

// names puts the disks' names before their rows.
func names(c *charts.Custom, panel, disks int) {
	rows := make([][]float64, disks)
	for i := range rows {
		rows[i] = []float64{0, float64(i)}
	}
	add(c, "names", panel, "row", rows, opts.Encode{X: 0, Y: 1})
}

// filesView names the disks of a chart of files.
func filesView(files *chart.Files, by chart.Scale) view {
	v := view{Kind: "items", Unit: by.Unit, Gutter: 52}
	for _, lane := range files.Disks {
		v.Disks = append(v.Disks, viewDisk{Name: lane.Disk, Op: string(lane.Op), Index: lane.Index})
	}
	return v
}

// aloneFigure sets what each disk got in the overlap beside what it does alone.
func aloneFigure(found *analysis.Phase, files *chart.Files, by chart.Scale) (figure, bool) {
	if found.Overlap == nil || len(found.Overlap.Disks) < 2 {
		return figure{}, false
	}
	v := filesView(files, by)
	v.Gutter = gutter(v.Disks)
	p := panel{x: opts.XAxis{Type: "value", Min: 0}, tick: "plain", rows: len(v.Disks), height: pairHeight * len(v.Disks), view: v}
	c := p.chart()
	known := false
	for i, d := range v.Disks {
		part, ok := found.Overlap.Disks[d.Name]
		if !ok {
			continue
		}
		row := []float64{precise(part.Rate / by.Size), float64(i), -1, -1, -1}
		if alone := chart.AloneRate(found, d.Name); alone != nil {
			row[2], known = precise(alone.Rate/by.Size), true
		}
		if part.CI95 != nil {
			row[3], row[4] = precise(part.CI95[0]/by.Size), precise(part.CI95[1]/by.Size)
		}
		add(c, "disk"+strconv.Itoa(i), 0, "pair", [][]float64{row}, opts.Encode{X: []int{0, 2}, Y: 1})
	}
	names(c, 0, len(v.Disks))
	return p.finish(c), known
}

// spreadFigure shows how the speeds of a disk's files spread: each file, the middle nine tenths, median and mean.
func spreadFigure(files *chart.Files, by chart.Scale) figure {
	v := filesView(files, by)
	v.Gutter = gutter(v.Disks)
	p := panel{x: opts.XAxis{Type: "value", Min: 0}, tick: "plain", rows: len(v.Disks), height: pairHeight * len(v.Disks), view: v}
	c := p.chart()
	for i, lane := range files.Disks {
		name := "disk" + strconv.Itoa(i)
		if lane.Sizes != nil {
			dots := make([][]float64, len(lane.Sizes))
			for j, dot := range lane.Sizes {
				dots[j] = []float64{precise(dot.Rate / by.Size), float64(i), precise(dot.Bytes / 1e6), float64(j)}
			}
			add(c, name, 0, "strip", dots, opts.Encode{X: 0, Y: 1})
		} else {
			most := 1
			for _, bin := range lane.Bins {
				most = max(most, bin.N)
			}
			bins := make([][]float64, len(lane.Bins))
			for j, bin := range lane.Bins {
				bins[j] = []float64{precise(bin.From / by.Size), float64(i), precise(bin.To / by.Size), float64(bin.N), fixed(float64(bin.N)/float64(most), 3)}
			}
			add(c, name, 0, "bin", bins, opts.Encode{X: []int{0, 2}, Y: 1})
		}
		if s := lane.Stats; s.P05 != nil && s.P95 != nil && s.Median != nil && s.Mean != nil {
			box := []float64{precise(*s.P05 / by.Size), float64(i), precise(*s.P95 / by.Size), precise(*s.Median / by.Size), precise(*s.Mean / by.Size)}
			add(c, name, 0, "box", [][]float64{box}, opts.Encode{X: []int{0, 2}, Y: 1})
		}
	}
	names(c, 0, len(v.Disks))
	return p.finish(c)
}

// sizeFigure is speed against file size, with the size at which it changes, and two regressions on demand.
func sizeFigure(files *chart.Files, by chart.Scale) (figure, bool) {
	if files.MinBytes <= 0 || files.MaxBytes < 1.2*files.MinBytes {
		return figure{}, false // all of one size
	}
	low, high := chart.Round125(files.MinBytes, files.MaxBytes)
	v := filesView(files, by)
	p := panel{
		x: opts.XAxis{Type: "log", Min: low, Max: high}, y: opts.XAxis{Name: "speed, " + by.Unit},
		tick: "bytes", height: planeHeight, view: v,
	}
	p.view.Fit = true
	c := p.chart()
	for i, lane := range files.Disks {
		name, at := "disk"+strconv.Itoa(i), float64(i)
		if lane.Cells != nil {
			most := 1
			for _, cell := range lane.Cells {
				most = max(most, cell.N)
			}
			cells := make([][]float64, len(lane.Cells))
			for j, cell := range lane.Cells {
				cells[j] = []float64{
					significant(cell.FromBytes), significant(cell.ToBytes), significant(cell.FromRate / by.Size), significant(cell.ToRate / by.Size),
					float64(cell.N), fixed(float64(cell.N)/float64(most), 3),
				}
			}
			add(c, name, 0, "cell", cells, opts.Encode{X: []int{0, 1}, Y: []int{2, 3}})
		} else {
			dots := make([][]float64, len(lane.Sizes))
			for j, dot := range lane.Sizes {
				dots[j] = []float64{significant(dot.Bytes), significant(dot.Rate / by.Size), float64(j)}
			}
			add(c, name, 0, "dot", dots, opts.Encode{X: 0, Y: 1})
		}
		var fit [][]float64
		for j := 1; j < len(lane.OLS); j++ {
			a, b := lane.OLS[j-1], lane.OLS[j]
			fit = append(fit, []float64{significant(a.Bytes), significant(b.Bytes), significant(a.Rate / by.Size), significant(b.Rate / by.Size), at, 0})
		}
		if rate := lane.Stats.TheilSenRate; rate != nil {
			level := significant(*rate / by.Size)
			fit = append(fit, []float64{files.MinBytes, files.MaxBytes, level, level, at, 1})
		}
		add(c, "fit", 0, "line", fit, opts.Encode{X: []int{0, 1}, Y: []int{2, 3}})
		if knee := lane.Stats.SizeKnee; knee != nil {
			add(c, name, 0, "knee", [][]float64{{significant(knee.AtBytes), significant(max(knee.BelowRate, knee.AboveRate) / by.Size), at}}, opts.Encode{X: 0, Y: 1})
		}
	}
	return p.finish(c), true
}

// wornFigure is speed against all that the disk moved before, with the throttle where there was one.
func wornFigure(files *chart.Files, by chart.Scale) (figure, bool) {
	if files.SumBytes <= 0 {
		return figure{}, false
	}
	p := panel{
		x: opts.XAxis{Type: "value", Min: 0, Max: significant(files.SumBytes)}, y: opts.XAxis{Name: "speed, " + by.Unit},
		tick: "bytes", height: planeHeight, view: filesView(files, by),
	}
	c := p.chart()
	for i, lane := range files.Disks {
		name := "disk" + strconv.Itoa(i)
		rows := make([][]float64, len(lane.So))
		draw, place := "segment", opts.Encode{X: []int{0, 1}, Y: 2}
		if lane.Sizes == nil {
			draw, place.Y = "band", []int{2, 3, 4}
		}
		for j, band := range lane.So {
			rows[j] = bandRow(band, 0, by.Size)
			if lane.Sizes != nil {
				rows[j] = rows[j][:3] // one file: no spread
			}
		}
		add(c, name, 0, draw, rows, place)
		if t := lane.Stats.Throttle; t != nil {
			add(c, name, 0, "knee", [][]float64{{significant(t.AtBytes), significant(t.FromRate / by.Size), float64(i)}}, opts.Encode{X: 0, Y: 1})
		}
	}
	return p.finish(c), true
}
