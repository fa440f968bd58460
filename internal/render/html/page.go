package html

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/plot"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// page is what the template shows: words and numbers, already formatted.
type page struct {
	Policy   string
	Style    template.CSS
	Library  template.JS
	Script   template.JS
	Summary  template.JS // analysis.json
	Events   template.JS // events.jsonl, packed; empty where the page goes without
	Shapes   [][]chart.Corner
	Name     string
	Started  string
	Partial  bool
	Disks    []disk
	Matrix   *matrix
	Phases   []phase
	Warnings []string
	Notes    []Fact // the environment
	Modes    []mode
	Unit     string // of every rate
	Static   bool   // no chart library: pictures instead
}

// disk is a disk's name with what always goes with it: its colour and its symbol.
type disk struct {
	Name, Connection string
	Where            string // its path or its model, and what it hangs on
	Colour, Shape    int
}

// phase is one phase's part of the page.
type phase struct {
	ID       string
	Name     string
	Does     string // "A and B read, C writes"
	Verdict  string
	Tiles    []tile
	Warnings []string
	Findings []string
	Time     []drawn // the three linked panels
	More     []drawn
	Files    []fileList // every file, where they are few enough to list
	Listed   string     // how many files there are; empty for none
	Disks    []row
	Stages   []stage
	Short    int // stages too short to list
	Recover  []recovery
	Claims   []claim
	Overlap  string // where it lies: for the caption
}

// drawn is a figure with its words.
type drawn struct {
	ID, Title, Text, Label string
	JSON                   template.JS  // of the live chart
	Picture                template.URL // the same without scripts, where it is needed
	Height                 int          // pixels
	Fit                    bool
	Legend                 []legend // of the one that can be zoomed and filtered
}

type legend struct {
	disk
	Op     string
	Series string
}

// look is a disk's constant appearance.
func look(run *trace.Run, name string) disk {
	i := chart.Index(run, name)
	d := disk{Name: name}
	d.Colour, d.Shape = chart.Look(i)
	if i < len(run.Disks) {
		known := run.Disks[i]
		d.Connection = known.Connection
		var where []string
		if known.Path != "" {
			where = append(where, known.Path)
		}
		if known.Profile != "" {
			where = append(where, "simulated as "+known.Profile)
		}
		if known.Connection != "" {
			where = append(where, known.Connection)
		}
		d.Where = strings.Join(where, ", ")
	}
	return d
}

func newPage(in Input, interactive bool) (*page, error) {
	summary, err := json.Marshal(in.Analysis)
	if err != nil {
		return nil, fmt.Errorf("encode the analysis: %w", err)
	}
	events, err := pack(in.Events)
	if err != nil {
		return nil, err
	}
	p := &page{
		Events:  events,
		Summary: template.JS(summary), //nolint:gosec // json.Marshal escapes what could end the element
		Shapes:  chart.Shapes(),
		Name:    in.Analysis.Name,
		Started: started(in.Run.Started),
		Partial: in.Run.Status != trace.Complete,
		Unit:    chart.ScaleOf(in.Analysis).Unit,
		Static:  !interactive,
		Notes:   in.Info.notes(),
		Modes:   in.Info.modes(),
	}
	for _, d := range in.Run.Disks {
		p.Disks = append(p.Disks, look(in.Run, d.Name))
	}
	for _, warning := range in.Analysis.Warnings {
		p.Warnings = append(p.Warnings, warning.Text)
	}
	for i := range in.Analysis.Phases {
		made, err := newPhase(in, i, p.Static)
		if err != nil {
			return nil, fmt.Errorf("phase %s: %w", in.Analysis.Phases[i].Phase, err)
		}
		p.Phases = append(p.Phases, made)
	}
	if len(p.Phases) > 1 {
		p.Matrix = newMatrix(in, p.Phases)
	}
	return p, nil
}

func newPhase(in Input, index int, static bool) (phase, error) {
	found := &in.Analysis.Phases[index]
	p := phase{
		ID:       fmt.Sprintf("phase-%d", index+1),
		Name:     found.Phase,
		Does:     does(in.Run, found),
		Verdict:  found.Verdict,
		Tiles:    tiles(in, found),
		Disks:    rows(in, found),
		Recover:  recoveryRows(in, found),
		Claims:   claims(in, found),
		Findings: chart.Findings(in.Analysis, found),
	}
	p.Stages, p.Short = stages(in, found)
	for _, warning := range found.Warnings {
		p.Warnings = append(p.Warnings, warning.Text)
	}
	if o := found.Overlap; o != nil {
		p.Overlap = fmt.Sprintf("Shaded: the overlap, %s to %s s.", chart.Clock(o.StartS, o.EndS), chart.Clock(o.EndS, o.EndS))
	}
	for _, traced := range in.Run.Phases {
		if traced.Name == found.Phase {
			return p, p.draw(in, traced, found, static)
		}
	}
	return p, nil
}

