package report

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// contest is an analysis by hand: C crowds out A and B while all three write, and less when they
// read.
func contest() *analysis.Analysis {
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Name: "plug", Order: []string{"A", "B", "C"},
		Phases: []analysis.PhaseResult{
			played("RRR", trace.Read, 0.48, 0.47, 0.5),
			played("WWW", trace.Write, 0.47, 0.49, 0.77),
		}}
	a.Summary.Contests = []analysis.Contest{{Phases: []string{"WWW"}}, {Phases: []string{"RRR"}}}
	a.Answer = analysis.RunAnswer{
		Headline: "C crowds out A and B", Sentence: "C still writes at 2.16 GB/s.",
		Loses: []analysis.ContestOutcome{
			{Disk: "A", Phases: []string{"WWW"}}, {Disk: "B", Phases: []string{"WWW"}},
		},
		Advice: []analysis.Advice{{Title: "Move C", Detail: "A then writes more.",
			Text: "Move C to its own port."}},
		Sure: analysis.Sure{Text: "±1.7%"},
	}
	return a
}

// played is a phase of all disks, each of which keeps a share of its baseline: 1, 2 and 3 GB/s.
func played(name string, role trace.Role, kept ...float64) analysis.PhaseResult {
	p := analysis.PhaseResult{
		Name: name, Title: name, Roles: map[string]trace.Role{},
		Disks:      map[string]analysis.DiskResult{},
		Overlap:    &analysis.Overlap{DurationS: 30, Disks: map[string]analysis.OverlapDisk{}},
		Contention: &analysis.Contention{Disks: map[string]analysis.DiskContention{}},
	}
	for i, share := range kept {
		disk, baseline := string(rune('A'+i)), float64(i+1)*1e9
		p.Roles[disk], p.Disks[disk] = role, analysis.DiskResult{}
		p.Overlap.Disks[disk] = analysis.OverlapDisk{Rate: share * baseline}
		p.Overlap.Rate += share * baseline
		p.Contention.Disks[disk] = analysis.DiskContention{
			Rate: share * baseline, ReferenceRate: &baseline, Retention: &share, Alone: true,
		}
	}
	return p
}

func answerOf(a *analysis.Analysis) *Page {
	return OfRun(RunData{Analysis: a, AnswerAlone: true}).Page
}

func loadsOf(a *analysis.Analysis) []load {
	r := newRunDoc(RunData{Analysis: a})
	r.answer()
	return r.loads
}

// The load that the headline is about comes first, whatever the order of phases; the same work
// under other names is pooled with it.
func TestHeadlineLoad(t *testing.T) {
	a := contest()
	got := loadsOf(a)
	if len(got) != 2 || got[0].title != "WWW" || got[0].id != "phase-2" {
		t.Fatalf("loads %+v", got)
	}
	first := got[0]
	if first.work != "all three write" || !first.disks[0].slowed ||
		first.disks[2].slowed {
		t.Errorf("the first load is %+v", first)
	}
	check.Near(t, "together", 0.47e9+0.98e9+2.31e9, first.rate, 1)
	again := played("all again", trace.Write, 0.57, 0.59, 0.87)
	a.Phases = append(a.Phases, again, played("W--", trace.Write, 1))
	a.Summary.Contests[0].Phases = []string{"WWW", "all again"}
	got = loadsOf(a)
	if len(got) != 3 || got[0].title != "All three write" || mostDisks(got) == len(got[2].disks) {
		t.Fatalf("with the same work under another name: %+v", got)
	}
	d := got[0].disks[0]
	check.Near(t, "A keeps, in the mean", 0.52, d.kept, 1e-9)
	check.Near(t, "A's rate, in the mean", 0.52e9, d.rate, 1)
	check.Near(t, "A's baseline", 1e9, d.baseline, 1)
	if got := d.percent(); got != "52%" {
		t.Errorf("A keeps %q", got)
	}
	a = contest()
	a.Phases = append(a.Phases, played("WWW-2", trace.Write, 0.57, 0.59, 0.87))
	a.Phases[2].Repeats, a.Phases[2].Title = "WWW", "WWW (2)"
	if got := loadsOf(a); len(got) != 2 || got[0].disks[0].percent() != "52%" {
		t.Errorf("of repeats: %+v", got[0])
	}
}

