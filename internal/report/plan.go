package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Plan is what the report of a plan is made of.
type Plan struct {
	*scenario.Plan
	Model     string     // the hub that the disks are simulated on; empty for real ones
	Forecasts []Forecast // of each phase
	Total     Forecast
	Disks     []PlannedDisk
	Checks    []Check // what is in the way; none where all passed
}

// Forecast is what a phase is expected to come to.
type Forecast struct {
	Moves      int64          // measured, of all disks, filler included
	Writes     int64          // the disks' wear: with what is written before the release
	MoveBound  scenario.Bound // of Moves
	WriteBound scenario.Bound
	Least      time.Duration
	Most       time.Duration
	Open       bool // nobody can tell the most
	Tries      int  // of a search, at most; of simulated disks, those that it takes
}

// PlannedDisk is what a disk has to take.
type PlannedDisk struct {
	Name   string         `json:"name"`
	Where  string         `json:"where"`
	Writes int64          `json:"writes_bytes"`
	Bound  scenario.Bound `json:"bound,omitempty"`
	Space  int64          `json:"space_bytes"` // the most at a time
	Free   *int64         `json:"free_bytes"`  // null where nobody knows
}

// Check is a check that did not pass.
type Check struct {
	Code  string `json:"code"` // that --allow takes
	Fatal bool   `json:"fatal"`
	Text  string `json:"text"`
}

// plannedPhase is a phase as JSON.
type plannedPhase struct {
	Phase      string         `json:"phase"`
	Who        string         `json:"who"`
	Work       string         `json:"work"`
	Moves      int64          `json:"moves_bytes"`
	MoveBound  scenario.Bound `json:"moves_bound,omitempty"`
	Writes     int64          `json:"writes_bytes"`
	WriteBound scenario.Bound `json:"writes_bound,omitempty"`
	LeastS     float64        `json:"least_s"`
	MostS      *float64       `json:"most_s"`
	Tries      int            `json:"tries,omitempty"` // of a search, at most
}

// OfPlan says what happens when, how much is moved and written, how long it takes, and whether it can run here.
func OfPlan(p Plan) *Document {
	doc := &Document{Kind: "plan", Title: p.Name, Simulated: p.Model != "", Hub: p.Model}
	where := "real disks"
	if p.Model != "" {
		where = "simulated on hub " + p.Model
	}
	doc.Add(Sentence{Text: unit.Plural(len(p.Phases), "phase") + ", " + unit.Plural(len(p.Plan.Disks), "disk") + ", " + where + ".", Lead: true})
	t := &Table{Title: "Phases", Columns: []Column{{Head: "Phase"}, {Head: "Who does what"}, {Head: "Work", Drop: 1}, {Head: "Moves"}, {Head: "Writes"}, {Head: "Time"}}}
	phases := []plannedPhase{}
	for i, phase := range p.Phases {
		f := p.Forecasts[i]
		t.Rows = append(t.Rows, append([]Cell{{Text: phase.Name}, {Text: phase.Who()}, {Text: jobs(phase)}}, f.cells()...))
		out := plannedPhase{Phase: phase.Name, Who: phase.Who(), Work: jobs(phase), Moves: f.Moves, MoveBound: f.MoveBound, Writes: f.Writes, WriteBound: f.WriteBound, LeastS: f.Least.Seconds(), Tries: f.Tries}
		if most := f.Most.Seconds(); !f.Open {
			out.MostS = &most
		}
		phases = append(phases, out)
	}
	if len(p.Phases) > 1 {
		t.Rows = append(t.Rows, append([]Cell{{Text: "total"}, {}, {}}, p.Total.cells()...))
	}
	doc.Add(t)
	streams := streamsIn(p.Plan)
	if len(streams) > 0 {
		doc.Add(streamTable(streams))
	}
	addList(doc, "", slices.Concat(policies(p.Plan), searches(p), methods(p.Plan), timing(p), sources(streams)))
	disks := &Table{Title: "Disks", Columns: []Column{{Head: "Disk"}, {Head: "Where"}, {Head: "Written in all"}, {Head: "Most at a time"}, {Head: "Free"}}}
	for _, d := range p.Disks {
		free := none
		if d.Free != nil {
			free = unit.FormatBytes(*d.Free)
		}
		disks.Rows = append(disks.Rows, []Cell{{Text: d.Name}, {Text: d.Where}, {Text: amount(d.Bound, d.Writes)}, {Text: unit.FormatBytes(d.Space)}, {Text: free}})
	}
	doc.Add(disks)
	if len(p.Checks) == 0 {
		doc.Add(Sentence{Text: "Checks: all passed."})
	}
	for _, check := range p.Checks {
		doc.Add(Warning{pick(check.Fatal, "error: ", "warning: ") + check.Text + " [" + check.Code + "]"})
	}
	checks := p.Checks
	if checks == nil {
		checks = []Check{}
	}
	doc.Data = map[string]any{"name": p.Name, "simulated_on": p.Model, "phases": phases, "streams": streams, "disks": p.Disks, "checks": checks}
	return doc
}

