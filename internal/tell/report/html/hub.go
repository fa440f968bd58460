package html

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// hub is a load in the hub diagram: computer, cable, hub and disks.
type hub struct {
	Row    int     // height of a disk's row in pixels
	Height int     // height of the diagram
	Trunk  float64 // thickness of the cable between computer and hub
	Total  string
	Rows   []hubRow
	More   int  // disks that are left out
	Alone  bool // there is one disk: nothing is shared, so no hub is drawn
	List   bool // a line for each disk instead of a card
	Same   bool // all disks do the same
	Cached bool // a rate among them is this computer's cache's
}

// hubRow is a disk, and its cables as paths.
type hubRow struct {
	report.LoadDisk
	Paint            string
	Now, Of          string
	Main, Fan, Ghost string
	Named            bool // it has its own colour
	Over             bool // it has finished
}

// The diagram's measures, in pixels.
const (
	cardRow     = 92 // row height for up to three disks
	smallRow    = 78 // row height for up to six: names may take two lines
	listRow     = 36
	fewCards    = 3
	maxCards    = 2 * fewCards
	maxRows     = 14
	minHeight   = 128
	maxPerRate  = 20  // for each GB/s, or whatever the unit of the rates is
	trunkShare  = 0.6 // maximum share of the height
	minCable    = 1.5
	rowGap      = 4
	plotWidth   = 1000 // units of a plot's width, which the page stretches
	perCent     = 100
	maxTint     = 42 // per cent of the colour for losses
	tintFrom    = 0.05
	tintPerLoss = 70
)

// perRate is the thickness of a cable for each unit of rate, the same for all loads, so that their
// cables compare.
func perRate(scale report.Scale, loads []report.Load) float64 {
	k := float64(maxPerRate)
	for i := range loads {
		l := &loads[i]
		var top float64
		for _, d := range l.Disks {
			top = max(top, d.Baseline)
		}
		if top = max(top, l.Rate) / scale.Size; top > 0 {
			k = min(k, trunkShare*float64(heightOf(len(l.Disks)))/top)
		}
	}
	return k
}

func rowOf(disks int) int {
	switch {
	case disks <= fewCards:
		return cardRow
	case disks <= maxCards:
		return smallRow
	}
	return listRow
}

func heightOf(disks int) int { return max(minHeight, min(disks, maxRows)*rowOf(disks)) }

// newHub lays a load out. Of many disks those that keep least come first, and only those that the
// answer calls slowed, or that crowd them out, have colours.
func newHub(scale report.Scale, l *report.Load, perRate float64) hub {
	disks := l.Disks
	h := hub{
		Row: rowOf(len(disks)), List: len(disks) > maxCards, Same: true,
		Alone: len(disks) == 1,
		Total: scale.Rate(l.Rate), Cached: l.Cached(),
	}
	if h.List {
		disks = l.Least()
		h.More = max(0, len(disks)-maxRows)
		disks = disks[:min(len(disks), maxRows)]
	}
	h.Height = heightOf(len(l.Disks))
	thick := func(rate float64) float64 {
		if rate <= 0 {
			return 0
		}
		return max(minCable, rate/scale.Size*perRate)
	}
	for _, d := range disks {
		h.Trunk += thick(d.Rate)
	}
	y := (float64(h.Height) - h.Trunk) / 2
	h.Trunk = tenth(h.Trunk)
	top := (float64(h.Height) - float64(len(disks)*h.Row)) / 2
	for i, d := range disks {
		row := hubRow{LoadDisk: d, Now: scale.Number(d.Rate), Named: !h.List || d.Slowed ||
			i < maxCards}
		row.Paint = fmt.Sprintf("var(--c%d)", d.Colour())
		if !row.Named {
			row.Paint = "var(--faint)"
		}
		if d.Baseline > 0 {
			row.Of = "of " + scale.Number(d.Baseline)
		} else {
			row.Of = d.Remark
		}
		h.Same = h.Same && d.Verb == disks[0].Verb
		thickness := thick(d.Rate)
		ghost := min(max(thick(d.Baseline), thickness), float64(h.Row-rowGap))
		middle := top + float64(h.Row)*(float64(i)+0.5)
		row.Main = fmt.Sprintf("M0 %.1fH100v%.1fH0Z", y, thickness)
		row.Ghost = ribbon(y, thickness, middle-ghost/2, ghost)
		row.Fan = ribbon(y, thickness, middle-thickness/2, thickness)
		y += thickness
		h.Rows = append(h.Rows, row)
	}
	return h
}

// ribbon is a cable from a height and thickness at the left to others at the right.
func ribbon(a, thick, b, end float64) string {
	return fmt.Sprintf("M0 %.1fC50 %.1f 50 %.1f 100 %.1fv%.1fC50 %.1f 50 %.1f 0 %.1fZ",
		a, a, b, b, end, b+end, a+thick, a+thick)
}

// tenth is fine enough for a place or a width.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }

// tint is how strongly a cell is coloured for what a disk keeps.
func tint(kept float64) int {
	if kept <= 0 || kept > 1-tintFrom {
		return 0
	}
	return min(maxTint, int(math.Round(tintPerLoss*(1-kept))))
}
