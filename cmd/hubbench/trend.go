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
			points, of, left, err := pointsOf(args, phase, disk)
			if err != nil {
				return err
			}
			doc := report.OfTrend(of, left, trend.Of(points))
			doc.Tool = toolVersion()
			return out.send(p, doc, nil)
		},
	}
	out.formatFlags(cmd, printed())
	cmd.Flags().StringVar(&phase, "phase", "", "the phase, and its repeats (default the first of the first run)")
	cmd.Flags().StringVar(&disk, "disk", "", "the disk (default all together)")
	return cmd
}

// A setup is what must be the same for rates to be of one series.
type setup struct{ hub, host, disks, work string }

// pointsOf are the rates of a phase's overlap in the runs, of repeats their mean; what they are the rates of; and which
// runs are left out: rates of another setup than the newest run's are not of one series.
func pointsOf(paths []string, phase, disk string) (points []trend.Point, of, left string, err error) {
	var phases, disks []string
	var setups []setup
	seen, out := map[string]bool{}, map[string]int{}
	for _, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, "", "", err
		}
		rows := tidy.DisksOf(run)
		if len(rows) == 0 || seen[rows[0].ID] {
			continue
		}
		seen[rows[0].ID] = true
		s := setup{hub: rows[0].Hub, host: rows[0].Host}
		if rows[0].Simulated {
			s.hub = strings.TrimSpace(s.hub + ", simulated")
		}
		sum, measured, incomplete := 0.0, map[string]bool{}, false
		for _, r := range rows {
			name := trace.Unnumbered(r.Phase)
			phase = cmp.Or(phase, name)
			phases = append(phases, name)
			if r.Rate == nil || name != phase && r.Phase != phase {
				continue
			}
			if disks = append(disks, r.Disk); disk != "" && r.Disk != disk {
				continue
			}
			if slices.Contains(strings.Fields(r.Warnings), "partial") {
				incomplete = true
				continue
			}
			if sum += *r.Rate; len(measured) == 0 || measured[r.Phase] {
				s.disks, s.work = s.disks+r.Disk+" "+r.Model+"\n", s.work+r.Disk+" "+r.Work+"\n"
			}
			measured[r.Phase] = true
		}
		switch {
		case len(measured) > 0:
			points = append(points, trend.Point{Run: path, Started: rows[0].Started, Rate: sum / float64(len(measured))})
			setups = append(setups, s)
		case incomplete:
			out["incomplete"]++
		}
	}
	names := func(list []string) string {
		slices.Sort(list)
		return strings.Join(slices.Compact(list), ", ")
	}
	switch {
	case len(points) == 0 && len(out) > 0:
		return nil, "", "", exitf(exitUsage, "the phase %s is incomplete in every run", phase)
	case len(points) == 0 && disks != nil:
		return nil, "", "", exitf(exitUsage, "--disk %s does not work in %s; %s do", disk, phase, names(disks))
	case len(points) == 0:
		return nil, "", "", exitf(exitUsage, "no run has an overlap in a phase %s; there are %s", phase, names(phases))
	}
	newest := 0
	for i, p := range points {
		if !p.Started.Before(points[newest].Started) {
			newest = i
		}
	}
	of = phase
	if disk != "" {
		of = disk + " in " + phase
	}
	if hub := setups[newest].hub; hub != "" {
		of += " on " + hub
	}
	var same []trend.Point
	for i, s := range setups {
		switch is := setups[newest]; {
		case s.hub != is.hub:
			out["on another hub"]++
		case s.host != is.host:
			out["of another host"]++
		case s.disks != is.disks:
			out["of other disks"]++
		case s.work != is.work:
			out["with other work"]++
		default:
			same = append(same, points[i])
		}
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(out)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", out[reason], reason))
	}
	if len(reasons) > 0 {
		left = "Left out, as they are not comparable with the newest run: " + strings.Join(reasons, ", ") + "."
	}
	return same, of, left, nil
}
