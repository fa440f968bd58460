package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
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
		f, work := p.Forecasts[i], jobs(phase)
		t.add(phase.Label(), work, amount(f.MoveBound, f.Moves), amount(f.WriteBound, f.Written()), took(f))
		phases = append(phases, plannedPhase{
			phase.Name, phase.Who(), work, f.Moves, f.MoveBound, f.Written(), f.WriteBound, f.Min.Seconds(),
			pick(f.Open, nil, new(f.Max.Seconds())), f.Tries,
		})
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
		names := say.Each(p.Phases[:screenful-1], func(phase scenario.Phase) string { return phase.Title() })
		first := fmt.Sprintf("Phases: %s; %d more.", strings.Join(names, "; "), len(p.Phases)-screenful+1)
		doc.Answer.Findings = append([]string{first}, doc.Answer.Findings...)
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
	notes := slices.Concat(eachOnce(p.Plan, policies), searches(p), eachOnce(p.Plan, method), timing(p), sources)
	doc.Add(each, List{Items: notes})
	if len(p.Checks) > len(doc.Answer.Doubts) {
		doc.Add(warnings(say.Each(p.Checks, Check.warning))...)
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
		if total.Max += p.rests(i); !phase.UntilIdle && (phase.Search == nil || p.Model != "") {
			total.Min += p.rests(i)
		}
	}
	time := pick(total.Open, "at least ", "") + took(total)
	if p.Model != "" && p.Hub.Speedup != 1 {
		time += " of model time (" + unit.FormatSeconds(total.Min.Seconds()/p.Hub.Speedup) + " to run)"
	}
	inWords := strings.NewReplacer("≤", "up to", "≥", "at least", "≈", "about", none, "nothing")
	moves, writes := amount(total.MoveBound, total.Moves), amount(total.WriteBound, total.Written())
	a := &Answer{Headline: fmt.Sprintf("%s, %s: moves %s, writes %s in %s.", unit.Plural(len(p.Phases), "phase"),
		unit.Plural(len(p.Plan.Disks), "disk"), inWords.Replace(moves), inWords.Replace(writes), time)}
	each := pick(len(p.Disks) == 1, "the disk", "each disk")
	space := slices.Max(append(say.Each(p.Disks, func(d PlannedDisk) int64 { return d.Space }), 0))
	kept := slices.ContainsFunc(p.Phases, func(phase scenario.Phase) bool {
		return slices.ContainsFunc(phase.Jobs, func(j scenario.Job) bool { return j.IO.Keep })
	})
	a.Findings = []string{"Simulated: no disk is touched."}
	if p.Model == "" {
		after := pick(kept, "files with keep stay there", "all test files are removed afterwards")
		a.Findings[0] = fmt.Sprintf("Needs up to %s free on %s at a time; %s.", unit.FormatBytes(space), each, after)
	}
	for _, alike := range say.Grouped(p.Checks, func(check Check) string { return check.Code }) {
		more := len(alike) - 1
		a.Doubts = append(a.Doubts, alike[0].warning()+pick(more > 0, fmt.Sprintf(" (and %d more)", more), ""))
	}
	a.Sure = pick(len(p.Checks) == 0, "All checks passed.", "")
	return a
}

// rests is for how long the disks rest after a phase, or after each try of a search.
func (p Plan) rests(i int) time.Duration {
	return p.Phases[i].Cooldown * time.Duration(max(1, p.Forecasts[i].Tries))
}

// took is the time: "50 s to 2 min".
func took(f forecast.Forecast) string {
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
	sizes := slices.Concat(say.Each(movers, func(j scenario.Job) []int64 { return j.Sizes })...)
	least, most := slices.Min(sizes), slices.Max(sizes)
	counts := say.Each(movers, func(j scenario.Job) string {
		discarded := pick(j.IO.Discard > 0, strconv.Itoa(j.IO.Discard)+" + ", "")
		return discarded + strconv.Itoa(len(j.Sizes)-j.IO.Discard)
	})
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
	return text + pick(least == most, " of ", ", "+unit.FormatBytes(least)+" to ") + unit.FormatBytes(most) +
		pick(phase.Steady > 0, ", until steady", "")
}

