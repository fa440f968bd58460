package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Run is what the report of a run is made of.
type Run struct {
	Trace    *trace.Run // nil where only the results are at hand: no figures of files then
	Analysis *analysis.Analysis
	About    About
}

// About says how and where a run was made. Empty fields are left out.
type About struct {
	Tool     string // hubbench's version
	Host     string
	OS       string
	Scenario string // the scenario's file name
	Hub      string // the hub, or the model of it
	Seed     string // of the plan
	Modes    []Mode // in the order of the run
	Warnings []string
	Failures []string // what went wrong, with its cause
}

// Mode is how a disk was really driven in a phase.
type Mode struct {
	Phase, Disk string
	trace.Effective
}

// OfRun is the report of a run: what to doubt, what all phases come to where there are several, and each phase.
func OfRun(run Run) *Document {
	a := run.Analysis
	doc := &Document{Kind: "report", Title: a.Name, Tool: run.About.Tool, Hub: run.About.Hub, Unit: scaleOf(a).Unit, Keys: newKeys(a.Order), Data: a}
	if run.Trace != nil {
		doc.Started, doc.Simulated, doc.Model = when(run.Trace.Started), Simulated(run.Trace), hub.Source(a.ProfileOrigin)
		if setup := run.Trace.Hardware; setup != nil && setup.Hub != nil {
			doc.Hub = hubName(setup.Hub)
		}
		for i, d := range run.Trace.Disks {
			if i < len(doc.Keys) {
				doc.Keys[i].Where = where(d)
			}
		}
	}
	doc.Answer = runAnswer(doc, run)
	var doubts []string
	for _, text := range run.About.Failures {
		doubts = append(doubts, "Failed: "+text)
	}
	for _, w := range a.Warnings {
		doubts = append(doubts, w.Text)
	}
	for _, text := range append(doubts, run.About.Warnings...) {
		if text != doc.Answer.Headline && !slices.Contains(doc.Answer.Doubts, text) {
			doc.Add(Warning{text})
		}
	}
	if len(a.Phases) > 1 {
		study(doc, a)
	}
	addFindings(doc, a)
	scale := scaleOf(a)
	for i := range a.Phases {
		doc.Add(newPhase(run, doc.Keys, i, scale))
	}
	doc.Blocks = doc.Answer.without(doc.Blocks)
	doc.Add(runMethods(a), environment(doc, run))
	doc.Answer.Figure = answerFigure(doc, run)
	return doc
}

// Simulated reports whether no disk of the run is real.
func Simulated(run *trace.Run) bool {
	return len(run.Disks) > 0 && !slices.ContainsFunc(run.Disks, func(d trace.Disk) bool { return d.Profile == "" })
}

// when writes the run's wall time as people read it, or as it stands where it is not RFC 3339.
func when(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.Format("2 January 2006, 15:04 MST")
}

func where(d trace.Disk) string {
	parts := []string{d.Path, pick(d.Profile == "", "", "simulated as "+d.Profile), d.Connection}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// phaseID is where a phase is linked to.
func phaseID(index int) string { return fmt.Sprintf("phase-%d", index+1) }

// does says who does what, unless the title does: "A and B read, C writes".
func (v *phaseView) does() string {
	text := does(v.keys, v.found.Roles, v.found.Paced)
	return pick(strings.HasPrefix(v.found.Title, text), "", text)
}

// does says which of the disks do what.
func does(keys []Key, roles map[string]trace.Role, paced work.Paced) string {
	labels := make([]string, len(keys))
	works := map[string]work.Work{}
	for i, key := range keys {
		labels[i] = key.Label
		if role := roles[key.Name]; role == trace.Read || role == trace.Write {
			works[key.Label] = workOf(role, paced[key.Name])
		}
	}
	return work.Who(labels, works)
}

// runMethods say how rates and verdicts are come by.
func runMethods(a *analysis.Analysis) *Details {
	d := &Details{ID: "methods", Title: "Methods", Printed: true}
	for _, text := range say.Methods(a) {
		d.Add(Sentence{Text: text})
	}
	d.Add(Sentence{Text: "A disk is active from the start of its first file to the end of its last; pauses longer than half a second between its files are left out. " +
		"The overlap is the time in which every working disk of the phase is active. A rate in it is the bytes moved inside the overlap over its length. " +
		"Files that cross an edge of it count by their recorded progress or, where there is none, in proportion to time."},
		Sentence{Text: "A file's time runs from just before its first request to just after its flush; opening and closing it lie outside. " +
			"Rates are decimal: 1 GB/s = 10^9 bytes per second = 8 Gb/s."},
	)
	return d
}

// environment says where and how the run was made.
func environment(doc *Document, run Run) *Details {
	about := run.About
	var setup *hardware.Setup
	if run.Trace != nil {
		setup = run.Trace.Hardware
	}
	d := &Details{Title: "Where and how it was measured"}
	facts := &Table{Title: "Where it was measured", Columns: []Column{{Head: "What"}, {Head: "Value"}}}
	for _, fact := range append([][2]string{
		{"hubbench", about.Tool}, {"Host", about.Host}, {"System", about.OS}, {"Hub", doc.Hub}, {"Scenario", about.Scenario}, {"Seed", about.Seed},
	}, setupFacts(setup)...) {
		if fact[1] != "" {
			facts.Rows = append(facts.Rows, []Cell{{Text: fact[0]}, {Text: fact[1]}})
		}
	}
	for i := range doc.Keys {
		facts.Rows = append(facts.Rows, []Cell{{Disk: &doc.Keys[i]}, {Text: doc.Keys[i].Where}})
	}
	if len(facts.Rows) > 0 {
		d.Add(facts)
	}
	if table := setupTable(doc.Keys, setup); table != nil {
		d.Add(table)
	}
	if len(about.Modes) == 0 {
		return d
	}
	modes := &Table{Title: "I/O of each disk", Note: "The I/O that each disk really got, which may differ from what the scenario asked for.", Columns: []Column{
		{Head: "Phase"}, {Head: "Disk"}, {Head: "Engine"}, {Head: "Cache"}, {Head: "Flush"}, {Head: "Block", Numbers: true}, {Head: "Depth", Numbers: true},
	}}
	var doubts []string
	for _, m := range about.Modes {
		for _, doubt := range m.Warnings {
			if text := m.Disk + ": " + doubt; !slices.Contains(doubts, text) {
				doubts = append(doubts, text)
			}
		}
		modes.Rows = append(modes.Rows, []Cell{{Text: m.Phase}, {Text: m.Disk}, {Text: m.Engine}, {Text: m.Cache}, {Text: m.Flush}, {Text: unit.FormatBytes(m.Block)}, {Text: fmt.Sprint(m.Depth)}})
	}
	// Most runs drive every disk alike in every phase: then one line says it.
	first := modes.Rows[0]
	if len(modes.Rows) > 1 && !slices.ContainsFunc(modes.Rows, func(row []Cell) bool { return !slices.Equal(row[2:], first[2:]) }) {
		first[0].Text, first[1].Text, modes.Rows = "all", "all", modes.Rows[:1]
	}
	d.Add(modes)
	for _, doubt := range doubts {
		d.Add(Warning{doubt})
	}
	return d
}
