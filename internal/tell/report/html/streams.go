package html

import (
	"math"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// gauges are how many streams stay clean, and how fast others may be.
type gauges struct {
	Axis  []int // a number for each cell; 0 where there is no room for it
	Lanes []*report.Lane
	Paces []pace
	Flow  *timePlot // level of the buffer over time
}

// pace is a gauge of how fast a disk may be; its places are in per cent.
type pace struct {
	*report.Lane
	Good  float64
	Marks []paceMark
}

type paceMark struct {
	At    float64
	Text  string // empty where there is no room
	Clean bool
}

// How gauges are drawn.
const (
	maxAxis  = 16   // numbers above the cells
	paceEnd  = 0.96 // position of the fastest pace on the gauge
	paceRoom = 11   // per cent between two labels
)

func newGauges(s *report.Streams) *gauges {
	g := &gauges{Flow: newTimePlot(s.Buffer)}
	every := (s.Most + maxAxis - 1) / maxAxis
	for i := range s.Most {
		g.Axis = append(g.Axis, 0)
		if (i+1)%every == 0 {
			g.Axis[i] = i + 1
		}
	}
	for _, l := range s.Lanes {
		if l.Paced {
			g.Paces = append(g.Paces, newPace(l))
		} else {
			g.Lanes = append(g.Lanes, l)
		}
	}
	return g
}

func newPace(l *report.Lane) pace {
	var top float64
	for _, t := range l.Tries {
		top = max(top, t.Rate)
	}
	top /= paceEnd
	p := pace{Lane: l, Good: tenth(perCent * min(1, l.Clean/top))}
	last := math.Inf(-1)
	for _, t := range l.Tries {
		m := paceMark{At: tenth(perCent * t.Rate / top), Clean: t.State() == stream.Clean}
		if m.At-last > paceRoom {
			m.Text = unit.FormatNumber(t.Rate / 1e9)
			last = m.At
		}
		p.Marks = append(p.Marks, m)
	}
	return p
}
