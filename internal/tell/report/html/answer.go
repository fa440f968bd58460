package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// pairs is what each disk keeps beside one other, as a heat map.
type pairs struct {
	Note  string
	Heads []pairHead
	Rows  []pairRow
}

type pairHead struct {
	Disk  *report.Key
	Head  string
	First bool // of its disk
}

type pairRow struct {
	pairHead
	Cells []heatCell
}

// heatCell is a number, coloured by what is lost.
type heatCell struct {
	Text, Small, Load string
	Tint              int
	Hot, None         bool
}

// together is what all disks do at the same time.
type together struct {
	Title string
	Note  string
	Keys  []report.Key
	Rows  []togetherRow
}

type togetherRow struct {
	ID, Title string
	Cells     []heatCell
	Sum       string
}

// maxHot is the part of its baseline below which what a disk keeps is in bold.
const maxHot = 0.75

// HasFacts reports whether something stands beside the first figure.
func (p *page) HasFacts() bool { return len(p.Doc.Answer.Facts)+len(p.Doc.Answer.Actions) > 0 }

// answer prepares the first screen: the load that the headline is about, and all that can be chosen.
func (p *page) answer(tmpl *template.Template) error {
	a := p.Doc.Answer
	switch {
	case a == nil:
		return nil
	case a.Layout == report.LayoutStreams:
		p.Gauges = newGauges(a.Streams)
		return nil
	case a.Layout == report.LayoutCost:
		p.Costs = newCosts(a)
		return nil
	case len(a.Loads) == 0 || a.Layout != report.LayoutStudy && a.Layout != report.LayoutRace:
		return nil
	}
	k := perRate(a.Scale, a.Loads)
	first := newHub(a.Scale, &a.Loads[0], k)
	p.Hub, p.First, p.Unit, p.Race = &first, &a.Loads[0], a.Scale.Unit, a.Layout == report.LayoutRace
	p.Plot = newTimeline(p.First.Chart)
	for _, l := range a.Loads {
		if l.All && len(p.Choices) < maxChoices {
			p.Choices = append(p.Choices, l)
		}
	}
	if !p.Race {
		p.pairs()
		p.together()
	}
	return p.state(tmpl, k)
}

// pairs is the table of pairs as a heat map.
func (p *page) pairs() {
	for _, t := range report.Collect[*report.Table](p.Doc.Blocks) {
		if t.ID != "pairs" || len(t.Columns) < 2 || len(p.Doc.Keys) > maxPairDisk {
			continue
		}
		out := &pairs{Note: t.Note}
		for i, c := range t.Columns[1:] {
			out.Heads = append(out.Heads, pairHead{c.Disk, c.Head, i == 0 || t.Columns[i].Disk != c.Disk})
		}
		for i, row := range t.Rows {
			r := pairRow{pairHead: out.Heads[i]}
			for _, c := range row[1:] {
				cell := heatCell{Text: strings.TrimSuffix(c.Text, " %"), Load: c.Link, None: c.Text == ""}
				if c.Heat != nil {
					cell.Tint, cell.Hot = tint(*c.Heat), *c.Heat < maxHot
				}
				r.Cells = append(r.Cells, cell)
			}
			out.Rows = append(out.Rows, r)
		}
		p.Pairs = out
	}
}

