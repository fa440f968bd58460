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
	Checks    []Check // what is in the way; none if all passed
}

// Forecast is what a phase is expected to come to.
type Forecast struct {
	Moves      int64          // measured, of all disks, filler included
	Writes     int64          // the disks' wear: with what is written before the release
	MoveBound  scenario.Bound // of Moves
	WriteBound scenario.Bound
	Min        time.Duration
	Max        time.Duration
	Open       bool // the maximum is not known
	Tries      int  // of a search, at most; of simulated disks, those that it takes
}

// PlannedDisk is what a disk has to take.
type PlannedDisk struct {
	Name   string         `json:"name"`
	Where  string         `json:"where"`
	Writes int64          `json:"writes_bytes"`
	Bound  scenario.Bound `json:"bound,omitempty"`
	Space  int64          `json:"space_bytes"` // the most at a time
	Free   *int64         `json:"free_bytes"`  // null if not known
}

// Check is a check that did not pass.
type Check struct {
	Code  string `json:"code"` // that --allow takes
	Fatal bool   `json:"fatal"`
	Text  string `json:"text"`
}

func (c Check) warning() string {
	return pick(c.Fatal, "error: ", "warning: ") + c.Text + " [" + c.Code + "]"
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
	MinS       float64        `json:"least_s"`
	MaxS       *float64       `json:"most_s"`
	Tries      int            `json:"tries,omitempty"` // of a search, at most
}

// screenful is how many rows of a table the answer shows, so that all of it fits a screen.
const screenful = 7

// OfPlan says what happens when, how much is moved and written, how long it takes, and whether it can run here.
func OfPlan(p Plan) *Document {
	doc := &Document{Kind: "plan", Title: p.Name, Simulated: p.Model != "", Hub: p.Model}
	t := &Table{Title: "Phases", Columns: []Column{{Head: "Phase"}, {Head: "Work", Drop: 1}, {Head: "Moves"}, {Head: "Writes"}, {Head: "Time"}}}
	phases := []plannedPhase{}
	for i, phase := range p.Phases {
		f := p.Forecasts[i]
		t.Rows = append(t.Rows, []Cell{{Text: phase.Label()}, {Text: jobs(phase)}, {Text: amount(f.MoveBound, f.Moves)}, {Text: amount(f.WriteBound, f.Writes)}, {Text: f.took()}})
		out := plannedPhase{Phase: phase.Name, Who: phase.Who(), Work: jobs(phase), Moves: f.Moves, MoveBound: f.MoveBound, Writes: f.Writes, WriteBound: f.WriteBound, MinS: f.Min.Seconds(), Tries: f.Tries}
		if longest := f.Max.Seconds(); !f.Open {
			out.MaxS = &longest
		}
		phases = append(phases, out)
	}
	disks := &Table{Title: "Disks", Columns: []Column{{Head: "Disk"}, {Head: "Folder"}, {Head: "Writes"}, {Head: "Needs free"}, {Head: "Free"}}}
	for _, d := range p.Disks {
		row := []Cell{{Text: d.Name}, {Text: d.Where}, {Text: amount(d.Bound, d.Writes)}, {}, {}}
		if p.Model == "" {
			row[3].Text, row[4].Text = unit.FormatBytes(d.Space), none
			if d.Free != nil {
				row[4].Text = unit.FormatBytes(*d.Free)
			}
		}
		disks.Rows = append(disks.Rows, row)
	}
	doc.Answer = p.answer()
	streams := streamsIn(p.Plan)
	if len(p.Phases) <= screenful {
		doc.Answer.Table = t
		doc.Add(disks)
	} else {
		var names []string
		for _, phase := range p.Phases[:screenful-1] {
			names = append(names, phase.Title())
		}
		names = append(names, fmt.Sprintf("%d more", len(p.Phases)-screenful+1))
		doc.Answer.Findings = append([]string{"Phases: " + strings.Join(names, "; ") + "."}, doc.Answer.Findings...)
		doc.Answer.Table = disks
		doc.Add(t)
	}
	if len(streams) > 0 {
		doc.Add(streamTable(streams))
	}
	addList(doc, "", slices.Concat(policies(p.Plan), searches(p), eachOnce(p.Plan, method), timing(p), sources(streams)))
	checks := append([]Check{}, p.Checks...)
	if len(checks) > len(doc.Answer.Doubts) {
		for _, check := range checks {
			doc.Add(Warning{check.warning()})
		}
	}
	doc.Data = map[string]any{"name": p.Name, "simulated_on": p.Model, "phases": phases, "streams": streams, "disks": p.Disks, "checks": checks}
	return doc
}