// The key numbers come from the values that the analysis has, and there are three at most.
func TestFacts(t *testing.T) {
	a := contest()
	lag, to, gain := 10.0, [2]float64{1e9, 2e9}, 1.36
	loss := Number{Value: "−52%", Tone: Bad, InHero: true,
		Text: "A and B when all three write: on average 0.725 instead of 1.50 GB/s"}
	total := Number{Value: "3.76 GB/s", Text: "together when all three write"}
	check.Same(t, "what is lost", []Number{loss, total}, answerOf(a).Numbers)

	write := &a.Phases[1]
	write.Recoveries = []analysis.Recovery{
		{Disk: "A", After: "C", LagS: &lag, FromRate: 0.47e9, ToRate: &to[0]},
		{Disk: "B", After: "C", LagS: new(8.0), FromRate: 0.98e9, ToRate: &to[1]},
		{Disk: "B", After: "A", LagS: new(20.0), FromRate: 1e9, ToRate: &to[1]},
		// No time to speak of.
		{Disk: "C", After: "C", LagS: new(0.4), FromRate: 1e9, ToRate: &to[1]},
		{Disk: "A", After: "C", FromRate: 1e9}, // cut
	}
	recovery := Number{Value: "10 s", Text: "until A and B recovered after C had finished (cause unknown)"}
	check.Same(t, "and how long it takes", []Number{loss, recovery, total}, answerOf(a).Numbers)

	a.Phases[0].Contention.DuplexGain, a.Phases[0].Contention.DuplexCI95 = &gain,
		&stats.Interval{1.3, 1.4}
	mixed := Number{Value: "+36%",
		Text: "with reads and writes mixed: 2.92 instead of 2.15 GB/s together"}
	check.Same(t, "and what mixed loads gain", []Number{loss, recovery, mixed}, answerOf(a).Numbers)
	a.Phases[0].Contention.DuplexCI95 = &stats.Interval{0.9, 1.8}
	check.Same(t, "unless noise may have made it", []Number{loss, recovery, total}, answerOf(a).Numbers)

	a.Phases = a.Phases[1:]
	race := Number{Value: "15.5 GB", Text: "not moved in those 10 s: 1.45 instead of 3.00 GB/s"}
	check.Same(t, "of a race", []Number{loss, recovery, race}, answerOf(a).Numbers)

	write = &a.Phases[0]
	write.Recoveries = nil
	write.Disks["C"] = analysis.DiskResult{Throttle: &analysis.Throttle{
		Step: ledger.Step{AtBytes: 24e9, FromRate: 2.4e9, ToRate: 0.6e9},
	}}
	throttled := Number{Value: "−75%", Text: "C after 24 GB: 0.600 instead of 2.40 GB/s", Tone: Bad}
	check.Same(t, "of a disk that falls", []Number{loss, throttled, total}, answerOf(a).Numbers)
}

// Only those that keep about as little as the one that keeps least are named together, and many are
// counted.
func TestFactOfUnlikeLosers(t *testing.T) {
	a := contest()
	a.Phases[1] = played("WWW", trace.Write, 0.3, 0.6, 0.77)
	if got := answerOf(a).Numbers[0]; got.Value != "−70%" ||
		!strings.HasPrefix(got.Text, "A when all three write:") {
		t.Errorf("%+v", got)
	}
	kept := []float64{0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 1}
	a.Phases[1] = played("WWW", trace.Write, kept...)
	a.Order, a.Answer.Loses = nil, nil
	for i := range kept {
		a.Order = append(a.Order, string(rune('A'+i)))
		if kept[i] < 1 {
			a.Answer.Loses = append(a.Answer.Loses,
				analysis.ContestOutcome{Disk: a.Order[i], Phases: []string{"WWW"}})
		}
	}
	got := answerOf(a)
	if len(got.Hero.(*Flow).States[0].Disks) != 7 ||
		!strings.HasPrefix(got.Numbers[0].Text, "6 disks when all seven write:") {
		t.Errorf("of seven disks: %+v", got)
	}
}

