package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/catalogue"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// historyFlag is that of commands that learn from earlier runs.
func historyFlag(cmd *cobra.Command, paths *[]string, about string) {
	cmd.Flags().StringArrayVar(paths, "history", nil,
		"earlier runs of the same setup, `RUN|CATALOGUE`: "+about+" (repeatable)")
}

// runsIn are the rows of a run's disks, or those of all runs of a catalogue.
func runsIn(path string) ([][]tidy.DiskRow, error) {
	if catalogue.Is(path) {
		return catalogue.Disks(path)
	}
	run, err := load(path)
	if err != nil {
		return nil, err
	}
	return [][]tidy.DiskRow{tidy.DisksOf(run)}, nil
}

// twice refuses a run that is given twice: its noise would count as agreement.
func twice(runs []*recorded.Run) error {
	for i, run := range runs {
		for _, other := range runs[:i] {
			a, err1 := os.Stat(run.Events)
			b, err2 := os.Stat(other.Events)
			sameFile := err1 == nil && err2 == nil && os.SameFile(a, b)
			// The id of a lone events file is made from its events, and equal ones may be from two
			// disks.
			given := run.Info != nil || other.Info != nil
			if sameFile || given && run.Analysis.Origin.Run == other.Analysis.Origin.Run {
				return usagef("%s and %s are the same run; give each run once", other.Path,
					run.Path)
			}
		}
	}
	return nil
}

// setup is what must be the same for rates to be of one series, but for the work.
type setup struct{ hub, host, disks string }

// setupOn is a run's setup without its disks.
func setupOn(run *tidy.RunColumns) setup {
	s := setup{hub: run.Hub, host: run.Host}
	if run.Simulated {
		s.hub = strings.TrimSpace(s.hub + ", simulated")
	}
	return s
}

func setupOf(rows []tidy.DiskRow) (s setup) {
	if len(rows) == 0 {
		return s
	}
	s = setupOn(&rows[0].RunColumns)
	models := map[string]string{}
	for _, row := range rows {
		models[row.Disk] = row.Model
	}
	for _, disk := range slices.Sorted(maps.Keys(models)) {
		s.disks += disk + " " + models[disk] + "\n"
	}
	return s
}

// differs says why rates of a setup are not of the same series; empty if they are.
func (s setup) differs(o setup) string {
	switch {
	case s.hub != o.hub:
		return "on another hub"
	case s.host != o.host:
		return "on another host"
	case s.disks != o.disks:
		return "of other disks"
	}
	return ""
}

// historyIn reads the rows of the disks of earlier runs, run by run.
func historyIn(paths []string) (history [][]tidy.DiskRow, err error) {
	for _, path := range paths {
		runs, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		history = append(history, runs...)
	}
	return history, nil
}

// earlier are the runs of a history that have a run's setup and work, and how many there are
// besides, and why.
func earlier(history [][]tidy.DiskRow, of *recorded.Run,
	compared []*recorded.Run) (samples []compare.Measurements, left string) {
	base := tidy.DisksOf(of)
	setup := setupOf(base)
	inBase := func(row tidy.DiskRow) bool { return isIn(row, base) }
	seen := map[string]bool{}
	for _, run := range compared {
		seen[run.Analysis.Origin.Run] = true
	}
	reasons := map[string]int{}
	for _, rows := range history {
		if len(rows) == 0 {
			continue
		}
		reason := setupOf(rows).differs(setup)
		sample := sampleOf(rows, base)
		switch {
		case seen[rows[0].ID]:
			reason = "given twice, or compared"
		case rows[0].Status == string(trace.Partial):
			reason = "incomplete"
		case reason == "" && (len(sample) == 0 || !slices.ContainsFunc(rows, inBase)):
			reason = "with other work"
		}
		seen[rows[0].ID] = true
		if reason != "" {
			reasons[reason]++
		} else {
			samples = append(samples, sample)
		}
	}
	return samples, leftOut(reasons)
}

// leftOut says how many runs do not count, and why.
func leftOut(reasons map[string]int) string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		list = append(list, fmt.Sprintf("%d %s", reasons[reason], reason))
	}
	return strings.Join(list, ", ")
}

// isIn reports whether a base has a disk that did the same in the same phase.
func isIn(row tidy.DiskRow, base []tidy.DiskRow) bool {
	for _, b := range base {
		if trace.Unnumbered(b.Phase) == trace.Unnumbered(row.Phase) && b.Disk == row.Disk &&
			b.Work == row.Work && b.Op == row.Op && b.Pattern == row.Pattern {
			return true
		}
	}
	return false
}

// sampleOf is what a run measured of what a base did too, and in phases that the base lacks: of each
// disk, and of all together, means of repeats.
func sampleOf(rows, base []tidy.DiskRow) compare.Measurements {
	type phase struct {
		rate, squares float64
		disks         int
	}
	inBase := map[string]bool{}
	for _, b := range base {
		inBase[trace.Unnumbered(b.Phase)] = true
	}
	var repeats []compare.Measurements
	together := map[string]phase{}
	for _, row := range rows {
		isOther := inBase[trace.Unnumbered(row.Phase)] && !isIn(row, base)
		if row.Rate == nil || *row.Rate <= 0 || isOther ||
			slices.Contains(row.Warnings, "partial") {
			continue
		}
		var ci *stats.Interval
		if row.RateLow != nil && row.RateHigh != nil {
			ci = &stats.Interval{*row.RateLow, *row.RateHigh}
		}
		name := trace.Unnumbered(row.Phase)
		e := compare.Log(*row.Rate, ci)
		repeats = append(repeats,
			compare.Measurements{{Phase: name, Disk: row.Disk, Work: row.Work}: e})
		p := together[row.Phase]
		p.rate += *row.Rate
		se := e.SE * *row.Rate
		p.squares += se * se
		p.disks++
		if together[row.Phase] = p; p.disks == int(row.Working) && p.disks > 1 {
			all := compare.Log(p.rate, nil)
			all.SE, all.DegreesOfFreedom = math.Sqrt(p.squares)/p.rate, e.DegreesOfFreedom
			repeats = append(repeats, compare.Measurements{{Phase: name}: all})
		}
	}
	return compare.Pooled(repeats)
}

// ofHistory says what of a history counts: "10 earlier runs; left out: 2 on another host".
func ofHistory(n int, left string) string {
	text := unit.Plural(n, "earlier run") + " of the same setup in the history"
	if left != "" {
		text += "; left out: " + left
	}
	return text + "."
}
