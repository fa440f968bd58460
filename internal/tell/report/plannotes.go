package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// policies explain how a phase ends that is no race, and what does not count; empty where there is nothing to explain.
func policies(p scenario.Phase) []string {
	notes := make([]string, 7)
	note := func(i int, holds bool, text string) {
		if holds {
			notes[i] = text
		}
	}
	movers := p.Movers()
	note(0, p.Stop == scenario.StopHold,
		"a disk that has moved its files goes on with filler files, which do not count, until all have.")
	note(1, p.Stop == scenario.StopTime && p.Steady == 0 && p.Search == nil, "all disks stop when the time is up.")
	note(2, p.Stop != scenario.StopTime && len(movers) < len(p.Jobs),
		"streams and probes go on until the others have moved their files.")
	note(3, p.Target > 0, "each disk moves as many files as fit in the time, so that all disks end together.")
	if len(movers) > 0 && !movers[0].IO.OneFile { // of passes the method says it
		note(4, movers[0].IO.Discard > 0, "of each disk's files, "+uncounted(movers[0].IO.Discard)+".")
	}
	window, limit := unit.FormatSeconds(p.Steady.Seconds()), unit.FormatSeconds(p.Limit.Seconds())
	note(5, p.Steady > 0, "ends when every disk's rate is steady over five windows of "+window+" (after SNIA PTS), "+
		"or after "+limit+"; the amounts are what the links carry in that time.")
	note(6, p.Precondition > 0, "its disks' volumes are first filled to "+unit.FormatPercent(p.Precondition)+
		"; the files that fill them are removed afterwards.")
	return notes
}

// uncounted says that so many files or passes do not count.
func uncounted(first int) string {
	return pick(first == 1, "the first does not count", fmt.Sprintf("the first %d do not count", first))
}

// eachOnce makes one note of what holds for several phases: it names one, two, or the first and how many more.
func eachOnce(plan *scenario.Plan, say func(scenario.Phase) []string) []string {
	type note struct {
		place int // in the list that say gives
		text  string
	}
	of := map[note][]string{}
	var list []note
	for _, phase := range plan.Phases {
		for i, text := range say(phase) {
			n := note{i, text}
			if text != "" && of[n] == nil {
				list = append(list, n)
			}
			of[n] = append(of[n], phase.Title())
		}
	}
	slices.SortStableFunc(list, func(a, b note) int { return cmp.Compare(a.place, b.place) })
	var notes []string
	for _, n := range list {
		names := of[n]
		switch count := len(names); {
		case count == len(plan.Phases):
			names = []string{"In all phases"}
		case count > 2:
			names = []string{fmt.Sprintf("%s and %d more", names[0], count-1)}
		}
		notes = append(notes, strings.Join(names, "; ")+": "+n.text)
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
		what := fmt.Sprintf("how many streams of %s stay clean, up to %.0f", s.Disk, s.Max)
		if len(phase.Jobs) > 1 {
			what += ", alone and beside the others"
		}
		if s.Kind == trace.SearchPace {
			what = "how fast " + s.Disk + " may go while all streams stay clean"
			if s.Max > 0 {
				what += ", up to " + unit.FormatBytes(int64(s.Max)) + "/s"
			}
		}
		tries := strings.Replace(unit.Plural(p.Forecasts[i].Tries, "try"), "trys", "tries", 1)
		if p.Model == "" {
			tries = "up to " + tries
		}
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
