package html

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// heat is a table whose cells are coloured by what is lost.
type heat struct {
	ID, Title, Note string
	Behind          bool // it prints behind the answer, on a page of its own
	Heads           []heatHead
	Rows            []heatRow
}

// heatHead names a disk, or says what it does: then the first of a disk's heads has its mark.
type heatHead struct {
	Disk       *report.LegendKey
	Text, Load string
	Again      bool // the row above is of the same disk
}

type heatRow struct {
	heatHead
	Cells []heatCell
}

type heatCell struct {
	Text, Small, Load, Class string
	Tint                     int
}

// maxHot is the part of its baseline below which what a disk keeps is in bold.
const maxHot = 0.75

// prepareAnswer prepares the first screen: the load that the headline is about, and all that can be
// chosen.
func (p *page) prepareAnswer(tmpl *template.Template) error {
	a := p.Doc.Answer
	if a == nil || len(a.Loads) == 0 {
		return nil
	}
	k := perRate(a.Scale, a.Loads)
	first := newHub(a.Scale, &a.Loads[0], k)
	p.Hub = &first
	p.First = &a.Loads[0]
	p.Race = a.Layout == report.LayoutRace
	for _, d := range p.First.Disks {
		if d.Baseline > 0 {
			p.Note = "Pale: its baseline, the speed without the others. "
		}
	}
	p.Note += strings.TrimSpace(a.Sure + " " + a.KeptNote())
	p.Plot = newTimePlot(p.First.Chart)
	p.Chosen = p.First.ID
	for i := range a.Loads {
		if l := &a.Loads[i]; l.All && len(p.Choices) < maxChoices {
			p.Choices = append(p.Choices, l)
		}
	}
	if !p.Race {
		p.addTogether()
		p.addPairs()
	}
	return p.packState(tmpl, k)
}

// addPairs is the table of pairs as a heat map.
func (p *page) addPairs() {
	for _, t := range report.Collect[*report.Table](p.Doc.Blocks) {
		if t.ID != "pairs" || len(t.Columns) < 2 || len(p.Doc.Keys) > maxPairDisk {
			continue
		}
		out := heat{ID: t.ID, Title: "Who slows down whom", Note: t.Note, Behind: true}
		for i, c := range t.Columns[1:] {
			head := heatHead{Text: c.Head, Again: i > 0 && t.Columns[i].Disk == c.Disk}
			if !head.Again {
				head.Disk = c.Disk
			}
			out.Heads = append(out.Heads, head)
		}
		for i, row := range t.Rows {
			r := heatRow{heatHead: out.Heads[i]}
			for _, c := range row[1:] {
				cell := heatCell{Text: cmp.Or(c.Plain[0], c.Text), Load: c.Link}
				if c.Text == "" {
					cell.Class = "unknown"
				}
				cell.colour(c.Heat)
				r.Cells = append(r.Cells, cell)
			}
			out.Rows = append(out.Rows, r)
		}
		p.Heats = append(p.Heats, out)
	}
}

// colour says how much a disk lost.
func (c *heatCell) colour(kept float64) {
	c.Tint = tint(kept)
	if kept > 0 && kept < maxHot {
		c.Class = "hot"
	}
}

