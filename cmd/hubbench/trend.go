package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/report"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

func newTrend(p program) *cobra.Command {
	var out output
	var phase, disk string
	cmd := &cobra.Command{
		Use:   "trend RUN...",
		Short: "Show when a rate changed",
		Long: `Show the rate of one phase over runs, in order of time: the stretches between changes, each with its
mean and a 95 % interval by how the runs differ. A change is reported if noise of the size seen between
neighbouring runs would hardly make it: in about 2 of 100 series. Runs on another hub or host, of other
disks or with other work than the newest run are left out. RUN is a run's folder, an events.jsonl or a
report.html.`,
		Example: `  hubbench trend results/* --phase WWW --disk A`,
		Args:    takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			points, of, left, err := pointsOf(args, &out, phase, disk)
			if err != nil {
				return err
			}
			doc := report.OfTrend(of, left, trend.Of(points))
			doc.Tool = toolVersion()
			return out.send(p, doc)
		},
	}
	out.formatFlags(cmd, printed())
	cmd.Flags().StringVar(&phase, "phase", "", "the phase, and its repeats (default the first of the first run)")
	cmd.Flags().StringVar(&disk, "disk", "", "the disk (default all together)")
	return cmd
}

// A setup is what must be the same for rates to be of one series.
type setup struct{ hub, host, disks, work string }

// rate is the rate in a phase's overlap in one run; the mean over repeats.
type rate struct {
	trend.Point
	setup
}

// pointsOf are the rates of a phase's overlap in the runs; what they are the rates of; and which runs are left out:
// rates of another setup than the newest run's are not of one series.
func pointsOf(paths []string, to *output, phase, disk string) (points []trend.Point, of, left string, err error) {
	var rates []rate
	var phases, disks []string // in any run
	seen, out, named := map[string]bool{}, map[string]int{}, to.namesOf(paths)
	for i, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, "", "", err
		}
		rows := tidy.DisksOf(run)
		if len(rows) == 0 || seen[rows[0].ID] {
			continue
		}
		seen[rows[0].ID] = true
		phase = cmp.Or(phase, trace.Unnumbered(rows[0].Phase))
		for _, r := range rows {
			phases = append(phases, trace.Unnumbered(r.Phase))
		}
		rows = slices.DeleteFunc(rows, func(r tidy.Disk) bool {
			return r.Rate == nil || trace.Unnumbered(r.Phase) != phase && r.Phase != phase
		})
		for _, r := range rows {
			disks = append(disks, r.Disk)
		}
		if disk != "" {
			rows = slices.DeleteFunc(rows, func(r tidy.Disk) bool { return r.Disk != disk })
		}
		whole := slices.DeleteFunc(slices.Clone(rows), func(r tidy.Disk) bool {
			return slices.Contains(strings.Fields(r.Warnings), "partial")
		})
		switch {
		case len(whole) > 0:
			rates = append(rates, rateOf(named[i], whole))
		case len(rows) > 0:
			out["incomplete"]++
		}
	}
	names := func(list []string) string {
		slices.Sort(list)
		return strings.Join(slices.Compact(list), ", ")
	}
	switch {
	case len(rates) == 0 && len(out) > 0:
		return nil, "", "", exitf(exitUsage, "the phase %s is incomplete in every run", phase)
	case len(rates) == 0 && disks != nil:
		return nil, "", "", exitf(exitUsage, "--disk %s does not work in %s; %s do", disk, phase, names(disks))
	case len(rates) == 0:
		return nil, "", "", exitf(exitUsage, "no run has an overlap in a phase %s; there are %s", phase, names(phases))
	}
	newest, points := sameSetup(rates, out)
	of = phase
	if disk != "" {
		of = disk + " in " + phase
	}
	if newest.hub != "" {
		of += " on " + newest.hub
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(out)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", out[reason], reason))
	}
	if len(reasons) > 0 {
		newestRun := "the newest run"
		if newest.host != "" && !to.shown() {
			newestRun += " (on " + newest.host + ")"
		}
		left = "Left out, not comparable with " + newestRun + ": " + strings.Join(reasons, ", ") + "."
	}
	return points, of, left, nil
}

// sameSetup returns the newest run's setup and the rates measured with it, and counts the rest in out.
func sameSetup(rates []rate, out map[string]int) (newest setup, points []trend.Point) {
	last := rates[0]
	for _, r := range rates {
		if !r.Started.Before(last.Started) {
			last = r
		}
	}
	for _, r := range rates {
		switch {
		case r.hub != last.hub:
			out["on another hub"]++
		case r.host != last.host:
			out["of another host"]++
		case r.disks != last.disks:
			out["of other disks"]++
		case r.work != last.work:
			out["with other work"]++
		default:
			points = append(points, r.Point)
		}
	}
	return last.setup, points
}

// rateOf is the rate of the disks of one phase of a run together, or of one of them.
func rateOf(path string, rows []tidy.Disk) rate {
	r := rate{
		Point: trend.Point{Run: path, Started: rows[0].Started},
		setup: setup{hub: rows[0].Hub, host: rows[0].Host},
	}
	if rows[0].Simulated {
		r.hub = strings.TrimSpace(r.hub + ", simulated")
	}
	repeats := map[string]bool{}
	for _, row := range rows {
		r.Rate += *row.Rate
		if repeats[row.Phase] = true; len(repeats) == 1 {
			r.disks, r.work = r.disks+row.Disk+" "+row.Model+"\n", r.work+row.Disk+" "+row.Work+"\n"
		}
	}
	r.Rate /= float64(len(repeats))
	return r
}
