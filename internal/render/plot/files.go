package plot

import (
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	planeHeight = 330
	rowHeight   = 44
)

// level is a plane with a row per disk and a scale of rates along it.
func (p *picture) level(name string, disks []string, top float64) *gonum.Plot {
	plane := p.plot(name)
	plane.X.Min, plane.X.Max = 0, max(1.12*top/p.scale.Size, 1e-9)
	plane.X.Tick.Marker = ticks{10, plain}
	names := make([]gonum.Tick, len(disks))
	for i, disk := range disks {
		names[i] = gonum.Tick{Value: float64(len(disks) - 1 - i), Label: shorten(disk, 14)}
	}
	plane.Y.Min, plane.Y.Max = -0.5, max(0.5, float64(len(disks))-0.5)
	plane.Y.Tick.Marker = gonum.ConstantTicks(names)
	levels := plane.X.Tick.Marker.Ticks(0, plane.X.Max)
	plane.Add(painter(func(pen pen) {
		for _, level := range levels {
			pen.StrokeLine2(stroke(p.grid, 0.6), pen.x(level.Value), pen.Min.Y, pen.x(level.Value), pen.Max.Y)
		}
	}))
	p.panels = []panel{{plane, vg.Length(56 + rowHeight*len(disks))}}
	return plane
}

// alone sets what each disk got in the overlap beside what it does alone.
func (p *picture) alone(run *trace.Run, found *analysis.Phase) {
	var disks []string
	top := 0.0
	for _, disk := range run.Disks {
		if found.Overlap == nil {
			break
		}
		if part, ok := found.Overlap.Disks[disk.Name]; ok {
			disks = append(disks, disk.Name)
			top = max(top, part.Rate)
			if alone := chart.AloneRate(found, disk.Name); alone != nil {
				top = max(top, alone.Rate)
			}
		}
	}
	plane := p.level("in the overlap (full) against alone (outline), "+p.scale.Unit, disks, top)
	for i, disk := range disks {
		y, colour := float64(len(disks)-1-i), p.disk(chart.Index(run, disk))
		part, alone := found.Overlap.Disks[disk], chart.AloneRate(found, disk)
		plane.Add(painter(func(pen pen) {
			end, words := part.Rate/p.scale.Size, p.scale.Number(part.Rate)
			pen.rects(colour, [][4]float64{{0, y - 0.25, end, y + 0.25}})
			if alone != nil {
				rate := alone.Rate / p.scale.Size
				pen.lines(stroke(colour, 1.2), [][4]float64{{0, y + 0.25, rate, y + 0.25}, {rate, y + 0.25, rate, y - 0.25}, {rate, y - 0.25, 0, y - 0.25}})
				words += " of " + p.scale.Number(alone.Rate)
				end = max(end, rate)
			}
			if part.CI95 != nil {
				pen.lines(stroke(p.black, 1.2), [][4]float64{{part.CI95[0] / p.scale.Size, y, part.CI95[1] / p.scale.Size, y}})
			}
			pen.FillText(p.text(10, p.black), vg.Point{X: pen.x(end) + 6, Y: pen.y(y)}, words)
		}))
	}
}

// spread shows each file's speed, the middle nine tenths, the median and the mean.
func (p *picture) spread(files *chart.Files) {
	disks := make([]string, len(files.Disks))
	for i, lane := range files.Disks {
		disks[i] = lane.Disk
	}
	plane := p.level("speeds of files (bar: middle nine tenths, line: median, ring: mean), "+p.scale.Unit, disks, files.MaxRate)
	for i, lane := range files.Disks {
		y, colour := float64(len(disks)-1-i), p.disk(lane.Index)
		plane.Add(painter(func(pen pen) {
			var points []vg.Point
			for j, dot := range lane.Sizes {
				_, part := math.Modf(float64(j) * 0.618034) // multiples of the golden ratio spread evenly
				points = append(points, vg.Point{X: pen.x(dot.Rate / p.scale.Size), Y: pen.y(y + (part-0.5)*0.5)})
			}
			pen.marks(pale(colour, 140), lane.Index, 2.4, points)
			if lane.Sizes == nil {
				most := 1
				for _, bin := range lane.Bins {
					most = max(most, bin.N)
				}
				var boxes [][4]float64
				for _, bin := range lane.Bins {
					half := 0.4 * float64(bin.N) / float64(most)
					boxes = append(boxes, [4]float64{bin.From / p.scale.Size, y - half, bin.To / p.scale.Size, y + half})
				}
				pen.rects(pale(colour, 140), boxes)
			}
			p.box(pen, lane.Stats, y)
		}))
	}
}