// answer is how much the plan moves and writes, how long it takes, the space it needs, and whether it can run here.
func (p Plan) answer() *Answer {
	total := p.Total
	for i, phase := range p.Phases {
		rests := phase.Cooldown * time.Duration(max(1, p.Forecasts[i].Tries))
		if total.Max += rests; !phase.UntilIdle && (phase.Search == nil || p.Model != "") {
			total.Min += rests
		}
	}
	took := pick(total.Open, "at least ", "") + total.took()
	if p.Model != "" && p.Hub.Speedup != 1 {
		took += " of model time (" + unit.FormatSeconds(total.Min.Seconds()/p.Hub.Speedup) + " to run)"
	}
	inWords := strings.NewReplacer("≤", "up to", "≥", "at least", "≈", "about", none, "nothing")
	a := &Answer{Headline: fmt.Sprintf("%s, %s: moves %s, writes %s in %s.", unit.Plural(len(p.Phases), "phase"), unit.Plural(len(p.Plan.Disks), "disk"),
		inWords.Replace(amount(total.MoveBound, total.Moves)), inWords.Replace(amount(total.WriteBound, total.Writes)), took)}
	each := pick(len(p.Disks) == 1, "the disk", "each disk")
	var space int64
	for _, d := range p.Disks {
		space = max(space, d.Space)
	}
	kept := slices.ContainsFunc(p.Phases, func(phase scenario.Phase) bool {
		return slices.ContainsFunc(phase.Jobs, func(j scenario.Job) bool { return j.IO.Keep })
	})
	a.Findings = []string{"Simulated: no disk is touched."}
	if p.Model == "" {
		a.Findings[0] = fmt.Sprintf("Needs up to %s free on %s at a time; %s.", unit.FormatBytes(space), each, pick(kept, "files with keep stay there", "all test files are removed afterwards"))
	}
	alike := map[string]int{}
	for _, check := range p.Checks {
		alike[check.Code]++
	}
	for _, check := range p.Checks {
		if text := check.warning(); alike[check.Code] > 0 {
			if more := alike[check.Code] - 1; more > 0 {
				text += fmt.Sprintf(" (and %d more)", more)
			}
			a.Doubts, alike[check.Code] = append(a.Doubts, text), 0
		}
	}
	if len(p.Checks) == 0 {
		a.Sure = "All checks passed."
	}
	return a
}

// took is the time: "50 s to 2 min".
func (f Forecast) took() string {
	text := unit.FormatSeconds(f.Min.Seconds())
	if longest := unit.FormatSeconds(f.Max.Seconds()); !f.Open && longest != text {
		text += " to " + longest
	}
	return text
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
	alike := len(slices.Compact(slices.Clone(counts))) == 1
	switch {
	case phase.Steady > 0:
		text = "files"
	case phase.Limit > 0:
		text = unit.FormatSeconds(phase.Limit.Seconds()) + " of files"
	case phase.Target > 0:
		text = "about " + unit.FormatSeconds(phase.Target.Seconds()) + " of files"
	case alike && counts[0] == "1":
		text = "1 file"
	default:
		text = strings.Join(pick(alike, counts[:1], counts), ", ") + " files"
	}
	if movers[0].IO.OneFile {
		text = strings.NewReplacer("files", "passes", "file", "pass").Replace(text)
	}
	if len(counts) > 1 && phase.Limit == 0 && phase.Target == 0 && alike {
		text += " each"
	}
	text += pick(least == most, " of ", ", "+unit.FormatBytes(least)+" to ") + unit.FormatBytes(most)
	if phase.Steady > 0 {
		text += ", until steady"
	}
	return text
}