// OfCodecs lists codecs with their rates, by where these were published.
func OfCodecs(codecs []stream.Codec) *Document {
	doc := &Document{Kind: "codecs", Title: "Codecs"}
	type row struct {
		Name   string  `json:"name"`
		Label  string  `json:"label"`
		Rate   float64 `json:"rate_bps"`
		FrameS float64 `json:"frame_s"`
		Source string  `json:"source"`
		Scaled bool    `json:"scaled,omitempty"`
	}
	data := []row{}
	for _, c := range codecs {
		data = append(data, row{c.Name, c.Label, c.Rate, c.Frame.Seconds(), c.Source, c.Scaled})
	}
	for _, group := range say.Grouped(codecs, func(c stream.Codec) string { return c.Source }) {
		t := table("", word("Codec"), word("In scenarios"), number("Mb/s"), number("MB/s"), word(""))
		for _, c := range group {
			t.add(c.Label, c.Name, fmt.Sprintf("%.0f", c.Rate*8/1e6), fmt.Sprintf("%.1f", c.Rate/1e6),
				pick(c.Scaled, "in proportion", ""))
		}
		doc.Add(Heading{Text: group[0].Source}, t)
	}
	doc.Data = map[string]any{"codecs": data}
	return doc
}

// policies explain how a phase ends that is no race, and what does not count; empty where there is nothing to explain.
func policies(p scenario.Phase) []string {
	movers := p.Movers()
	discard := 0
	if len(movers) > 0 && !movers[0].IO.OneFile { // of passes the method says it
		discard = movers[0].IO.Discard
	}
	window, limit := unit.FormatSeconds(p.Steady.Seconds()), unit.FormatSeconds(p.Limit.Seconds())
	return []string{
		pick(p.Stop == scenario.StopHold,
			"a disk that has moved its files goes on with filler files, which do not count, until all have.", ""),
		pick(p.Stop == scenario.StopTime && p.Steady == 0 && p.Search == nil,
			"all disks stop when the time is up.", ""),
		pick(p.Stop != scenario.StopTime && len(movers) < len(p.Jobs),
			"streams and probes go on until the others have moved their files.", ""),
		pick(p.Target > 0, "each disk moves as many files as fit in the time, so that all disks end together.", ""),
		pick(discard > 0, "of each disk's files, "+uncounted(discard)+".", ""),
		pick(p.Steady > 0, "ends when every disk's rate is steady over five windows of "+window+" (after SNIA PTS), "+
			"or after "+limit+"; the amounts are what the links carry in that time.", ""),
		pick(p.Precondition > 0, "its disks' volumes are first filled to "+unit.FormatPercent(p.Precondition)+
			"; the files that fill them are removed afterwards.", ""),
	}
}

// uncounted says that so many files or passes do not count.
func uncounted(first int) string {
	return pick(first == 1, "the first does not count", fmt.Sprintf("the first %d do not count", first))
}