func (p *picture) box(pen pen, s analysis.Disk, y float64) {
	if s.P05 == nil || s.P95 == nil || s.Median == nil || s.Mean == nil {
		return
	}
	low, high, median, mean := *s.P05/p.scale.Size, *s.P95/p.scale.Size, *s.Median/p.scale.Size, *s.Mean/p.scale.Size
	pen.lines(stroke(p.black, 1.2), [][4]float64{{low, y, high, y}, {low, y - 0.08, low, y + 0.08}, {high, y - 0.08, high, y + 0.08}})
	pen.lines(stroke(p.black, 2.4), [][4]float64{{median, y - 0.3, median, y + 0.3}})
	ring := vg.Point{X: pen.x(mean), Y: pen.y(y)}
	pen.marks(p.black, 0, 4.4, []vg.Point{ring})
	pen.marks(p.paper, 0, 3, []vg.Point{ring})
}

// size is speed against file size.
func (p *picture) size(files *chart.Files) {
	plane := p.plot("speed against file size, " + p.scale.Unit)
	low, high := 1.0, 10.0
	if files.MinBytes > 0 {
		low, high = chart.Round125(files.MinBytes, files.MaxBytes)
	}
	if low == high {
		high *= 10
	}
	plane.X.Min, plane.X.Max = low, high
	plane.X.Scale, plane.X.Tick.Marker = gonum.LogScale{}, decades{}
	p.upright(plane, files.MaxRate, planeHeight)
	for _, lane := range files.Disks {
		colour := p.disk(lane.Index)
		plane.Add(painter(func(pen pen) {
			var points []vg.Point
			for _, dot := range lane.Sizes {
				points = append(points, vg.Point{X: pen.x(dot.Bytes), Y: pen.y(dot.Rate / p.scale.Size)})
			}
			pen.marks(colour, lane.Index, 3, points)
			most := 1
			for _, cell := range lane.Cells {
				most = max(most, cell.N)
			}
			for _, cell := range lane.Cells {
				alpha := uint8(40 + 215*math.Sqrt(float64(cell.N)/float64(most)))
				pen.rects(pale(colour, alpha), [][4]float64{{cell.FromBytes, cell.FromRate / p.scale.Size, cell.ToBytes, cell.ToRate / p.scale.Size}})
			}
			if knee := lane.Stats.SizeKnee; knee != nil {
				p.change(pen, lane.Index, knee.AtBytes)
			}
		}))
	}
	p.key(plane, files)
	p.panels = []panel{{plane, planeHeight}}
}

// worn is speed against all that the disk moved before.
func (p *picture) worn(files *chart.Files) {
	plane := p.plot("speed against bytes so far, " + p.scale.Unit)
	plane.X.Min, plane.X.Max = 0, max(files.SumBytes, 1)
	plane.X.Tick.Marker = ticks{10, volume}
	p.upright(plane, files.MaxRate, planeHeight)
	for _, lane := range files.Disks {
		colour := p.disk(lane.Index)
		plane.Add(painter(func(pen pen) {
			var lines, boxes [][4]float64
			var points []vg.Point
			for _, band := range lane.So {
				rate := band.Mean / p.scale.Size
				lines = append(lines, [4]float64{band.From, rate, band.To, rate})
				if lane.Sizes != nil {
					points = append(points, vg.Point{X: pen.x((band.From + band.To) / 2), Y: pen.y(rate)})
				} else {
					boxes = append(boxes, [4]float64{band.From, band.P05 / p.scale.Size, band.To, band.P95 / p.scale.Size})
				}
			}
			pen.rects(pale(colour, 60), boxes)
			pen.lines(stroke(colour, 1.5), lines)
			pen.marks(colour, lane.Index, 3, points)
			if throttle := lane.Stats.Throttle; throttle != nil {
				p.change(pen, lane.Index, throttle.AtBytes)
			}
		}))
	}
	p.key(plane, files)
	p.panels = []panel{{plane, planeHeight}}
}

// change marks where a disk's speed changes for good.
func (p *picture) change(pen pen, index int, at float64) {
	x := pen.x(at)
	pen.StrokeLine2(stroke(p.disk(index), 1.2, 2, 3), x, pen.Min.Y, x, pen.Max.Y)
	pen.marks(p.disk(index), index, 3, []vg.Point{{X: x + 8, Y: pen.Max.Y - 8}})
	pen.FillText(p.text(9, p.black), vg.Point{X: x + 15, Y: pen.Max.Y - 8}, "changes at "+volume(at))
}

// key names the disks at the foot of the plane, where no speed is.
func (p *picture) key(plane *gonum.Plot, files *chart.Files) {
	plane.Add(painter(func(pen pen) {
		x := pen.Max.X - 8
		for _, lane := range slices.Backward(files.Disks) {
			style := p.text(11, p.black)
			style.XAlign = text.XRight
			name := shorten(lane.Disk, 16)
			pen.FillText(style, vg.Point{X: x, Y: pen.Min.Y + 10}, name)
			x -= style.Width(name) + 8
			pen.marks(p.disk(lane.Index), lane.Index, 4, []vg.Point{{X: x, Y: pen.Min.Y + 10}})
			x -= 16
		}
	}))
}