// draw makes the phase's figures.
func (p *phase) draw(in Input, traced *trace.Phase, found *analysis.Phase, static bool) error {
	by := chart.ScaleOf(in.Analysis)
	line, files := chart.NewTimeline(in.Run, traced, found), chart.NewFiles(in.Run, traced, found)
	laid := plot.Phase{Run: in.Run, Analysis: in.Analysis, Found: found, Timeline: line, Files: files}
	p.files(line, in.Run, by)
	if line.EndS <= 0 {
		return nil
	}
	text := "Each mark is one file, drawn from its start to its end at its speed. "
	if line.Disks[0].Bands != nil {
		text = "Lines: mean speed. Bands: the middle nine tenths of the files. Marks: the files furthest from them. "
	}
	first, err := p.newFigure("time", "Over time", text+p.Overlap, timeline(line, found, by))
	if err != nil {
		return err
	}
	if first.Picture, err = picture(laid, plot.Time); err != nil {
		return err
	}
	for i, lane := range line.Disks {
		first.Legend = append(first.Legend, legend{look(in.Run, lane.Disk), verb(lane.Op), fmt.Sprintf("disk%d", i)})
	}
	p.Time = []drawn{first}
	alone, hasAlone := aloneFigure(found, files, by)
	size, hasSize := sizeFigure(files, by)
	worn, hasWorn := wornFigure(files, by)
	for _, f := range []struct {
		show            bool
		id, title, text string
		figure
	}{
		{hasAlone, "alone", "Alone against shared", "Full bar: in the overlap. Outline: what the disk does alone. " + by.Unit + ".", alone},
		{true, "spread", "How the files spread", each(files, "Marks: single files. ", "Height: how many files. ") + "Bar: the middle nine tenths. Line: the median; ring: the mean. " + by.Unit + ".", spreadFigure(files, by)},
		{hasSize, "size", "Speed against file size", each(files, "Each mark is one file.", "The fuller the colour, the more files."), size},
		{hasWorn, "worn", "Speed against bytes so far", "All that the disk has moved in this phase, from left to right.", worn},
	} {
		if !f.show {
			continue
		}
		d, err := p.newFigure(f.id, f.title, f.text, f.figure)
		if err != nil {
			return err
		}
		if static {
			if d.Picture, err = picture(laid, plot.Name(f.id)); err != nil {
				return err
			}
		}
		p.More = append(p.More, d)
	}
	return nil
}

// picture draws a chart without scripts, as an address that holds the whole of it.
func picture(phase plot.Phase, name plot.Name) (template.URL, error) {
	var out bytes.Buffer
	if err := plot.WritePhase(&out, phase, plot.Options{Chart: name}); err != nil {
		return "", err
	}
	// Made by this program, letter by letter of base64: nothing in it can end the attribute.
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(out.Bytes())), nil //nolint:gosec // see above
}

// each picks the words for files that are drawn one by one, or for many.
func each(files *chart.Files, one, many string) string {
	if len(files.Disks) > 0 && files.Disks[0].Cells != nil {
		return many
	}
	return one
}

// newFigure encodes a figure under the phase's name.
func (p *phase) newFigure(id, title, text string, f figure) (drawn, error) {
	encoded, err := f.encode()
	if err != nil {
		return drawn{}, fmt.Errorf("figure %s: %w", id, err)
	}
	return drawn{ID: p.ID + "-" + id, Title: title, Text: text, Label: title + " in phase " + p.Name, JSON: encoded, Height: f.Height, Fit: f.View.Fit}, nil
}

// started writes the run's wall time as people read it, or as it stands where it is not RFC 3339.
func started(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.Format("2 January 2006, 15:04 MST")
}

// does says who reads and who writes: "A and B read, C writes".
func does(run *trace.Run, found *analysis.Phase) string {
	var parts []string
	for _, role := range []struct {
		role      scenario.Role
		one, many string
	}{{scenario.Read, "reads", "read"}, {scenario.Write, "writes", "write"}} {
		var names []string
		for _, d := range run.Disks {
			if found.Roles[d.Name] == role.role {
				names = append(names, d.Name)
			}
		}
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, names[0]+" "+role.one)
		case 2, 3, 4, 5:
			last := len(names) - 1
			parts = append(parts, strings.Join(names[:last], ", ")+" and "+names[last]+" "+role.many)
		default:
			parts = append(parts, words(len(names))+" disks "+role.many)
		}
	}
	return strings.Join(parts, ", ")
}

// verb is what a disk with the role does.
func verb(role scenario.Role) string {
	switch role {
	case scenario.Read:
		return "reading"
	case scenario.Write:
		return "writing"
	default:
		return "idle"
	}
}

// notes are the environment's lines, as far as they are known.
func (i Info) notes() []Fact {
	var notes []Fact
	for _, fact := range append([]Fact{
		{"hubbench", i.Tool}, {"Host", i.Host}, {"System", i.OS}, {"Hub", i.Hub}, {"Scenario", i.Scenario}, {"Seed", i.Seed},
	}, i.Facts...) {
		if fact.Value != "" {
			notes = append(notes, fact)
		}
	}
	return notes
}

// mode is a line of the table of effective modes.
type mode struct {
	Phase, Disk, Engine, Cache, Flush, Block string
	Depth                                    int
	Warnings                                 []string
}

func (i Info) modes() []mode {
	modes := make([]mode, len(i.Modes))
	for k, m := range i.Modes {
		modes[k] = mode{m.Phase, m.Disk, m.Engine, m.Cache, m.Flush, unit.FormatBytes(m.Block), m.Depth, m.Warnings}
	}
	return modes
}