// together is a row for each load of all disks.
func (p *page) together() {
	a := p.Doc.Answer
	out := &together{Keys: p.Doc.Keys, Title: "All disks together", Note: a.KeptNote()}
	for _, l := range a.Loads {
		if !l.All || len(l.Disks) < 2 || len(out.Rows) == maxTogether {
			continue
		}
		row := togetherRow{ID: l.ID, Title: l.Title, Sum: a.Scale.Number(l.Rate)}
		for _, key := range p.Doc.Keys {
			cell := heatCell{}
			for _, d := range l.Disks {
				if d.Name == key.Name {
					cell = heatCell{Text: a.Scale.Number(d.Rate), Small: d.Percent(), Tint: tint(d.Kept)}
					cell.Hot = d.Kept > 0 && d.Kept < maxHot
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		out.Rows = append(out.Rows, row)
	}
	if len(out.Rows) > 1 {
		p.Together = out
	}
}

// loadState is a load as the page's script shows it: markup of the page's own template.
type loadState struct {
	Title string `json:"title"`
	Hub   string `json:"hub"`
	Plot  string `json:"plot"`
}

// raceState is what playing a phase back needs. Rates are in the answer's unit.
type raceState struct {
	Unit    string      `json:"unit"`
	Scale   float64     `json:"scale"` // pixels for each unit of rate
	Minimum float64     `json:"minimum"`
	Height  int         `json:"height"`
	Row     int         `json:"row"`
	End     float64     `json:"end"`
	Disks   []raceDisk  `json:"disks"`
	Stages  []raceStage `json:"stages"`
}

type raceDisk struct {
	Verb     string      `json:"verb"`
	Baseline float64     `json:"baseline"`
	End      float64     `json:"end"`
	Points   [][]float64 `json:"points"` // from, to, rate
}

// raceStage is a stretch of the phase in which nothing changes, with the mean rate of each disk.
type raceStage struct {
	From  float64   `json:"from"`
	To    float64   `json:"to"`
	Text  string    `json:"text"`
	Rates []float64 `json:"rates"`
	Bad   bool      `json:"-"`
}

// Width is the share of the stage in the whole, as a track of a grid.
func (s raceStage) Width() float64 { return s.To - s.From }

// state packs the loads that can be chosen.
func (p *page) state(tmpl *template.Template, k float64) error {
	a := p.Doc.Answer
	state := struct {
		Loads map[string]loadState `json:"loads"`
		Race  *raceState           `json:"race,omitempty"`
	}{Loads: map[string]loadState{}}
	points := 0
	for i := range a.Loads {
		l := &a.Loads[i]
		var markup bytes.Buffer
		if err := tmpl.ExecuteTemplate(&markup, "hub", newHub(a.Scale, l, k)); err != nil {
			return fmt.Errorf("load %s: %w", l.Title, err)
		}
		s := loadState{Title: l.Title, Hub: markup.String()}
		if l.Chart != nil {
			for _, series := range l.Chart.Series {
				points += len(series.Points)
			}
		}
		if drawn := newTimeline(l.Chart); drawn != nil && points < maxPoints {
			markup.Reset()
			if err := tmpl.ExecuteTemplate(&markup, "plot", drawn); err != nil {
				return fmt.Errorf("load %s: %w", l.Title, err)
			}
			s.Plot = markup.String()
		}
		state.Loads[l.ID] = s
	}
	if p.Race && p.First.Chart != nil && !p.Hub.List {
		state.Race = p.raceState(k)
		p.Stages = state.Race.Stages
	}
	text, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("encode the loads: %w", err)
	}
	p.State, err = deflate(text)
	return err
}

// raceState is the first load's phase to play back.
func (p *page) raceState(k float64) *raceState {
	c := p.First.Chart
	r := &raceState{
		Unit: p.Unit, Scale: k, Minimum: minCable, Height: p.Hub.Height, Row: p.Hub.Row, End: c.X.Max,
	}
	for _, row := range p.Hub.Rows {
		d := raceDisk{Verb: row.Verb, Baseline: row.Baseline / p.Doc.Answer.Scale.Size}
		for _, s := range c.Series {
			if s.Key < 0 || c.Keys[s.Key].Name != row.Name || s.Faint {
				continue
			}
			for i, at := range s.Points {
				switch {
				case s.Kind == report.Files:
					d.Points = append(d.Points, at[:3])
				case s.Kind == report.Line && i > 0:
					d.Points = append(d.Points, []float64{s.Points[i-1][0], at[0], at[1]})
				}
			}
		}
		for _, at := range d.Points {
			d.End = max(d.End, at[1])
		}
		r.Disks = append(r.Disks, d)
	}
	at := 0.0
	for _, b := range c.Bands {
		if b.Text != "" && b.From >= at && b.To > b.From {
			r.stage(b.From, b.To, b.Text, b.Tone == report.Bad)
			at = b.To
		}
	}
	if n := len(r.Stages); n > 0 && r.Stages[n-1].Bad && at < c.X.Max {
		r.stage(at, c.X.Max, "afterwards", false)
	}
	if len(r.Stages) > 0 { // all are busy: the rates that the answer has
		for i, row := range p.Hub.Rows {
			r.Stages[0].Rates[i] = row.Rate / p.Doc.Answer.Scale.Size
		}
	}
	return r
}

// stage adds a stretch with the mean rate of each disk in it.
func (r *raceState) stage(from, to float64, text string, bad bool) {
	s := raceStage{From: from, To: to, Text: text, Bad: bad}
	for _, d := range r.Disks {
		moved := 0.0
		for _, at := range d.Points {
			moved += at[2] * max(0, min(to, at[1])-max(from, at[0]))
		}
		s.Rates = append(s.Rates, moved/(to-from))
	}
	r.Stages = append(r.Stages, s)
}
