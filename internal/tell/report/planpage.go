package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

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
		Actions: []Action{{Title: "Start it", Detail: "It asks before it writes much.",
			Command: p.command("run")}},
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
		page.Actions = []Action{{Title: "Fix what failed, then look again", Command: p.command("plan")}}
	case hero.List != nil:
		page.Status = statusOf(analysis.Each(hero.List, func(j Judged) string {
			return j.What + " [" + j.On + "]"
		}))
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