// What to do is the analysis' advice. A run in doubt has neither advice nor key numbers, and what
// failed is its headline.
func TestActions(t *testing.T) {
	a := contest()
	want := []Action{{Title: "Move C", Detail: "A then writes more.",
		Text: "Move C to its own port."}}
	check.Same(t, "actions", want, answerOf(a).Actions)
	for _, text := range []string{"first", "second", "third", "fourth"} {
		a.Answer.Caveats = append(a.Answer.Caveats,
			analysis.Caveat{Code: analysis.CaveatCached, Text: text})
	}
	a.Answer.Headline = "first"
	got := answerOf(a)
	if got.Actions != nil || got.Numbers != nil {
		t.Errorf("a run in doubt: %+v", got)
	}
	check.Same(t, "its doubts", []string{"second", "third", "fourth"},
		append([]string{got.Status}, got.Doubts...))
}

// An answer that needs nothing that is missing stays the headline of a run that ended early, under
// a line that says what is missing and how to go on. Else that it ended is the headline, with a cell
// for each phase; one's own Ctrl-C is no failure.
func TestEndedEarly(t *testing.T) {
	about := About{Resume: "hubbench run --resume out",
		Failures: []trace.RunFailure{{Phase: "all read", Cause: trace.Interrupted}}}
	for _, name := range []string{"WWW", "RRR", "all read", "WRR"} {
		about.Planned = append(about.Planned, scenario.Phase{Name: name,
			Jobs: []scenario.Job{{Role: trace.Read}}})
	}
	a := contest()
	a.Answer.Caveats = []analysis.Caveat{{Code: analysis.CaveatPartial, Text: "It ended early."}}
	a.Answer.Stands = true
	doc := OfRun(RunData{Analysis: a, About: about, AnswerAlone: true})
	if doc.Page.Headline != "C crowds out A and B" {
		t.Fatalf("an answer that holds is not the headline: %+v", doc)
	}
	check.Same(t, "what is missing", "2 of 4 phases are missing, none that this "+
		"answer needs. To measure the rest: hubbench run --resume out", doc.Page.Status)
	a.Answer.Stands = false
	a.Answer.Headline = "It ended early."
	for cause, want := range map[string]string{
		trace.Interrupted:     "Interrupted after 2 of 4 phases",
		"no space left on it": "It failed in phase 3 of 4",
	} {
		about.Failures[0].Cause = cause
		page := OfRun(RunData{Analysis: a, About: about, AnswerAlone: true}).Page
		cells := page.Hero.(*Cells).Groups
		state := pick(cause == trace.Interrupted, Cut, Failed)
		check.Same(t, "cells", []CellState{Complete, Complete, state, Missing}, cells[0].Cells)
		if page.Headline != want || page.Actions[0].Command != about.Resume {
			t.Errorf("%s: headline %q, want %q, action %+v", cause, page.Headline, want,
				page.Actions)
		}
	}
}

// Whatever takes the place of an answer's sentence, or has no room on its first screen, stands
// behind it.
func TestNothingIsLost(t *testing.T) {
	behind := func(a *analysis.Analysis) (out []string) {
		doc := OfRun(RunData{Analysis: a})
		for _, b := range doc.Blocks {
			switch b := b.(type) {
			case Warning:
				out = append(out, b.Text)
			case List:
				out = append(out, b.Items...)
			}
		}
		return out
	}
	a := contest()
	for _, text := range []string{"first", "second", "third", "fourth", "fifth"} {
		a.Answer.Caveats = append(a.Answer.Caveats,
			analysis.Caveat{Code: analysis.CaveatCached, Text: text})
	}
	a.Answer.Headline, a.Answer.Sentence = "first", ""
	check.Same(t, "doubts without room", []string{"fourth", "fifth"}, behind(a))
}