// cells are the last three columns.
func (f Forecast) cells() []Cell {
	took := unit.FormatSeconds(f.Least.Seconds())
	if most := unit.FormatSeconds(f.Most.Seconds()); !f.Open && most != took {
		took += " to " + most
	}
	return []Cell{{Text: amount(f.MoveBound, f.Moves)}, {Text: amount(f.WriteBound, f.Writes)}, {Text: took}}
}

// amount is bytes with their bound: "≤ 5.37 GB".
func amount(bound scenario.Bound, bytes int64) string {
	if bytes == 0 {
		return none
	}
	sign := map[scenario.Bound]string{scenario.AtMost: "≤ ", scenario.AtLeast: "≥ ", scenario.About: "≈ "}[bound]
	return sign + unit.FormatBytes(bytes)
}

// jobs says what each disk moves: "50 files each, 2 MB to 2 GB", "1 + 5 passes of 1.07 GB".
func jobs(phase scenario.Phase) string {
	movers := phase.Movers()
	switch {
	case phase.Search != nil:
		return "tries of " + unit.FormatSeconds(phase.Limit.Seconds())
	case len(movers) == 0:
		return unit.FormatSeconds(phase.Limit.Seconds())
	}
	least, most := movers[0].Sizes[0], int64(0)
	var counts []string
	for _, job := range movers {
		least, most = min(least, slices.Min(job.Sizes)), max(most, slices.Max(job.Sizes))
		n := strconv.Itoa(len(job.Sizes) - job.IO.Discard)
		if job.IO.Discard > 0 {
			n = strconv.Itoa(job.IO.Discard) + " + " + n
		}
		counts = append(counts, n)
	}
	var text string
	switch differ := len(slices.Compact(slices.Clone(counts))) > 1; {
	case phase.Steady > 0:
		text = "files"
	case phase.Limit > 0:
		text = unit.FormatSeconds(phase.Limit.Seconds()) + " of files"
	case phase.Target > 0:
		text = "about " + unit.FormatSeconds(phase.Target.Seconds()) + " of files"
	case differ:
		text = strings.Join(counts, ", ") + " files"
	case counts[0] == "1":
		text = "1 file"
	default:
		text = counts[0] + " files"
	}
	if movers[0].IO.OneFile {
		text = strings.NewReplacer("files", "passes", "file", "pass").Replace(text)
	}
	if len(counts) > 1 && phase.Limit == 0 && phase.Target == 0 && len(slices.Compact(counts)) == 1 {
		text += " each"
	}
	if least == most {
		text += " of " + unit.FormatBytes(most)
	} else {
		text += ", " + unit.FormatBytes(least) + " to " + unit.FormatBytes(most)
	}
	if phase.Steady > 0 {
		text += ", until steady"
	}
	return text
}

// policies explain how phases end that are no race.
func policies(plan *scenario.Plan) []string {
	var notes []string
	for _, of := range []struct {
		is   func(scenario.Phase) bool
		note string
	}{
		{func(p scenario.Phase) bool { return p.Stop == scenario.StopHold }, "a disk that has moved its files goes on with filler, which does not count, until all have."},
		{func(p scenario.Phase) bool { return p.Stop == scenario.StopTime && p.Steady == 0 && p.Search == nil }, "all disks stop when the time is up."},
		{func(p scenario.Phase) bool { return p.Stop != scenario.StopTime && len(p.Movers()) < len(p.Jobs) },
			"streams and probes go on until the others have moved their files."},
		{func(p scenario.Phase) bool { return p.Target > 0 }, "each disk moves as many files as fit in the time, so that all end together."},
	} {
		if names := phasesWhere(plan, of.is); names != "" {
			notes = append(notes, names+": "+of.note)
		}
	}
	return slices.Concat(notes, eachOnce(plan, warmedUp), eachOnce(plan, untilSteady), eachOnce(plan, filled))
}

// warmedUp says which files do not count.
func warmedUp(phase scenario.Phase) string {
	movers := phase.Movers()
	if len(movers) == 0 || movers[0].IO.Discard == 0 || movers[0].IO.OneFile { // of passes the method says it
		return ""
	}
	return "of each disk's files, " + uncounted(movers[0].IO.Discard) + "."
}

// uncounted says that so many files or passes do not count.
func uncounted(first int) string {
	if first == 1 {
		return "the first does not count"
	}
	return fmt.Sprintf("the first %d do not count", first)
}

