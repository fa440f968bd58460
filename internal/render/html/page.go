package html

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// page is what the template shows: words and numbers, already formatted.
type page struct {
	Policy  string
	Style   template.CSS
	Library template.JS
	Script  template.JS
	Summary template.JS // analysis.json
	Events  template.JS // events.jsonl, packed; empty where the page goes without
	Shapes  [][]chart.Corner
	Name    string
	Started string
	Partial bool
	// Simulated disks are no measurement of anything; the reader is told before any number.
	Simulated bool
	Disks     []disk
	Matrix    *matrix
	Phases    []phase
	Warnings  []string
	Notes     []Fact // the environment
	Modes     []mode
	Unit      string // of every rate
	Static    bool   // no chart library: pictures instead
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
	p.Simulated = len(in.Run.Disks) > 0 && !slices.ContainsFunc(in.Run.Disks, func(d trace.Disk) bool { return d.Profile == "" })
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
	if o := found.Overlap; o != nil && len(o.Disks) > 1 {
		p.Overlap = fmt.Sprintf("Shaded: the overlap, %s to %s s.", chart.Clock(o.StartS, o.EndS), chart.Clock(o.EndS, o.EndS))
	}
	for _, traced := range in.Run.Phases {
		if traced.Name == found.Phase {
			return p, p.draw(in, traced, found, static)
		}
	}
	return p, nil
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
		role      trace.Role
		one, many string
	}{{trace.Read, "reads", "read"}, {trace.Write, "writes", "write"}} {
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
func verb(role trace.Role) string {
	switch role {
	case trace.Read:
		return "reading"
	case trace.Write:
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