// addTogether is a row for each load of all disks.
func (p *page) addTogether() {
	a := p.Doc.Answer
	out := heat{
		ID: "all", Title: "All disks together",
		Note: strings.TrimSpace(a.Scale.Unit +
			" with all disks busy, and the share of its baseline that each keeps. " +
			a.KeptNote()),
	}
	for i := range p.Doc.Keys {
		out.Heads = append(out.Heads, heatHead{Disk: &p.Doc.Keys[i]})
	}
	out.Heads = append(out.Heads, heatHead{Text: "together"})
	for _, l := range a.Loads {
		if !l.All || len(l.Disks) < 2 || len(out.Rows) == maxTogether {
			continue
		}
		row := heatRow{heatHead: heatHead{Text: l.Title, Load: l.ID}}
		for _, key := range p.Doc.Keys {
			cell := heatCell{}
			for _, d := range l.Disks {
				if d.Name == key.Name {
					cell = heatCell{Text: a.Scale.Number(d.Rate), Small: d.Percent()}
					cell.colour(d.Kept)
					if d.Cached() {
						cell.Small = d.Remark
					}
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		sum := heatCell{Text: a.Scale.Number(l.Rate)}
		if !l.Cached() {
			sum.Class = "sum"
		}
		row.Cells = append(row.Cells, sum)
		out.Rows = append(out.Rows, row)
	}
	if len(out.Rows) > 1 {
		p.Heats = append(p.Heats, out)
	}
}

// loadState is a load as the page's script shows it: markup of the page's own template.
type loadState struct {
	Title string `json:"title"`
	Hub   string `json:"hub"`
	Plot  string `json:"plot"`
}

// raceState is what playing a phase back needs: the hub diagram of moments at equal distances, and
// of each stage, as markup of the page's own template.
type raceState struct {
	End    float64     `json:"end"`
	Frames []string    `json:"frames"`
	Stages []raceStage `json:"stages"`
}

// raceStage is a stretch of the phase in which nothing changes, with the mean rate of each disk.
type raceStage struct {
	From  float64   `json:"from"`
	To    float64   `json:"to"`
	Text  string    `json:"text"`
	Hub   string    `json:"hub"`
	Rates []float64 `json:"-"` // in the answer's unit
	Bad   bool      `json:"-"`
}

// Width is the share of the stage in the whole, as a track of a grid.
func (s raceStage) Width() float64 { return tenth(s.To - s.From) }

// track is what a disk did over time: from, to and rate in the answer's unit.
type track [][]float64

// meanRate is the mean rate of a stretch.
func (t track) meanRate(from, to float64) float64 {
	var moved float64
	for _, at := range t {
		moved += at[2] * max(0, min(to, at[1])-max(from, at[0]))
	}
	return moved / (to - from)
}

// rateAt is the rate at a moment, and whether the disk has finished.
func (t track) rateAt(moment float64) (rate float64, over bool) {
	over = true
	for _, at := range t {
		if at[0] <= moment && moment < at[1] {
			rate = at[2]
		}
		over = over && at[1] <= moment
	}
	return rate, over
}

// markup is what a template of the page makes of data.
func markup(tmpl *template.Template, name string, data any) (string, error) {
	var out bytes.Buffer
	if err := tmpl.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("draw the %s: %w", name, err)
	}
	return out.String(), nil
}

// packState packs the loads that can be chosen.
func (p *page) packState(tmpl *template.Template, k float64) error {
	a := p.Doc.Answer
	loads := map[string]loadState{}
	points := 0
	for i := range a.Loads {
		l := &a.Loads[i]
		s := loadState{Title: l.Title}
		var err error
		if s.Hub, err = markup(tmpl, "hub", newHub(a.Scale, l, k)); err != nil {
			return err
		}
		if l.Chart != nil {
			for _, series := range l.Chart.Series {
				points += len(series.Points)
			}
		}
		if drawn := newTimePlot(l.Chart); drawn != nil && points < maxPoints {
			if s.Plot, err = markup(tmpl, "plot", drawn); err != nil {
				return err
			}
		}
		loads[l.ID] = s
	}
	if !p.Race || p.First.Chart == nil || p.Hub.List {
		return p.packLoads(loads, nil)
	}
	race, err := p.raceState(tmpl, k)
	if err != nil {
		return err
	}
	p.Stages = race.Stages
	return p.packLoads(loads, race)
}

// packLoads packs the loads that can be chosen, and the race that can be played back if there is
// one.
func (p *page) packLoads(loads map[string]loadState, race *raceState) error {
	text, err := json.Marshal(struct {
		Loads map[string]loadState `json:"loads"`
		Race  *raceState           `json:"race,omitempty"`
	}{loads, race})
	if err != nil {
		return fmt.Errorf("encode the loads: %w", err)
	}
	p.State, err = deflate(text)
	return err
}

// raceState is the first load's phase to play back.
func (p *page) raceState(tmpl *template.Template, k float64) (*raceState, error) {
	var tracks []track
	for _, row := range p.Hub.Rows {
		tracks = append(tracks, trackOf(p.First.Chart, row.Name))
	}
	r := &raceState{End: p.First.Chart.X.Max, Stages: p.raceStages(tracks)}
	scale := p.Doc.Answer.Scale
	draw := func(rates []float64, moment float64) (string, error) {
		l := *p.First
		l.Disks = slices.Clone(l.Disks)
		l.Rate = 0
		for i := range l.Disks {
			d := &l.Disks[i]
			d.Rate = rates[i] * scale.Size
			d.Kept = 0
			if d.Baseline > 0 {
				d.Kept = d.Rate / d.Baseline
			}
			l.Rate += d.Rate
		}
		h := newHub(scale, &l, k)
		for i := range h.Rows {
			row := &h.Rows[i]
			if _, row.Over = tracks[i].rateAt(moment); row.Over {
				row.Verb = "has finished"
			}
		}
		return markup(tmpl, "hub", h)
	}
	for i := range r.Stages {
		s := &r.Stages[i]
		var err error
		if s.Hub, err = draw(s.Rates, (s.From+s.To)/2); err != nil {
			return nil, err
		}
	}
	for i := range raceFrames {
		moment := r.End * float64(i) / (raceFrames - 1)
		var rates []float64
		for _, t := range tracks {
			rate, _ := t.rateAt(moment)
			rates = append(rates, rate)
		}
		frame, err := draw(rates, moment)
		if err != nil {
			return nil, err
		}
		r.Frames = append(r.Frames, frame)
	}
	return r, nil
}

// trackOf is what a chart over time says of a disk.
func trackOf(c *report.Chart, disk string) (out track) {
	for _, s := range c.Series {
		if s.Key < 0 || c.Keys[s.Key].Name != disk || s.Faint {
			continue
		}
		for i, at := range s.Points {
			switch {
			case s.Kind == report.Files:
				out = append(out, at[:3])
			case s.Kind == report.Line && i > 0:
				out = append(out, []float64{s.Points[i-1][0], at[0], at[1]})
			}
		}
	}
	return out
}

// raceStages are the chart's bands that have a name, and what follows the last where that is a
// loss.
func (p *page) raceStages(tracks []track) []raceStage {
	stages := []raceStage{}
	add := func(from, to float64, text string, bad bool) {
		s := raceStage{From: from, To: to, Text: text, Bad: bad}
		for _, t := range tracks {
			s.Rates = append(s.Rates, t.meanRate(from, to))
		}
		stages = append(stages, s)
	}
	c := p.First.Chart
	var at float64
	for _, b := range c.Bands {
		if b.Text != "" && b.From >= at && b.To > b.From {
			add(b.From, b.To, b.Text, b.Tone == report.Bad)
			at = b.To
			if b.Overlap { // as progress within the files has them, which the headline quotes
				rates := stages[len(stages)-1].Rates
				for i, row := range p.Hub.Rows {
					rates[i] = row.Rate / p.Doc.Answer.Scale.Size
				}
			}
		}
	}
	if n := len(stages); n > 0 && stages[n-1].Bad && at < c.X.Max {
		add(at, c.X.Max, "afterwards", false)
	}
	return stages
}
