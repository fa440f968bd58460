// Package history sets runs beside others of the same setup: repeats and later runs (Comparison),
// limits and earlier runs (Check), and a series over months (Trend). It says which runs can be set
// beside one another, and packages compare, limit and trend say what they show.
package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/catalogue"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// runsIn are the rows of a run's disks, or those of all runs of a catalogue.
func runsIn(path string) ([][]table.DiskRow, error) {
	if catalogue.Is(path) {
		return catalogue.Disks(path)
	}
	run, err := recorded.Load(path)
	if err != nil {
		return nil, err
	}
	return [][]table.DiskRow{table.DisksOf(run)}, nil
}

// setup is what must be the same for rates to be of one series, but for the work.
type setup struct{ hub, host, disks string }

// setupOn is a run's setup without its disks.
func setupOn(run *table.RunColumns) setup {
	s := setup{hub: run.Hub, host: run.Host}
	if run.Simulated {
		s.hub = strings.TrimSpace(s.hub + ", simulated")
	}
	return s
}

func setupOf(rows []table.DiskRow) (s setup) {
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
func historyIn(paths []string) (history [][]table.DiskRow, err error) {
	for _, path := range paths {
		runs, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		history = append(history, runs...)
	}
	return history, nil
}

// earlierSamples are the runs of a history that have a run's setup and work, and how many there are
// besides, and why.
func earlierSamples(history [][]table.DiskRow, of *recorded.Run,
	compared []*recorded.Run) (samples []compare.Measurements, notCounted string) {
	base := table.DisksOf(of)
	setup := setupOf(base)
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
		case reason == "" && (len(sample) == 0 || !haveSameWork(rows, base)):
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

// haveSameWork reports whether a disk of a run did what one of a base did.
func haveSameWork(rows, base []table.DiskRow) bool {
	for _, row := range rows {
		if isIn(row, base) {
			return true
		}
	}
	return false
}

// isIn reports whether a base has a disk that did the same in the same phase.
func isIn(row table.DiskRow, base []table.DiskRow) bool {
	for _, b := range base {
		if trace.Unnumbered(b.Phase) == trace.Unnumbered(row.Phase) && b.Disk == row.Disk &&
			b.Work == row.Work && b.Op == row.Op && b.Pattern == row.Pattern {
			return true
		}
	}
	return false
}

// sampleOf is what a run measured of what a base did too, and in phases that the base lacks: of
// each disk, and of all together, means of repeats.
func sampleOf(rows, base []table.DiskRow) compare.Measurements {
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
		key := compare.MeasurementKey{Phase: name, Disk: row.Disk, Work: row.Work}
		repeats = append(repeats, compare.Measurements{key: e})
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