// filled says what is done to the disks before the phase.
func filled(phase scenario.Phase) string {
	if phase.Precondition == 0 {
		return ""
	}
	return fmt.Sprintf("before it, the volumes of its disks are filled to %s, and what fills them is removed after it.", unit.FormatPercent(phase.Precondition))
}

// untilSteady says when a phase ends that goes on until the rates are steady.
func untilSteady(phase scenario.Phase) string {
	if phase.Steady == 0 {
		return ""
	}
	return fmt.Sprintf("it ends when every disk's rate is steady over five windows of %s (after SNIA PTS), or after %s; what it moves and writes is what the disks' links carry in that time.",
		unit.FormatSeconds(phase.Steady.Seconds()), unit.FormatSeconds(phase.Limit.Seconds()))
}

// eachOnce says of the phases what there is to say of each, together where that is the same.
func eachOnce(plan *scenario.Plan, say func(scenario.Phase) string) []string {
	var notes []string
	for _, phase := range plan.Phases {
		if note := say(phase); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for i, note := range notes {
		notes[i] = phasesWhere(plan, func(p scenario.Phase) bool { return say(p) == note }) + ": " + note
	}
	return notes
}

// methods explain how passes are made and scored.
func methods(plan *scenario.Plan) []string { return eachOnce(plan, method) }

func method(phase scenario.Phase) string {
	movers := phase.Movers()
	if len(movers) == 0 || !movers[0].IO.OneFile {
		return ""
	}
	io := movers[0].IO
	note := "all passes are over the same file"
	if io.Cap > 0 {
		note += ", at most " + unit.FormatSeconds(io.Cap.Seconds()) + " each"
	}
	switch {
	case io.Step > 0:
		note += ", starting every " + unit.FormatSeconds(io.Step.Seconds()) + " on all disks at once"
	case io.Rest > 0:
		note += ", " + unit.FormatSeconds(io.Rest.Seconds()) + " apart"
	}
	if io.Discard > 0 {
		note += "; " + uncounted(io.Discard)
	}
	if phase.Score != "" {
		note += fmt.Sprintf("; the score is the %s rate", phase.Score)
	}
	return note + "."
}

// linksOf says what the times are reckoned with: the narrowest link of each disk.
func linksOf(plan *scenario.Plan) string {
	if len(plan.Phases) == 0 || len(plan.Phases[0].Links) == 0 {
		return "one shared link of " + unit.FormatRate(scenario.LinkRate) + " allows"
	}
	var links []string
	for _, disk := range plan.Disks {
		link := scenario.Narrowest(plan.Phases[0].Links, disk.Name)
		if text := strings.Join(link.Disks, ", ") + " " + unit.FormatRate(link.Rate); !slices.Contains(links, text) {
			links = append(links, text)
		}
	}
	return "the disks' links allow (" + strings.Join(links, "; ") + ")"
}

// phasesWhere names the phases: one, two, or the first and how many more; empty where there is none.
func phasesWhere(plan *scenario.Plan, is func(scenario.Phase) bool) string {
	var names []string
	for _, phase := range plan.Phases {
		if is(phase) {
			names = append(names, phase.Name)
		}
	}
	switch {
	case len(names) == len(plan.Phases):
		return "In all phases"
	case len(names) > 2:
		return fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	return strings.Join(names, " and ")
}

// timing explains the times, and adds what lies between the phases.
func timing(p Plan) []string {
	plan := p.Plan
	var rests time.Duration
	idle, pauses := "", 0
	for i, phase := range plan.Phases {
		rests += phase.Cooldown * time.Duration(max(1, p.Forecasts[i].Tries))
		if phase.UntilIdle || phase.Search != nil && phase.Cooldown > 0 && p.Model == "" {
			idle = "at most "
		}
		if phase.Pause != "" {
			pauses++
		}
	}
	var notes []string
	if !plan.Simulated() {
		beforehand := "test files written beforehand"
		if slices.ContainsFunc(plan.Phases, func(p scenario.Phase) bool { return p.Precondition > 0 }) {
			beforehand += " and what volumes are filled with"
		}
		notes = append(notes, fmt.Sprintf("The times are the shortest that %s; %s add to them.", linksOf(plan), beforehand))
	} else if plan.Hub.Speedup != 1 {
		notes = append(notes, fmt.Sprintf("The times are model time, which passes %g times as fast as real time: the run takes about %s.", plan.Hub.Speedup,
			unit.FormatSeconds(p.Total.Least.Seconds()/plan.Hub.Speedup)))
	}
	if rests > 0 {
		notes = append(notes, fmt.Sprintf("Cooldowns take %s%s more.", idle, unit.FormatSeconds(rests.Seconds())))
	}
	if pauses > 0 {
		notes = append(notes, fmt.Sprintf("Before %s it waits for Enter.", unit.Plural(pauses, "phase")))
	}
	return notes
}
