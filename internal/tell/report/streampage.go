package report

import (
	"fmt"
	"strings"
)

// showStreams answers how many streams stay clean: a row for each lane, over time what decided the
// first, and how fast other disks may be.
func (r *runDoc) showStreams(p *Page, s *Streams, trusted bool) {
	first := s.Lanes[0]
	p.Hero = s.rows()
	p.Sure = first.evidenceText()
	if c := s.Buffer; c != nil {
		r.Add(&Details{ID: "buffers", Title: c.Title, Open: true, Printed: true,
			Blocks: []Block{c}})
	}
	for _, l := range s.Lanes {
		if l.Paced {
			r.Add(l.paces())
		}
	}
	r.Add(&Details{ID: "tries", Title: "All tries", Printed: true, Blocks: []Block{s.triesTable()}})
	if trusted {
		r.more = nonEmpty(p.Sub) // what streams ask for stands in its place
		p.Sub, p.Big, p.Actions = first.demandText(), s.big(r), s.actions()
	}
}

// rows are the lanes, with a cell for each number of streams.
func (s *Streams) rows() *Rows {
	const most = 8 // numbers over the cells
	h := &Rows{Head: "Streams", Axis: Ruler{High: float64(s.Most)},
		Columns: numbers("Clean", "Tries"),
		Note:    "Clean, then strained (buffer below half) or dropped frames. Blank: not tried."}
	h.Columns[1].Drop = 1
	every := (s.Most + most - 1) / most
	for n := every; n <= s.Most; n += every {
		h.Axis.Ticks = append(h.Axis.Ticks, RulerTick{At: float64(n) - 0.5, Text: fmt.Sprint(n)})
	}
	for _, l := range s.Lanes {
		row := Row{Label: l.Key.Label + " " + l.Does + " " +
			pick(l.While == "", "alone", "while "+l.While), Key: &l.Key,
			Numbers: []Cell{strong(l.Text()), {Text: strings.Join(l.Evidence(), ", ")}}}
		if !l.Paced {
			row.Bars = l.bars(s.Most)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// bars are the lane's cells, those of one verdict together.
func (l *Lane) bars(most int) (bars []RowBar) {
	for i, verdict := range l.Cells(most) {
		at := float64(i)
		switch n := len(bars) - 1; {
		case verdict == "":
		case n >= 0 && bars[n].To == at && bars[n].Tone == sign(verdict):
			bars[n].To++
			bars[n].Parts++
		default:
			bars = append(bars, RowBar{From: at, To: at + 1, Parts: 1, Tone: sign(verdict)})
		}
	}
	return bars
}

// paces are the tries of how fast a disk may be.
func (l *Lane) paces() *Details {
	h := &Rows{Head: "At", Columns: numbers("Clean tries")}
	for i := range l.Tries {
		try := &l.Tries[i]
		h.Axis.High = max(h.Axis.High, try.Rate)
		h.Rows = append(h.Rows, Row{Label: l.formatValue(try.Value),
			Bars:    []RowBar{{To: try.Rate, Tone: sign(try.State())}},
			Numbers: []Cell{{Text: fmt.Sprintf("%d of %d", try.Clean, try.Count)}}})
	}
	return &Details{ID: "paces", Title: "How fast may " + l.Key.Label + " go?", Open: true,
		Printed: true, Does: "While " + l.While + ".", Blocks: []Block{h}}
}
