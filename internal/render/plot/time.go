package plot

import (
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	speedHeight = 250
	totalHeight = 130
)

// time is the three panels with one axis: speed, total, files.
func (p *picture) time(line *chart.Timeline, found *analysis.Phase) {
	speed, total, files := p.plot("speed of each file, "+p.scale.Unit), p.plot("total, "+p.scale.Unit), p.plot("files in transfer")
	end := max(line.EndS, 1e-9)
	top := 0.0
	for _, plane := range []*gonum.Plot{speed, total, files} {
		plane.X.Min, plane.X.Max = 0, end
		plane.X.Tick.Marker = ticks{10, seconds}
		plane.Add(p.shades(line.Windows))
	}
	for _, lane := range line.Disks {
		for _, file := range lane.Files {
			top = max(top, file.Rate)
		}
		for _, band := range lane.Bands {
			top = max(top, band.P95)
		}
		speed.Add(p.speeds(lane))
	}
	p.upright(speed, top, speedHeight)
	speed.Add(p.recoveries(line, found))
	if len(line.Windows) > 0 {
		speed.Add(p.label(line.Windows[0], found))
	}

	top = 0
	for _, step := range line.Total {
		top = max(top, step.Rate)
	}
	p.upright(total, top, totalHeight)
	total.Add(p.total(line, found))

	p.rows(files, line.Disks)
	speed.X.Tick.Marker, total.X.Tick.Marker = gonum.ConstantTicks(nil), gonum.ConstantTicks(nil)
	p.panels = []panel{{speed, speedHeight}, {total, totalHeight}, {files, vg.Length(48 + 22*len(line.Disks))}}
}

// upright sets a scale of rates from nothing, with lines across.
func (p *picture) upright(plane *gonum.Plot, top float64, height vg.Length) {
	plane.Y.Min, plane.Y.Max = 0, max(1.08*top/p.scale.Size, 1e-9)
	plane.Y.Tick.Marker = ticks{int(6 * height / 250), plain}
	levels := plane.Y.Tick.Marker.Ticks(0, plane.Y.Max)
	plane.Add(painter(func(pen pen) {
		for _, level := range levels {
			pen.StrokeLine2(stroke(p.grid, 0.6), pen.Min.X, pen.y(level.Value), pen.Max.X, pen.y(level.Value))
		}
	}))
}

// shades marks the overlap.
func (p *picture) shades(windows []chart.Span) painter {
	return func(pen pen) {
		for _, span := range windows {
			left, right := pen.x(span.StartS), pen.x(span.EndS)
			pen.FillPolygon(p.shade, []vg.Point{{X: left, Y: pen.Min.Y}, {X: right, Y: pen.Min.Y}, {X: right, Y: pen.Max.Y}, {X: left, Y: pen.Max.Y}})
		}
	}
}

func (p *picture) label(span chart.Span, found *analysis.Phase) painter {
	return func(pen pen) {
		if found.Overlap == nil || len(found.Overlap.Disks) < 2 {
			return
		}
		style := p.text(9, p.grey)
		style.XAlign, style.YAlign = text.XCenter, text.YTop
		pen.FillText(style, vg.Point{X: (pen.x(span.StartS) + pen.x(span.EndS)) / 2, Y: pen.Max.Y - 3}, "all active: "+unit.FormatSeconds(found.Overlap.DurationS))
	}
}

// speeds draws a disk's files, or their bands, and its name at their end.
func (p *picture) speeds(lane chart.Lane) painter {
	colour := p.disk(lane.Index)
	return func(pen pen) {
		var lines, boxes [][4]float64
		var points []vg.Point
		for _, band := range lane.Bands {
			lines = append(lines, [4]float64{band.From, band.Mean / p.scale.Size, band.To, band.Mean / p.scale.Size})
			boxes = append(boxes, [4]float64{band.From, band.P05 / p.scale.Size, band.To, band.P95 / p.scale.Size})
		}
		files := lane.Files
		if lane.Bands != nil {
			files = lane.Outliers
		}
		for _, file := range files {
			rate := file.Rate / p.scale.Size
			lines = append(lines, [4]float64{file.StartS, rate, file.EndS, rate})
			if file.Filler {
				continue // a line alone: no part of the disk's work
			}
			points = append(points, vg.Point{X: pen.x((file.StartS + file.EndS) / 2), Y: pen.y(rate)})
		}
		pen.rects(pale(colour, 60), boxes)
		pen.lines(stroke(colour, 1.5), lines)
		pen.marks(colour, lane.Index, 3, points)
		if n := len(lines); n > 0 {
			last := lines[n-1]
			if k := len(lane.Bands); k > 0 {
				last = lines[k-1]
			}
			style := p.text(11, colour)
			style.Font.Weight = bold
			at := vg.Point{X: pen.x(last[2]) + 6, Y: pen.y(last[3])}
			if at.X > pen.Max.X-40 {
				style.XAlign, at.X, at.Y = text.XRight, pen.x(last[2]), at.Y+13
			}
			pen.FillText(style, at, shorten(lane.Disk, 16))
		}
	}
}

