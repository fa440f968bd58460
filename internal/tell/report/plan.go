package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Plan is what the report of a plan is made of.
type Plan struct {
	*scenario.Plan
	Model     string              // the hub that the disks are simulated on; empty for real ones
	Forecasts []forecast.Forecast // of each phase
	Total     forecast.Forecast
	Disks     []PlannedDisk
	Checks    []Check // what is in the way; none if all passed
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
	t := table("Phases", word("Phase"), word("Work", 1), word("Moves"), word("Writes"), word("Time"))
	phases := []plannedPhase{}
	for i, phase := range p.Phases {
		f := p.Forecasts[i]
		t.add(phase.Label(), jobs(phase), amount(f.MoveBound, f.Moves), amount(f.WriteBound, f.Written()), lasts(f))
		out := plannedPhase{
			Phase: phase.Name, Who: phase.Who(), Work: jobs(phase), Moves: f.Moves, MoveBound: f.MoveBound,
			Writes: f.Written(), WriteBound: f.WriteBound, MinS: f.Min.Seconds(), Tries: f.Tries,
		}
		if longest := f.Max.Seconds(); !f.Open {
			out.MaxS = &longest
		}
		phases = append(phases, out)
	}
	disks := table("Disks", word("Disk"), word("Folder"), word("Writes"), word("Needs free"), word("Free"))
	for _, d := range p.Disks {
		needs, free := "", ""
		if p.Model == "" {
			needs, free = unit.FormatBytes(d.Space), none
			if d.Free != nil {
				free = unit.FormatBytes(*d.Free)
			}
		}
		disks.add(d.Name, d.Where, amount(d.Bound, d.Writes), needs, free)
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
	each := table("Streams", word("Phase"), word("Disk"), word("Streams"), word("Each"), word("Together"),
		word("Frame", 1), word("Buffer"), word("On the disk", 2))
	var sources []string // where the rates of codecs were published
	for _, s := range streams {
		each.add(s.title, s.Disk, fmt.Sprintf("%d × %s", s.Count, stream.Label(s.Kind)), unit.FormatRate(s.Rate),
			unit.FormatRate(s.Total), unit.FormatSeconds(s.FrameS), unit.FormatSeconds(s.BufferS), unit.FormatBytes(s.Files))
		from := pick(s.Scaled, "in proportion to", "from")
		note := fmt.Sprintf("%s: %s, %s %s.", stream.Label(s.Kind), unit.FormatRate(s.Rate), from, s.Source)
		if s.Source != "" && !slices.Contains(sources, note) {
			sources = append(sources, note)
		}
	}
	method := func(phase scenario.Phase) []string { return []string{method(phase)} }
	notes := slices.Concat(eachOnce(p.Plan, policies), searches(p), eachOnce(p.Plan, method), timing(p), sources)
	doc.Add(each, List{Items: notes})
	if len(p.Checks) > len(doc.Answer.Doubts) {
		for _, check := range p.Checks {
			doc.Add(Warning{check.warning()})
		}
	}
	doc.Data = map[string]any{
		"name": p.Name, "simulated_on": p.Model, "phases": phases, "streams": streams, "disks": p.Disks,
		"checks": append([]Check{}, p.Checks...),
	}
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
	took := pick(total.Open, "at least ", "") + lasts(total)
	if p.Model != "" && p.Hub.Speedup != 1 {
		took += " of model time (" + unit.FormatSeconds(total.Min.Seconds()/p.Hub.Speedup) + " to run)"
	}
	inWords := strings.NewReplacer("≤", "up to", "≥", "at least", "≈", "about", none, "nothing")
	a := &Answer{Headline: fmt.Sprintf("%s, %s: moves %s, writes %s in %s.",
		unit.Plural(len(p.Phases), "phase"), unit.Plural(len(p.Plan.Disks), "disk"),
		inWords.Replace(amount(total.MoveBound, total.Moves)), inWords.Replace(amount(total.WriteBound, total.Written())), took)}
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
		after := pick(kept, "files with keep stay there", "all test files are removed afterwards")
		a.Findings[0] = fmt.Sprintf("Needs up to %s free on %s at a time; %s.", unit.FormatBytes(space), each, after)
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

// lasts is the time: "50 s to 2 min".
func lasts(f forecast.Forecast) string {
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

// OfCodecs lists codecs with their rates, by where these were published.
func OfCodecs(codecs []stream.Codec) *Document {
	doc := &Document{Kind: "codecs", Title: "Codecs", Unit: "MB/s"}
	type row struct {
		Name   string  `json:"name"`
		Label  string  `json:"label"`
		Rate   float64 `json:"rate_bps"`
		FrameS float64 `json:"frame_s"`
		Source string  `json:"source"`
		Scaled bool    `json:"scaled,omitempty"`
	}
	data := []row{}
	tables := map[string]*Table{}
	for _, c := range codecs {
		data = append(data, row{c.Name, c.Label, c.Rate, c.Frame.Seconds(), c.Source, c.Scaled})
		t := tables[c.Source]
		if t == nil {
			t = table("", word("Codec"), word("In scenarios"), number("Mb/s"), number("MB/s"), word(""))
			tables[c.Source] = t
			doc.Blocks = append(doc.Blocks, Heading{Text: c.Source}, t)
		}
		t.add(c.Label, c.Name, fmt.Sprintf("%.0f", c.Rate*8/1e6), fmt.Sprintf("%.1f", c.Rate/1e6),
			pick(c.Scaled, "in proportion", ""))
	}
	doc.Data = map[string]any{"codecs": data}
	return doc
}