// What a table holds is no sentence under "What else stands out" as well.
func TestNothingRepeatsTheTables(t *testing.T) {
	a := contest()
	for _, code := range append(inTables(), "stall") {
		a.Findings = append(a.Findings, analysis.Finding{Code: code, Phase: "WWW", Disk: "A",
			Weight: 0.01, Text: code, TextWithoutPhase: code})
	}
	doc := OfRun(RunData{Analysis: a})
	var got []string
	for _, list := range Collect[List](doc.Blocks) {
		got = append(got, list.Items...)
	}
	check.Same(t, "what stands out", []string{"WWW: stall."}, got)
}

// The picture is what the run was made to show.
func TestPictures(t *testing.T) {
	cost := contest()
	cost.HubCosts = []analysis.HubCost{{Disk: "A", Op: trace.Write, Loss: 0.33, Lost: true}}
	if _, flows := answerOf(cost).Hero.(*Flow); !flows {
		t.Error("what disks cost each other goes before what the hub costs")
	}
	cost.Answer.Loses = nil
	rows := answerOf(cost).Hero.(*Rows).Rows
	if len(rows) != 1 || rows[0].Label != "A writes" || rows[0].Key.Label != "A" {
		t.Errorf("costs %+v", rows)
	}
	empty := answerOf(&analysis.Analysis{Scale: unit.ScaleFor(2e9), Name: "empty"})
	if empty.Headline != "Nothing was measured" || empty.Hero != nil {
		t.Errorf("of nothing: %+v", empty)
	}
}

// A share of another speed than the disk's alone is marked, and explained; without a baseline there
// is no share.
func TestNotAlone(t *testing.T) {
	a := contest()
	d := a.Phases[1].Contention.Disks["A"]
	d.Alone = false
	a.Phases[1].Contention.Disks["A"] = d
	a.Phases[1].Contention.Disks["B"] = analysis.DiskContention{NoReference: analysis.NoneUnlike}
	got := answerOf(a).Hero.(*Flow)
	disks := got.States[0].Disks
	if text := disks[0].Keeps.Text; text != "47%*" || got.Marks != notAloneNote {
		t.Errorf("A keeps %q, %q", text, got.Marks)
	}
	if disks[1].Keeps != (Cell{}) || disks[1].Of != "other work alone" {
		t.Errorf("without a baseline: %+v", disks[1])
	}
	if note := answerOf(contest()).Hero.(*Flow).Marks; note != "" {
		t.Errorf("of disks alone there is a note: %q", note)
	}
}

// A headline is one idea with a number in it or none, never a sentence in two halves.
func TestHeadlines(t *testing.T) {
	known := func(name string) (*hub.Profile, error) {
		data, _ := configs.Hub(name)
		return hub.Load(name, data)
	}
	runs := []*trace.Run{fixture.Triple(), fixture.Hostile(), fixture.Streams(), fixture.Search()}
	for _, name := range configs.Scenarios() {
		data, _ := configs.Scenario(name)
		if run := fixture.Simulated(t, string(data), known); run != nil {
			runs = append(runs, run)
		}
	}
	for _, run := range runs {
		a := analysis.Analyze(run, analysis.Options{})
		doc := OfRun(RunData{Analysis: a, AnswerAlone: true})
		got := doc.Page
		if got.Headline == "" || strings.Contains(got.Headline, ";") ||
			strings.HasSuffix(got.Headline, ".") {
			t.Errorf("%s: headline %q", run.Name, got.Headline)
		}
		if len(got.Numbers) > maxFacts || len(got.More) > maxFindings {
			t.Errorf("%s: %d numbers, %d findings", run.Name, len(got.Numbers), len(got.More))
		}
	}
}
