package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// printPhases says what happens when, how much is moved and written, and how long it takes.
func printPhases(w io.Writer, ready *prepared, forecasts []forecast, total forecast) error {
	plan := ready.plan
	where := "real disks"
	if plan.Hub != nil {
		where = "simulated on hub " + ready.profile.Name
	}
	fmt.Fprintf(w, "%s: %s, %s, %s\n\n", plan.Name, count(len(plan.Phases), "phase"), count(len(plan.Disks), "disk"), where)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  phase\twho does what\twork\tmoves\twrites\ttime")
	for i, phase := range plan.Phases {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", phase.Name, phase.Who(), work(phase), forecasts[i])
	}
	if len(plan.Phases) > 1 {
		fmt.Fprintf(table, "  total\t\t\t%s\n", total)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, note := range slices.Concat(policies(plan), methods(plan), timing(plan, total)) {
		fmt.Fprintf(w, "  %s\n", note)
	}
	return nil
}

// String is the last three columns.
func (f forecast) String() string {
	took := unit.FormatSeconds(f.least.Seconds())
	if most := unit.FormatSeconds(f.most.Seconds()); !f.open && most != took {
		took += " to " + most
	}
	return amount(f.bound, f.moves) + "\t" + amount(f.worn, f.wear()) + "\t" + took
}

// amount is bytes with their bound: "at most 5.37 GB".
func amount(bound scenario.Bound, bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return strings.TrimSpace(string(bound) + " " + unit.FormatBytes(bytes))
}

// count is a number of things: "1 disk", "2 disks".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// work says what each disk moves: "50 files each, 2 MB to 2 GB", "1 + 5 passes of 1.07 GB".
func work(phase scenario.Phase) string {
	least, most := phase.Jobs[0].Sizes[0], int64(0)
	var counts []string
	for _, job := range phase.Jobs {
		least, most = min(least, slices.Min(job.Sizes)), max(most, slices.Max(job.Sizes))
		n := strconv.Itoa(len(job.Sizes) - job.IO.Discard)
		if job.IO.Discard > 0 {
			n = strconv.Itoa(job.IO.Discard) + " + " + n
		}
		counts = append(counts, n)
	}
	var text string
	switch differ := len(slices.Compact(slices.Clone(counts))) > 1; {
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
	if phase.Jobs[0].IO.OneFile {
		text = strings.NewReplacer("files", "passes", "file", "pass").Replace(text)
	}
	if len(counts) > 1 && phase.Limit == 0 && phase.Target == 0 && len(slices.Compact(counts)) == 1 {
		text += " each"
	}
	if least == most {
		return text + " of " + unit.FormatBytes(most)
	}
	return text + ", " + unit.FormatBytes(least) + " to " + unit.FormatBytes(most)
}

// policies explain how phases end that are no race.
func policies(plan *scenario.Plan) []string {
	var notes []string
	for _, of := range []struct {
		is   func(scenario.Phase) bool
		note string
	}{
		{func(p scenario.Phase) bool { return p.Stop == scenario.StopHold }, "a disk that has moved its files goes on with filler, which does not count, until all have."},
		{func(p scenario.Phase) bool { return p.Stop == scenario.StopTime }, "all disks stop when the time is up."},
		{func(p scenario.Phase) bool { return p.Target > 0 }, "each disk moves as many files as fit in the time, so that all end together."},
	} {
		if names := phasesWhere(plan, of.is); names != "" {
			notes = append(notes, names+": "+of.note)
		}
	}
	return notes
}

// methods explain how passes are made and scored.
func methods(plan *scenario.Plan) []string {
	var notes []string
	for _, phase := range plan.Phases {
		note := method(phase)
		if note == "" || slices.Contains(notes, note) {
			continue
		}
		notes = append(notes, note)
	}
	for i, note := range notes {
		notes[i] = phasesWhere(plan, func(p scenario.Phase) bool { return method(p) == note }) + ": " + note
	}
	return notes
}

func method(phase scenario.Phase) string {
	job := phase.Jobs[0]
	io := job.IO
	if !io.OneFile {
		return ""
	}
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
		note += "; the first does not count"
	}
	if phase.Score != "" {
		note += fmt.Sprintf("; the score is the %s rate", phase.Score)
	}
	return note + "."
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
func timing(plan *scenario.Plan, total forecast) []string {
	var rests time.Duration
	idle, pauses := "", 0
	for _, phase := range plan.Phases {
		rests += phase.Cooldown
		if phase.UntilIdle {
			idle = "at most "
		}
		if phase.Pause != "" {
			pauses++
		}
	}
	var notes []string
	if plan.Hub == nil {
		notes = append(notes, fmt.Sprintf("The times are the shortest that one shared link of %s allows; test files written beforehand add to them.", unit.FormatRate(scenario.LinkRate)))
	} else if plan.Hub.Speedup != 1 {
		notes = append(notes, fmt.Sprintf("The times are model time, which passes %g times as fast as real time: the run takes about %s.", plan.Hub.Speedup,
			unit.FormatSeconds(total.least.Seconds()/plan.Hub.Speedup)))
	}
	if rests > 0 {
		notes = append(notes, fmt.Sprintf("Cooldowns take %s%s more.", idle, unit.FormatSeconds(rests.Seconds())))
	}
	if pauses > 0 {
		notes = append(notes, fmt.Sprintf("Before %s it waits for Enter.", count(pauses, "phase")))
	}
	return notes
}
