package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// flow is a picture of cables as the page shows it.
type flow struct {
	*report.Flow
	Hub    hub // the first state
	Plot   *timePlot
	Heats  []heat
	Packed template.JS // the other states, for the script
}

// newFlow lays a picture out; it returns nil if the page has another.
func newFlow(tmpl *template.Template, h report.Hero) (*flow, error) {
	of, ok := h.(*report.Flow)
	if !ok {
		return nil, nil
	}
	k := perRate(of)
	f := &flow{Flow: of, Hub: newHub(of, &of.States[0], k), Plot: newTimePlot(of.States[0].Chart)}
	for _, t := range of.Tables {
		f.Heats = append(f.Heats, newHeat(t))
	}
	var err error
	f.Packed, err = f.pack(tmpl, k)
	return f, err
}

// Choices returns the states that have buttons.
func (f *flow) Choices() (choices []*report.FlowState) {
	for i := range f.States {
		if f.States[i].Choice {
			choices = append(choices, &f.States[i])
		}
	}
	return choices
}

// has reports whether the picture shows a table in its own way.
func (f *flow) has(t *report.Table) bool {
	for _, own := range f.Tables {
		if own.Name() == t.Name() {
			return true
		}
	}
	return false
}

// loadState is a load as the page's script shows it: markup of the page's own template.
type loadState struct {
	Title string `json:"title"`
	Hub   string `json:"hub"`
	Plot  string `json:"plot"`
}

// raceState is what playing a phase back needs: the picture of moments at equal distances, and of
// each stage.
type raceState struct {
	End    float64     `json:"end"`
	Frames []string    `json:"frames"`
	Stages []raceStage `json:"stages"`
}

// raceStage is a stretch of the phase in which nothing changes.
type raceStage struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Text string  `json:"text"`
	Hub  string  `json:"hub"`
}

// pack packs the states that can be chosen, and the phase that can be played back if there is one.
func (f *flow) pack(tmpl *template.Template, k float64) (template.JS, error) {
	var state struct {
		Loads map[string]loadState `json:"loads"`
		Race  *raceState           `json:"race,omitempty"`
	}
	state.Loads = map[string]loadState{}
	drawn := func(s *report.FlowState) (string, error) {
		return markup(tmpl, "hub", newHub(f.Flow, s, k))
	}
	points := 0
	for i := range f.States {
		s := &f.States[i]
		hub, err := drawn(s)
		if err != nil {
			return "", err
		}
		out := loadState{Title: s.Title, Hub: hub}
		if s.Chart != nil {
			for _, series := range s.Chart.Series {
				points += len(series.Points)
			}
		}
		if plot := newTimePlot(s.Chart); plot != nil && points < maxPoints {
			if out.Plot, err = markup(tmpl, "plot", plot); err != nil {
				return "", err
			}
		}
		state.Loads[s.ID] = out
	}
	if p := f.Play; p != nil && p.Frames != nil {
		race := &raceState{End: f.States[0].Chart.X.Max, Stages: []raceStage{}}
		for i := range p.Stages {
			s := &p.Stages[i]
			hub, err := drawn(s)
			if err != nil {
				return "", err
			}
			race.Stages = append(race.Stages, raceStage{s.From, s.To, s.Title, hub})
		}
		for i := range p.Frames {
			hub, err := drawn(&p.Frames[i])
			if err != nil {
				return "", err
			}
			race.Frames = append(race.Frames, hub)
		}
		state.Race = race
	}
	text, err := json.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("encode the loads: %w", err)
	}
	return deflate(text)
}

// markup returns what a template of the page makes of data.
func markup(tmpl *template.Template, name string, data any) (string, error) {
	var out bytes.Buffer
	if err := tmpl.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("draw the %s: %w", name, err)
	}
	return out.String(), nil
}

// hub is a state as it is drawn: computer, cable, hub and disks.
type hub struct {
	*report.FlowState
	Row    int     // height of a disk's row in pixels
	Height int     // height of the diagram
	Trunk  float64 // thickness of the cable between computer and hub
	Rows   []hubRow
	More   int  // disks that are left out
	Direct bool // no hub is drawn
	Runs   []report.LegendKey
	Right  *hub // the second hub; nil if there is one
}

// hubRow is a disk, and its cables as paths.
type hubRow struct {
	report.FlowDisk
	Paint            string
	Main, Fan, Ghost string
}

// The diagram's measures, in pixels.
const (
	cardRow    = 92 // row height for up to three disks
	smallRow   = 78 // row height for up to six: names may take two lines
	listRow    = 36
	fewCards   = 3
	maxRows    = 14
	minHeight  = 128
	maxPerRate = 20  // for each GB/s, or whatever the unit of the rates is
	trunkShare = 0.6 // maximum share of the height
	minCable   = 1.5
	rowGap     = 4
)

// perRate returns the thickness of a cable for each unit of rate, the same for all states, so that
// their cables compare.
func perRate(f *report.Flow) float64 {
	k := float64(maxPerRate)
	for i := range f.States {
		s := &f.States[i]
		var top, sum, then float64
		for _, d := range s.Disks {
			top = max(top, d.Baseline)
			sum += d.Rate
			then += d.ThenRate
		}
		if top = max(top, sum, then) / f.PerUnit; top > 0 {
			k = min(k, trunkShare*float64(heightOf(s))/top)
		}
	}
	return k
}

func rowOf(s *report.FlowState) int {
	switch {
	case len(s.Disks) <= fewCards:
		return cardRow
	case s.Many():
		return listRow
	}
	return smallRow
}

func heightOf(s *report.FlowState) int {
	return max(minHeight, min(len(s.Disks), maxRows)*rowOf(s))
}

// newHub lays a state out, on two hubs if the picture has them.
func newHub(f *report.Flow, s *report.FlowState, perRate float64) hub {
	h := newSide(f, s, perRate)
	if f.Runs == nil {
		return h
	}
	then := *s
	then.Disks = slices.Clone(s.Disks)
	for i := range then.Disks {
		then.Disks[i].Rate = then.Disks[i].ThenRate
	}
	right := newSide(f, &then, perRate)
	h.Right, h.Runs = &right, f.Runs
	return h
}

// newSide lays a state out on one hub. Of many disks those that keep least come first.
func newSide(f *report.Flow, s *report.FlowState, perRate float64) hub {
	disks := s.Disks
	h := hub{FlowState: s, Row: rowOf(s), Height: heightOf(s), Direct: f.Direct}
	if s.Many() {
		h.More = max(0, len(disks)-maxRows)
		disks, _ = s.Least(maxRows)
	}
	thick := func(rate float64) float64 {
		if rate <= 0 {
			return 0
		}
		return max(minCable, rate/f.PerUnit*perRate)
	}
	for _, d := range disks {
		h.Trunk += thick(d.Rate)
	}
	y := (float64(h.Height) - h.Trunk) / 2
	h.Trunk = tenth(h.Trunk)
	top := (float64(h.Height) - float64(len(disks)*h.Row)) / 2
	for i, d := range disks {
		row := hubRow{FlowDisk: d, Paint: "var(--faint)"}
		if d.Named {
			row.Paint = fmt.Sprintf("var(--c%d)", d.Colour())
		}
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

// ribbon returns a cable from a height and thickness at the left to others at the right.
func ribbon(a, thick, b, end float64) string {
	return fmt.Sprintf("M0 %.1fC50 %.1f 50 %.1f 100 %.1fv%.1fC50 %.1f 50 %.1f 0 %.1fZ",
		a, a, b, b, end, b+end, a+thick, a+thick)
}

// tenth rounds as finely as a place or a width needs.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }
