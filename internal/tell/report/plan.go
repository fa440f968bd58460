package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Plan is what the report of a plan is made of.
type Plan struct {
	*scenario.Plan
	File string // the scenario's; empty if it is not known
	// Model names the hub that the disks are simulated on; it is empty for real ones.
	Model     string
	Forecasts []forecast.Forecast // one for each phase
	Total     forecast.Forecast
	Disks     []PlannedDisk
	Checks    []PlanCheck // checks that did not pass
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

// PlanCheck is a check that did not pass.
type PlanCheck struct {
	Code  string `json:"code"` // --allow takes it
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
	MinS       float64        `json:"least_s"`
	MaxS       *float64       `json:"most_s"`
	Tries      int            `json:"tries,omitempty"` // maximum number of tries of a search
}

// OfPlan says how long it takes and how much it writes, what takes that time, what happens in which
// phase, and whether it can run here.
func OfPlan(p Plan) *Document {
	doc := &Document{Kind: "plan", Title: p.Name, Simulated: p.Model != "", Hub: p.Model,
		Page: p.page()}
	for _, d := range p.Disks {
		doc.Keys = append(doc.Keys, LegendKey{Name: d.Name, Label: d.Name, Index: len(doc.Keys)})
	}
	phases := []plannedPhase{}
	byPhase := table("Phases", words("Phase", "Work"), numbers("Moves", "Writes", "Time"))
	byPhase.dropFirst("Work")
	for i, phase := range p.Phases {
		f := p.Forecasts[i]
		row := plannedPhase{
			Phase: phase.Name, Who: phase.Who(), Work: p.workText(i),
			Moves: f.Moves, MoveBound: f.MoveBound,
			Writes: f.Written(), WriteBound: f.WriteBound, MinS: f.Min.Seconds(), Tries: f.Tries,
		}
		if !f.Open {
			row.MaxS = new(f.Max.Seconds())
		}
		phases = append(phases, row)
		byPhase.add(phase.Label(), row.Work, boundedBytes(f.MoveBound, f.Moves),
			boundedBytes(f.WriteBound, row.Writes), timeRange(f))
	}
	byDisk := table("Disks", words("Disk", "Folder"), numbers("Writes", "Needs free", "Free"))
	for i, d := range p.Disks {
		needs, free := "", ""
		if p.Model == "" {
			needs = unit.FormatBytes(d.Space)
		}
		if d.Free != nil {
			free = unit.FormatBytes(*d.Free)
		}
		byDisk.add(&doc.Keys[i], d.Where, boundedBytes(d.Bound, d.Writes), needs, free)
	}
	streams := streamsIn(p.Plan)
	byStream := table("Streams", words("Phase", "Disk", "Streams", "Each", "Together", "Buffer"))
	for _, s := range streams {
		byStream.add(s.title, s.Disk, fmt.Sprintf("%d × %s", s.Count, stream.Label(s.Kind)),
			unit.FormatRate(s.Rate),
			unit.FormatRate(s.Total), unit.FormatSeconds(s.BufferS))
	}
	checks := &Details{Title: "Checks", Printed: true}
	for _, c := range p.Checks {
		checks.Add(Warning{c.Text + " [" + c.Code + "]"})
	}
	doc.Add(&Details{Title: "What is written to each disk", Open: true, Printed: true,
		Blocks: shown([]Block{byDisk})},
		&Details{Title: "Streams", Open: true, Printed: true, Blocks: shown([]Block{byStream})},
		&Details{Title: "All " + unit.Plural(len(phases), "phase"), Printed: true,
			Blocks: []Block{byPhase}},
		&Details{Title: "What the times assume", Printed: true,
			Blocks: shown([]Block{List{Items: p.notes()}})}, checks)
	doc.Data = map[string]any{
		"name": p.Name, "simulated_on": p.Model, "phases": phases, "streams": streams,
		"disks":  p.Disks,
		"checks": append([]PlanCheck{}, p.Checks...),
	}
	return doc
}

// page is how long the plan takes and how much it writes, and what takes the time; of a plan that
// can't run here, why.
func (p Plan) page() *Page {
	total := p.Total
	pauses := 0
	kept := false
	for i, phase := range p.Phases {
		total.Max += p.restTime(i)
		if !phase.UntilIdle && (phase.Search == nil || p.Model != "") {
			total.Min += p.restTime(i)
		}
		if phase.Pause != "" {
			pauses++
		}
		for _, job := range phase.Jobs {
			kept = kept || job.IO.Keep
		}
	}
	time := timeRange(total)
	if total.Open {
		time = "at least " + time
	}
	inWords := strings.NewReplacer("≤", "up to", "≥", "at least", "≈", "about")
	bytes := func(bound scenario.Bound, n int64) string {
		return cmp.Or(inWords.Replace(boundedBytes(bound, n)), "nothing")
	}
	after := "All test files are removed afterwards."
	switch {
	case p.Model != "":
		after = "Simulated: no disk is touched" + pick(p.Hub.Speedup == 1, ".", ", and it runs in "+
			unit.FormatSeconds(total.Min.Seconds()/p.Hub.Speedup)+".")
	case kept:
		after = "Files with keep: stay there."
	}
	page := &Page{
		Kicker: []string{unit.Plural(len(p.Plan.Disks), "disk")}, Marks: []string{"not run yet"},
		Headline: "This takes " + time + " and writes " +
			bytes(total.WriteBound, total.Written()),
		Sub: fmt.Sprintf("It moves %s in %s. %s", bytes(total.MoveBound, total.Moves),
			unit.Plural(len(p.Phases), "phase"), after),
		Hero: p.times(),
		Action: &Action{Title: "Start it", Detail: "It asks before it writes much.",
			Command: p.command("run")},
		Numbers: p.numbers(bytes),
	}
	if pauses > 0 {
		page.Numbers = append(page.Numbers, Number{Value: unit.Plural(pauses, "pause"),
			Text: "for you to do something: it waits for Enter"})
	}
	p.addChecks(page)
	return page
}

// addChecks puts the worst check above the headline or, if it keeps the plan from running, all of
// them into the picture.
func (p Plan) addChecks(page *Page) {
	fatal := 0
	hero := &Verdicts{}
	for _, sign := range []Sign{Bad, Caution} {
		for _, c := range p.Checks {
			if c.Fatal == (sign == Bad) {
				hero.List = append(hero.List, Judged{Sign: sign, What: c.Text, On: c.Code})
			}
			if c.Fatal && sign == Bad {
				fatal++
			}
		}
	}
	switch {
	case fatal > 0:
		page.Sub = page.Headline + ". " + page.Sub
		page.Headline = "It cannot run here: " + unit.Plural(fatal, "check") + " failed"
		page.Hero = hero
		page.Action = &Action{Title: "Fix what failed, then look again", Command: p.command("plan")}
	case hero.List != nil:
		page.Status = hero.List[0].What + " [" + hero.List[0].On + "]"
		if n := len(hero.List) - 1; n > 0 {
			page.Status += fmt.Sprintf(" And %d more below.", n)
		}
	}
}

// command returns a command for the scenario; empty if its file is not known.
func (p Plan) command(name string) string {
	if p.File == "" {
		return ""
	}
	return "hubbench " + pick(p.Model != "" && name == "run", "simulate", name) + " " +
		cells.Shell(p.File)
}

// numbers are what the disk takes that is written most, and the most space that one needs.
func (p Plan) numbers(bytes func(scenario.Bound, int64) string) (list []Number) {
	most := slices.MaxFunc(p.Disks, func(x, y PlannedDisk) int {
		return cmp.Compare(x.Writes, y.Writes)
	})
	if most.Writes > 0 && len(p.Disks) > 1 {
		var others []string
		for _, d := range p.Disks {
			if d.Name != most.Name {
				others = append(others, bytes(d.Bound, d.Writes)+" to "+d.Name)
			}
		}
		text := "are written to " + most.Name + ", " + unit.List(others)
		if len(others) > maxListedNames {
			text = "are written to " + most.Name + ", to the others no more"
		}
		list = append(list, Number{Value: boundedBytes(most.Bound, most.Writes), Text: text})
	}
	var space int64
	for _, d := range p.Disks {
		space = max(space, d.Space)
	}
	if p.Model == "" && space > 0 {
		list = append(list, Number{Value: unit.FormatBytes(space),
			Text: "at most lie on a disk at once"})
	}
	return list
}

// planGroup is phases of one kind that follow one another.
type planGroup struct {
	label     string
	forecasts []forecast.Forecast
	pause     string // what to do before it
}

// times is how long the phases of each kind take, with the pauses between them.
func (p Plan) times() *Rows {
	h := &Rows{Head: "What is measured", Columns: numbers("time", "writes")}
	h.Columns[1].Drop = 1
	var longest float64
	for _, g := range p.groups() {
		if g.pause != "" {
			h.Rows = append(h.Rows, Row{Sign: Caution, Label: "Pause", Text: g.pause})
		}
		total := forecast.Total(g.forecasts)
		end := pick(total.Open, total.Min, total.Max).Seconds()
		longest = max(longest, end)
		n := len(g.forecasts)
		row := Row{Label: g.label, Bars: []RowBar{{To: end, Parts: n}},
			Numbers: []Cell{strong(timeRange(total)),
				{Text: boundedBytes(total.WriteBound, total.Written())}}}
		if n > 1 {
			row.Bars[0].Text = unit.Plural(n, "phase")
		}
		h.Rows = append(h.Rows, row)
	}
	size, name := 1., " s"
	if longest > 120 {
		size, name = 60, " min"
	}
	h.Axis = Ruler{High: longest * textRoom}
	for _, at := range Steps(0, longest/size, axisTicks) {
		h.Axis.Ticks = append(h.Axis.Ticks,
			RulerTick{At: at * size, Text: shortest(at) + pick(at == 0, "", name)})
	}
	return h
}

// textRoom is how much longer an axis is than the longest bar, for what is written behind it.
const textRoom = 1.25

// maxGroups is how many kinds of phases a plan lists between two pauses.
const maxGroups = 8

// groups are the phases by how many disks work in them, between the pauses.
func (p Plan) groups() (groups []*planGroup) {
	from := 0 // the first group after the last pause
	for i, phase := range p.Phases {
		if phase.Pause != "" || phase.Search != nil || len(p.Phases) <= maxGroups {
			from = len(groups)
		}
		label := kindOf(&phase, len(p.Plan.Disks))
		if phase.Search != nil || len(p.Phases) <= maxGroups {
			label = phase.Label()
		}
		var in *planGroup
		for _, g := range groups[from:] {
			if g.label == label {
				in = g
			}
		}
		if in == nil {
			in = &planGroup{label: label, pause: phase.Pause}
			groups = append(groups, in)
		}
		in.forecasts = append(in.forecasts, p.Forecasts[i])
	}
	return groups
}

// restTime is for how long the disks rest in a phase: before it, or before each try of a search.
func (p Plan) restTime(i int) time.Duration {
	return p.Phases[i].Cooldown * time.Duration(max(1, p.Forecasts[i].Tries))
}

// timeRange is the time: "50 s to 2 min".
func timeRange(f forecast.Forecast) string {
	shortest, longest := unit.FormatSeconds(f.Min.Seconds()), unit.FormatSeconds(f.Max.Seconds())
	if f.Open || shortest == longest {
		return shortest
	}
	return shortest + " to " + longest
}

// boundedBytes is bytes with their bound: "≤ 5.37 GB". It is empty for none.
func boundedBytes(bound scenario.Bound, bytes int64) string {
	if bytes == 0 {
		return ""
	}
	sign := map[scenario.Bound]string{
		scenario.AtMost: "≤ ", scenario.AtLeast: "≥ ", scenario.About: "≈ ",
	}
	return sign[bound] + unit.FormatBytes(bytes)
}

// workText says what each disk moves and when the phase ends: "50 files each, 2 MB to 2 GB", "1 + 5
// passes of 1.07 GB".
func (p Plan) workText(i int) string {
	phase := p.Phases[i]
	movers := phase.Movers()
	limit := unit.FormatSeconds(phase.Limit.Seconds())
	switch {
	case phase.Search != nil:
		return fmt.Sprintf("%d tries of %s", p.Forecasts[i].Tries,
			unit.FormatSeconds(phase.Search.Hold.Seconds()))
	case len(movers) == 0:
		return limit
	}
	noun := pick(movers[0].IO.OneFile, "passes", "files")
	var sizes []int64
	var counts []string
	for _, job := range movers {
		sizes = append(sizes, job.Sizes...)
		count := strconv.Itoa(len(job.Sizes) - job.IO.Discard)
		if job.IO.Discard > 0 { // the first do not count
			count = strconv.Itoa(job.IO.Discard) + " + " + count
		}
		if !slices.Contains(counts, count) {
			counts = append(counts, count)
		}
	}
	text := strings.Join(counts, ", ") + " " + noun
	switch {
	case phase.Steady > 0:
		text = "until steady: " + noun
	case phase.Limit > 0:
		text = limit + " of " + noun
	case phase.Target > 0:
		text = "about " + unit.FormatSeconds(phase.Target.Seconds()) + " of " + noun
	case len(counts) == 1 && len(movers) > 1:
		text += " each"
	}
	smallest, largest := slices.Min(sizes), slices.Max(sizes)
	if smallest == largest {
		return text + " of " + unit.FormatBytes(largest)
	}
	return text + ", " + unit.FormatBytes(smallest) + " to " + unit.FormatBytes(largest)
}

// notes say what the amounts and times assume, and what happens between the phases.
func (p Plan) notes() []string {
	var notes []string
	var rests time.Duration
	pauses := 0
	for i, phase := range p.Phases {
		rests += p.restTime(i)
		if phase.Pause != "" {
			pauses++
		}
	}
	if p.Model == "" {
		links := "one shared link of " + unit.FormatRate(scenario.LinkRate)
		if known := p.linkTexts(); known != nil {
			links = "disks as fast as their links (" + strings.Join(known, "; ") + ")"
		}
		notes = append(notes, "The times are for "+links+
			"; they do not include test files that are written before a phase, or filling volumes.")
	}
	if rests > 0 {
		notes = append(notes, "Cooldowns add up to "+unit.FormatSeconds(rests.Seconds())+".")
	}
	if pauses > 0 {
		notes = append(notes, "It waits for Enter before "+unit.Plural(pauses, "phase")+".")
	}
	return notes
}

// linkTexts are the narrowest link of each disk, as far as the machine knows them.
func (p Plan) linkTexts() []string {
	if len(p.Phases) == 0 || len(p.Phases[0].Links) == 0 {
		return nil
	}
	var known []string
	for _, disk := range p.Plan.Disks {
		link := scenario.Narrowest(p.Phases[0].Links, disk.Name)
		text := strings.Join(link.Disks, ", ") + " " + unit.FormatRate(link.Rate)
		if !slices.Contains(known, text) {
			known = append(known, text)
		}
	}
	return known
}

// plannedStreams are some streams of one kind on a disk in a phase.
type plannedStreams struct {
	Phase   string `json:"phase"`
	title   string
	Disk    string     `json:"disk"`
	Op      trace.Role `json:"op"`
	Kind    string     `json:"kind"` // a codec, or the rate as given
	Count   int        `json:"count"`
	Rate    float64    `json:"rate_bps"`  // one stream's
	Total   float64    `json:"total_bps"` // all streams'
	FrameS  float64    `json:"frame_s"`
	BufferS float64    `json:"buffer_s"`
	Files   int64      `json:"files_bytes"`      // all of them on the disk
	Source  string     `json:"source,omitempty"` // where a codec's rate was published
	Scaled  bool       `json:"scaled,omitempty"` // in proportion to the rate at another frame rate
}

// streamsIn lists the streams of all phases.
func streamsIn(plan *scenario.Plan) []plannedStreams {
	all := []plannedStreams{}
	for _, phase := range plan.Phases {
		for _, job := range phase.Jobs {
			files := job.StreamFiles()
			for _, s := range job.Streams {
				out := plannedStreams{
					Phase: phase.Name, title: phase.Title(), Disk: job.Disk, Op: trace.Read,
					Kind: s.Kind, Count: s.Count, Rate: s.Rate, Total: s.TotalRate(),
					FrameS: s.Frame.Seconds(), BufferS: s.Buffer.Seconds(),
				}
				if s.Record {
					out.Op = trace.Write
				}
				for _, size := range files[:s.Count] {
					out.Files += size
				}
				files = files[s.Count:]
				if c, ok := stream.CodecByName(s.Kind); ok {
					out.Source = c.Source
					out.Scaled = c.Scaled
				}
				all = append(all, out)
			}
		}
	}
	return all
}

// OfCodecs lists codecs with their rates, by where these were published.
func OfCodecs(codecs []stream.Codec) *Document {
	type row struct {
		Name   string  `json:"name"`
		Label  string  `json:"label"`
		Rate   float64 `json:"rate_bps"`
		FrameS float64 `json:"frame_s"`
		Source string  `json:"source"`
		Scaled bool    `json:"scaled,omitempty"`
	}
	doc := &Document{Kind: "codecs", Title: "Codecs"}
	data := []row{}
	for _, published := range analysis.Grouped(codecs, func(c stream.Codec) string {
		return c.Source
	}) {
		t := table("", words("Codec", "In scenarios"), numbers("Mb/s", "MB/s"), words(""))
		for _, c := range published {
			data = append(data, row{c.Name, c.Label, c.Rate, c.Frame.Seconds(), c.Source, c.Scaled})
			t.add(c.Label, c.Name, fmt.Sprintf("%.0f", c.Rate*8/1e6),
				fmt.Sprintf("%.1f", c.Rate/1e6),
				pick(c.Scaled, "in proportion", ""))
		}
		doc.Add(Heading{Text: published[0].Source}, t)
	}
	doc.Data = map[string]any{"codecs": data}
	return doc
}
