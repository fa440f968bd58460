package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// RunData is what the report of a run is made of.
type RunData struct {
	Trace    *trace.Run // nil where only the results are at hand: no figures of files then
	Analysis *analysis.Analysis
	About    About
	// No more than the answer is asked for; of a long run the figures are what takes most time to
	// draw up.
	AnswerAlone bool
}

// About says how and where a run was made. Empty fields are left out.
type About struct {
	Tool     string // hubbench's version
	Host     string
	OS       string
	Scenario string // the scenario's file name
	Hub      string // the hub, or the model of it
	Seed     string // the plan's seed
	Modes    []Mode // in the order of the run
	Warnings []string
	Failures []trace.RunFailure // what ended it early
	Planned  []scenario.Phase   // nil if no plan is known
	Resume   string             // the command that continues it; empty if it is complete
}

// Mode is how a disk was really driven in a phase.
type Mode struct {
	Phase, Disk string
	trace.Effective
}

// runDoc is a run's document, and what several of its parts need.
type runDoc struct {
	*Document
	Scale // scale of the rates

	run      RunData
	a        *analysis.Analysis
	index    map[string]int // index of each phase by name
	lines    []pooledPhase
	findings []analysis.Finding // findings; one that repeats have in common stands once
	more     []string           // ideas that the answer has no room for
	loads    []load             // what the disks did, first the one that the headline is about
	outcome  *Page              // what was measured comes to; the page unless that tells a fault
}

func newRunDoc(run RunData) *runDoc {
	a := run.Analysis
	r := &runDoc{run: run, a: a, Scale: Scale{a.Scale}, index: map[string]int{}}
	r.Document = &Document{
		Kind: "report", Title: a.Name, Tool: run.About.Tool, Hub: run.About.Hub,
		Keys: newKeys(a.Order), Data: a, DataFile: "analysis", DataID: "summary",
	}
	for i, phase := range a.Phases {
		r.index[phase.Name] = i
	}
	r.poolRepeats()
	r.poolFindings()
	return r
}

// keyOf is the index of a disk among the run's; below 0 if it has none of that name.
func (r *runDoc) keyOf(disk string) int {
	for i, key := range r.Keys {
		if key.Name == disk {
			return i
		}
	}
	return -1
}

func (r *runDoc) label(disk string) string {
	if i := r.keyOf(disk); i >= 0 {
		return r.Keys[i].Label
	}
	return disk
}

// OfRun is the report of a run: what to doubt, what all phases come to where there are several, and
// each phase.
func OfRun(run RunData) *Document {
	r := newRunDoc(run)
	a := run.Analysis
	if t := run.Trace; t != nil {
		r.Started = dateText(t.Started)
		r.Simulated = Simulated(t)
		r.Model = hub.Source(a.ProfileOrigin)
		if t.Hardware != nil && t.Hardware.Hub != nil {
			hub := t.Hardware.Hub // as people call it: CalDigit Element Hub, firmware 30.2
			r.Hub = hub.Product() + pick(hub.Firmware == "", "", ", firmware "+hub.Firmware)
		}
		for i, d := range t.Disks[:min(len(t.Disks), len(r.Keys))] {
			simulated := pick(d.Profile == "", "", "simulated as "+d.Profile)
			r.Keys[i].Where = joined(", ", d.Path, simulated, d.Connection)
		}
	}
	if r.answer(); run.AnswerAlone {
		return r.Document
	}
	var doubts []string
	for _, f := range run.About.Failures {
		if !isInterrupt(f) {
			doubts = append(doubts, "Failed: "+f.String())
		}
	}
	for _, caveat := range a.Answer.Caveats {
		doubts = append(doubts, caveat.Text)
	}
	for _, w := range a.Warnings {
		doubts = append(doubts, w.Text)
	}
	told := append([]string{r.outcome.Headline, r.Page.Status}, r.Page.Doubts...)
	for _, text := range append(doubts, run.About.Warnings...) {
		if !slices.Contains(told, text) {
			r.Add(Warning{text})
		}
	}
	if len(a.Phases) > 1 {
		r.addStudy()
	}
	var others []string // apart from what the answer tells and the tables hold
	for _, f := range r.findings {
		if !slices.Contains(inTables(), f.Code) && !slices.Contains(r.outcome.More, f.Text) {
			others = append(others, f.Text)
		}
	}
	r.Add(List{"What else stands out", slices.Concat(r.more, others)})
	for i := range a.Phases {
		r.Add(r.phase(i))
	}
	r.addCharts()
	r.Add(r.methods(), r.environmentDetails())
	return r.Document
}