// policies explain how phases end that are no race, and what does not count.
func policies(plan *scenario.Plan) []string {
	var notes []string
	for _, say := range []func(scenario.Phase) string{
		func(p scenario.Phase) string {
			return pick(p.Stop == scenario.StopHold, "a disk that has moved its files goes on with filler files, which do not count, until all have.", "")
		},
		func(p scenario.Phase) string {
			return pick(p.Stop == scenario.StopTime && p.Steady == 0 && p.Search == nil, "all disks stop when the time is up.", "")
		},
		func(p scenario.Phase) string {
			return pick(p.Stop != scenario.StopTime && len(p.Movers()) < len(p.Jobs), "streams and probes go on until the others have moved their files.", "")
		},
		func(p scenario.Phase) string {
			return pick(p.Target > 0, "each disk moves as many files as fit in the time, so that all disks end together.", "")
		},
		func(p scenario.Phase) string { // of passes the method says it
			movers := p.Movers()
			if len(movers) == 0 || movers[0].IO.Discard == 0 || movers[0].IO.OneFile {
				return ""
			}
			return "of each disk's files, " + uncounted(movers[0].IO.Discard) + "."
		},
		func(p scenario.Phase) string {
			if p.Steady == 0 {
				return ""
			}
			return fmt.Sprintf("ends when every disk's rate is steady over five windows of %s (after SNIA PTS), or after %s; the amounts are what the links carry in that time.",
				unit.FormatSeconds(p.Steady.Seconds()), unit.FormatSeconds(p.Limit.Seconds()))
		},
		func(p scenario.Phase) string {
			if p.Precondition == 0 {
				return ""
			}
			return fmt.Sprintf("its disks' volumes are first filled to %s; the files that fill them are removed afterwards.", unit.FormatPercent(p.Precondition))
		},
	} {
		notes = append(notes, eachOnce(plan, say)...)
	}
	return notes
}

// uncounted says that so many files or passes do not count.
func uncounted(first int) string {
	return pick(first == 1, "the first does not count", fmt.Sprintf("the first %d do not count", first))
}

// eachOnce makes one note of what holds for several phases: it names one, two, or the first and how many more.
func eachOnce(plan *scenario.Plan, say func(scenario.Phase) string) []string {
	var notes []string
	of := map[string][]string{}
	for _, phase := range plan.Phases {
		note := say(phase)
		if note != "" && of[note] == nil {
			notes = append(notes, note)
		}
		of[note] = append(of[note], phase.Title())
	}
	for i, note := range notes {
		names := of[note]
		switch n := len(names); {
		case n == len(plan.Phases):
			names = []string{"In all phases"}
		case n > 2:
			names = []string{fmt.Sprintf("%s and %d more", names[0], n-1)}
		}
		notes[i] = strings.Join(names, "; ") + ": " + note
	}
	return notes
}

// method explains how passes are made and scored.
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

// linksOf says what the times are based on: the narrowest link of each disk.
func linksOf(plan *scenario.Plan) string {
	if len(plan.Phases) == 0 || len(plan.Phases[0].Links) == 0 {
		return "one shared link of " + unit.FormatRate(scenario.LinkRate)
	}
	var links []string
	for _, disk := range plan.Disks {
		link := scenario.Narrowest(plan.Phases[0].Links, disk.Name)
		if text := strings.Join(link.Disks, ", ") + " " + unit.FormatRate(link.Rate); !slices.Contains(links, text) {
			links = append(links, text)
		}
	}
	return "disks as fast as their links (" + strings.Join(links, "; ") + ")"
}

// timing says what the amounts and times assume, and what lies between the phases.
func timing(p Plan) []string {
	plan := p.Plan
	var rests time.Duration
	idle, pauses := "", 0
	for i, phase := range plan.Phases {
		rests += phase.Cooldown * time.Duration(max(1, p.Forecasts[i].Tries))
		if phase.UntilIdle || phase.Search != nil && phase.Cooldown > 0 && p.Model == "" {
			idle = "up to "
		}
		if phase.Pause != "" {
			pauses++
		}
	}
	var notes []string
	if !plan.Simulated() {
		beforehand := "test files that are written before a phase"
		if slices.ContainsFunc(plan.Phases, func(p scenario.Phase) bool { return p.Precondition > 0 }) {
			beforehand += ", or filling volumes,"
		}
		notes = append(notes, fmt.Sprintf("The times are for %s; they do not include %s.", linksOf(plan), beforehand))
	} else if plan.Hub.Speedup != 1 {
		notes = append(notes, fmt.Sprintf("The times are model time, which passes %g times as fast as real time.", plan.Hub.Speedup))
	}
	if rests > 0 {
		notes = append(notes, fmt.Sprintf("Cooldowns add %s%s.", idle, unit.FormatSeconds(rests.Seconds())))
	}
	if pauses > 0 {
		notes = append(notes, fmt.Sprintf("It waits for Enter before %s.", unit.Plural(pauses, "phase")))
	}
	return notes
}
