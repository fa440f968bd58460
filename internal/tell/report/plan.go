package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