// eachOnce makes one note of what holds for several phases: it names one, two, or the first and how many more.
func eachOnce(plan *scenario.Plan, notes func(scenario.Phase) []string) []string {
	type note struct {
		place       int // in the list of notes
		text, phase string
	}
	var all []note
	for _, phase := range plan.Phases {
		for i, text := range notes(phase) {
			if text != "" {
				all = append(all, note{i, text, phase.Title()})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b note) int { return a.place - b.place })
	same := say.Grouped(all, func(n note) note { return note{n.place, n.text, ""} })
	return say.Each(same, func(of []note) string {
		names := strings.Join(say.Each(of, func(n note) string { return n.phase }), "; ")
		switch count := len(of); {
		case count == len(plan.Phases):
			names = "In all phases"
		case count > 2:
			names = fmt.Sprintf("%s and %d more", of[0].phase, count-1)
		}
		return names + ": " + of[0].text
	})
}

// method explains how passes are made and scored; empty where there are none.
func method(phase scenario.Phase) []string {
	movers := phase.Movers()
	if len(movers) == 0 || !movers[0].IO.OneFile {
		return nil
	}
	io := movers[0].IO
	note := "all passes are over the same file" +
		pick(io.Cap > 0, ", at most "+unit.FormatSeconds(io.Cap.Seconds())+" each", "")
	switch {
	case io.Step > 0:
		note += ", starting every " + unit.FormatSeconds(io.Step.Seconds()) + " on all disks at once"
	case io.Rest > 0:
		note += ", " + unit.FormatSeconds(io.Rest.Seconds()) + " apart"
	}
	return []string{note + pick(io.Discard > 0, "; "+uncounted(io.Discard), "") +
		pick(phase.Score != "", fmt.Sprintf("; the score is the %s rate", phase.Score), "") + "."}
}

// timing says what the amounts and times assume, and what lies between the phases.
func timing(p Plan) []string {
	plan := p.Plan
	var rests time.Duration
	idle, pauses := "", 0
	for i, phase := range plan.Phases {
		rests += p.rests(i)
		if phase.UntilIdle || phase.Search != nil && phase.Cooldown > 0 && p.Model == "" {
			idle = "up to "
		}
		pauses += pick(phase.Pause != "", 1, 0)
	}
	var notes []string
	if !plan.Simulated() {
		links := "one shared link of " + unit.FormatRate(scenario.LinkRate)
		if len(plan.Phases) > 0 && len(plan.Phases[0].Links) > 0 { // the narrowest of each disk
			each := say.Each(plan.Disks, func(disk scenario.Disk) string {
				link := scenario.Narrowest(plan.Phases[0].Links, disk.Name)
				return strings.Join(link.Disks, ", ") + " " + unit.FormatRate(link.Rate)
			})
			once := say.Each(say.Grouped(each, strings.Clone), func(alike []string) string { return alike[0] })
			links = "disks as fast as their links (" + strings.Join(once, "; ") + ")"
		}
		filled := slices.ContainsFunc(plan.Phases, func(p scenario.Phase) bool { return p.Precondition > 0 })
		notes = append(notes, "The times are for "+links+"; they do not include test files that are written before a "+
			"phase"+pick(filled, ", or filling volumes,", "")+".")
	} else if plan.Hub.Speedup != 1 {
		text := "The times are model time, which passes %g times as fast as real time."
		notes = append(notes, fmt.Sprintf(text, plan.Hub.Speedup))
	}
	if rests > 0 {
		notes = append(notes, fmt.Sprintf("Cooldowns add %s%s.", idle, unit.FormatSeconds(rests.Seconds())))
	}
	if pauses > 0 {
		notes = append(notes, fmt.Sprintf("It waits for Enter before %s.", unit.Plural(pauses, "phase")))
	}
	return notes
}

// searches say what is searched for, in how many tries, and that the cache of a disk may carry over from one to the
// next.
func searches(p Plan) []string {
	var notes []string
	for i, phase := range p.Phases {
		if phase.Search == nil {
			continue
		}
		s := phase.Search
		what := fmt.Sprintf("how many streams of %s stay clean, up to %.0f", s.Disk, s.Max) +
			pick(len(phase.Jobs) > 1, ", alone and beside the others", "")
		if s.Kind == trace.SearchPace {
			what = "how fast " + s.Disk + " may go while all streams stay clean" +
				pick(s.Max > 0, ", up to "+unit.FormatBytes(int64(s.Max))+"/s", "")
		}
		n := p.Forecasts[i].Tries
		tries := pick(p.Model == "", "up to ", "") + unit.FormatCount(n) + pick(n == 1, " try", " tries")
		note := fmt.Sprintf("%s: %s of %s to find %s.", phase.Title(), tries, unit.FormatSeconds(s.Hold.Seconds()), what)
		if phase.Cooldown == 0 && slices.ContainsFunc(phase.Jobs, func(j scenario.Job) bool { return j.Writes() > 0 }) {
			note += " There is no rest between them, so a try may begin with a disk's cache still full; cooldown: adds a rest."
		}
		notes = append(notes, note)
	}
	return notes
}

// plannedStreams are some streams of one kind on a disk in a phase.
type plannedStreams struct {
	Phase   string `json:"phase"`
	title   string
	Disk    string     `json:"disk"`
	Op      trace.Role `json:"op"`
	Kind    string     `json:"kind"` // a codec, or the rate as given
	Count   int        `json:"count"`
	Rate    float64    `json:"rate_bps"`  // of one
	Total   float64    `json:"total_bps"` // of all
	FrameS  float64    `json:"frame_s"`
	BufferS float64    `json:"buffer_s"`
	Files   int64      `json:"files_bytes"`      // of all on the disk
	Source  string     `json:"source,omitempty"` // of a codec: what published its rate
	Scaled  bool       `json:"scaled,omitempty"` // in proportion to that of another frame rate
}

// streamsIn lists the streams of all phases.
func streamsIn(plan *scenario.Plan) []plannedStreams {
	all := []plannedStreams{}
	for _, phase := range plan.Phases {
		for _, job := range phase.Jobs {
			files := job.StreamFiles()
			for _, s := range job.Streams {
				out := plannedStreams{
					Phase: phase.Name, title: phase.Title(), Disk: job.Disk, Op: pick(s.Record, trace.Write, trace.Read), Kind: s.Kind,
					Count: s.Count, Rate: s.Rate, Total: s.TotalRate(), FrameS: s.Frame.Seconds(), BufferS: s.Buffer.Seconds(),
				}
				for _, size := range files[:s.Count] {
					out.Files += size
				}
				files = files[s.Count:]
				if c, ok := stream.CodecByName(s.Kind); ok {
					out.Source, out.Scaled = c.Source, c.Scaled
				}
				all = append(all, out)
			}
		}
	}
	return all
}