// methods says how large the margin of error is, and how the numbers were made.
func (r *runDoc) methods() *Details {
	methods := append(analysis.Methods(r.a),
		"A disk is active from the start of its first file to the end of its last; pauses longer "+
			"than half a second between its files are left out. The overlap is the time in which "+
			"every working disk of the phase is active. A rate in it is the bytes moved inside "+
			"the overlap over its length. Files that cross an edge of it count by their recorded "+
			"progress or, where there is none, in proportion to time.",
		"A file's time runs from just before its first request to just after its flush; opening "+
			"and closing it lie outside. Rates are decimal: 1 GB/s = 10^9 bytes per second = 8 "+
			"Gb/s.")
	if verifiesInFull(r.run.Trace) {
		methods = append(methods, "To verify, each file was read once more and every byte of "+
			"that read was compared. A byte that was wrong in the timed read alone goes unnoticed "+
			"unless it is part of a stamp.")
	}
	sure := &Details{ID: "methods", Title: "How sure is this?", Printed: true}
	if _, flows := r.Page.Hero.(*Flow); !flows { // which has it below its disks
		sure.Add(Sentence{Text: r.Page.Sure})
	}
	for _, text := range methods {
		sure.Add(Sentence{Text: text})
	}
	return sure
}

// verifiesInFull reports whether files of real disks were read once more; run may be nil.
func verifiesInFull(run *trace.Run) bool {
	if run == nil || Simulated(run) {
		return false
	}
	for i := range run.Phases {
		for _, w := range run.Phases[i].Work {
			if w.Verify == scenario.VerifyFull {
				return true
			}
		}
	}
	return false
}

// Simulated reports whether no disk of the run is real.
func Simulated(run *trace.Run) bool {
	for _, d := range run.Disks {
		if d.Profile == "" {
			return false
		}
	}
	return len(run.Disks) > 0
}

// dateText writes the run's wall time as people read it, or as it stands where it is not RFC 3339.
func dateText(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	return pick(err == nil, at.Format("2 Jan 2006, 15:04 MST"), text)
}

// phaseID is where a phase is linked to.
func phaseID(index int) string { return fmt.Sprintf("phase-%d", index+1) }

// whoDoes says which of a phase's disks do what, but for those to leave out: "A and B read, C
// writes".
func (r *runDoc) whoDoes(p *analysis.PhaseResult, leaveOut func(disk string) bool) string {
	works := map[string]work.Work{}
	var labels []string
	for _, key := range r.Keys {
		labels = append(labels, key.Label)
		if active(p.Roles[key.Name]) && !leaveOut(key.Name) {
			works[key.Label] = workOf(p, key.Name)
		}
	}
	return work.Who(labels, works)
}

func nobody(string) bool { return false }

// active reports whether a disk works that has the role.
func active(role trace.Role) bool { return role == trace.Read || role == trace.Write }