// recoveries are brackets from a winner's end to the new level.
func (p *picture) recoveries(line *chart.Timeline, found *analysis.Phase) painter {
	return func(pen pen) {
		place := map[string]int{}
		for _, r := range found.Recoveries {
			if r.LagS == nil || r.ToRate == nil || *r.LagS <= line.EndS/200 {
				continue
			}
			for _, lane := range line.Disks {
				if lane.Disk != r.Disk {
					continue
				}
				colour := p.disk(lane.Index)
				left, right := pen.x(r.AtS), pen.x(r.AtS+*r.LagS)
				y := pen.y((r.FromRate+*r.ToRate)/2/p.scale.Size) - vg.Length(18*place[r.After]-9)
				place[r.After]++
				pen.StrokeLines(stroke(colour, 1), []vg.Point{{X: left, Y: y - 3}, {X: left, Y: y + 3}}, []vg.Point{{X: left, Y: y}, {X: right, Y: y}}, []vg.Point{{X: right, Y: y - 3}, {X: right, Y: y + 3}})
				pen.marks(colour, lane.Index, 3, []vg.Point{{X: left + 9, Y: y + 7}})
				pen.FillText(p.text(9, p.black), vg.Point{X: left + 16, Y: y + 7}, unit.FormatSeconds(*r.LagS)+" to recover")
			}
		}
	}
}

// total is the sum of all disks, and its mean over the overlap.
func (p *picture) total(line *chart.Timeline, found *analysis.Phase) painter {
	return func(pen pen) {
		if len(line.Total) == 0 {
			return
		}
		edge := []vg.Point{}
		for _, step := range line.Total {
			y := pen.y(step.Rate / p.scale.Size)
			edge = append(edge, vg.Point{X: pen.x(step.StartS), Y: y}, vg.Point{X: pen.x(step.EndS), Y: y})
		}
		area := append([]vg.Point{{X: edge[0].X, Y: pen.y(0)}}, edge...)
		pen.FillPolygon(p.area, append(area, vg.Point{X: edge[len(edge)-1].X, Y: pen.y(0)}))
		pen.StrokeLines(stroke(p.black, 1), edge)
		if found.Overlap == nil {
			return
		}
		level := found.Overlap.Rate / p.scale.Size
		for _, span := range line.Windows {
			pen.lines(stroke(p.black, 0.8, 4, 3), [][4]float64{{span.StartS, level, span.EndS, level}})
		}
		style := p.text(10, p.black)
		style.Font.Weight = bold
		if len(line.Windows) > 0 {
			pen.FillText(style, vg.Point{X: pen.x(line.Windows[0].StartS) + 6, Y: pen.y(level) - 10}, p.scale.Rate(found.Overlap.Rate)+" in the overlap")
		}
	}
}

// rows is a line per disk with a block per file.
func (p *picture) rows(plane *gonum.Plot, lanes []chart.Lane) {
	names := make([]gonum.Tick, len(lanes))
	for i, lane := range lanes {
		y := float64(len(lanes) - 1 - i)
		names[i] = gonum.Tick{Value: y, Label: shorten(lane.Disk, 14)}
		spans := lane.Busy
		for _, file := range lane.Files {
			spans = append(spans, file.Span)
		}
		plane.Add(painter(func(pen pen) {
			gap := 0.7 / float64(pen.x(1)-pen.x(0)) // between neighbours, in seconds
			blocks := make([][4]float64, len(spans))
			for j, span := range spans {
				blocks[j] = [4]float64{span.StartS, y - 0.32, max(span.StartS, span.EndS-gap), y + 0.32}
			}
			pen.rects(p.disk(lane.Index), blocks)
		}))
	}
	plane.Y.Min, plane.Y.Max = -0.5, max(0.5, float64(len(lanes))-0.5)
	plane.Y.Tick.Marker = gonum.ConstantTicks(names)
}