// environmentDetails says where and how the run was made.
func (r *runDoc) environmentDetails() *Details {
	about := r.run.About
	setup := &hardware.Setup{}
	if t := r.run.Trace; t != nil {
		setup = cmp.Or(t.Hardware, setup)
	}
	host := cmp.Or(setup.Host, &hardware.Host{})
	d := &Details{Title: "Machine, disks, settings"}
	facts := table("Where it was measured", words("What", "Value"))
	for _, fact := range [][2]string{
		{"hubbench", about.Tool}, {"Host", about.Host}, {"System", about.OS}, {"Hub", r.Hub},
		{"Scenario", about.Scenario}, {"Seed", about.Seed}, {"Computer", host.Model},
		{"Operating system", host.OS},
		{"Processor", host.CPU}, {"Power source", string(host.Power)},
		{"Port", setup.Port}, {"Hub described as", setup.About},
	} {
		if fact[1] != "" {
			facts.add(fact[0], fact[1])
		}
	}
	for _, key := range r.Keys {
		facts.add(&key, key.Where)
	}
	d.Add(facts, setupTable(r.Keys, setup))
	modes := table("I/O of each disk", words("Phase", "Disk", "Engine", "Cache", "Flush"),
		numbers("Block", "Depth"))
	modes.Note = "The I/O that each disk really got, which may differ from what the scenario " +
		"asked for."
	var doubts []string
	for _, m := range about.Modes {
		for _, doubt := range m.Warnings {
			if text := m.Disk + ": " + doubt; !slices.Contains(doubts, text) {
				doubts = append(doubts, text)
			}
		}
		flush := m.Flush
		if m.FlushReaches != "" {
			flush += ", to " + m.FlushReaches
		}
		modes.add(m.Phase, m.Disk, m.Engine, cmp.Or(m.SmallWrites, m.Cache), flush,
			unit.FormatBytes(m.Block), fmt.Sprint(m.Depth))
	}
	// Most runs drive every disk alike in every phase: then one line says it.
	uniform := len(modes.Rows) > 1
	for _, row := range modes.Rows {
		uniform = uniform && slices.Equal(row[2:], modes.Rows[0][2:])
	}
	if uniform {
		modes.Rows = modes.Rows[:1]
		modes.Rows[0][0].Text = "all"
		modes.Rows[0][1].Text = "all"
	}
	d.Add(modes)
	d.Add(warnings(doubts)...)
	return d
}

// setupTable is which disks were measured, by all that is known of them.
func setupTable(keys []LegendKey, setup *hardware.Setup) *Table {
	t := table("Which disks were measured", words("Disk", "Model", "Firmware", "Serial"),
		numbers("Size"), words("Links", "File system"), numbers("Full"), words("Described as"))
	t.dropFirst("Described as", "Serial", "Size", "Full", "Firmware", "File system")
	for _, key := range keys {
		u, known := setup.Disks[key.Name]
		if !known {
			continue
		}
		// By the name on its case and the one of the disk inside.
		model := hardware.WithVendor(u.Vendor, u.Model)
		if u.Enclosure != "" && u.Enclosure != model {
			model = u.Enclosure + pick(model == "", "", " ("+model+")")
		}
		filesystem, full := "", ""
		if v := u.Volume; v != nil {
			filesystem = volumeKind(v, v.Options...)
			if v.SizeBytes > 0 && v.Mount != "" {
				full = percent(v.Fill())
			}
		}
		t.add(&key, model, u.Firmware, u.Serial, bytesOr(u.SizeBytes), u.Path.String(), filesystem,
			full, u.About)
	}
	return t
}

// bytesOr is a size, or nothing where it is not known.
func bytesOr(bytes int64) string {
	return pick(bytes > 0, unit.FormatBytes(bytes), "")
}

// volumeKind is a volume's file system and what there is about it that bears on speed.
func volumeKind(v *hardware.Volume, options ...string) string {
	kind := []string{v.Filesystem}
	if v.Encrypted != nil && *v.Encrypted {
		kind = append(kind, "encrypted")
	}
	if v.Compressed != nil && *v.Compressed {
		kind = append(kind, "compressed")
	}
	return joined(", ", append(kind, options...)...)
}
