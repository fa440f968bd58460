package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

func newTrend(p program) *cobra.Command {
	var out output
	var phase, disk string
	cmd := &cobra.Command{
		Use:   "trend RUN...",
		Short: "Show since when a rate is what it is",
		Long: `Show the rate of one phase over runs, in order of time: the stretches between changes, each with its
mean and a 95 % interval by how the runs differ. A change is reported if noise of the size seen between
neighbouring runs would hardly make it: in about 2 of 100 series. RUN is a run's folder, an
events.jsonl or a report.html.`,
		Example: `  hubbench trend results/* --phase WWW --disk A`,
		Args:    takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			points, of, err := pointsOf(args, phase, disk)
			if err != nil {
				return err
			}
			doc := report.OfTrend(of, trend.Of(points))
			doc.Tool = toolVersion()
			return out.send(p, doc, nil)
		},
	}
	out.formatFlags(cmd, printed())
	cmd.Flags().StringVar(&phase, "phase", "", "the phase, and its repeats (default the first of the first run)")
	cmd.Flags().StringVar(&disk, "disk", "", "the disk (default all together)")
	return cmd
}

// pointsOf are the rates of a phase's overlap in the runs, of repeats their mean; and what they are the rates of.
func pointsOf(paths []string, phase, disk string) (points []trend.Point, of string, err error) {
	var phases, disks []string
	for _, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, "", err
		}
		sum, n := 0.0, 0.0
		for i := range run.Analysis.Phases {
			found := &run.Analysis.Phases[i]
			name := trace.Unnumbered(found.Name)
			phase = cmp.Or(phase, name)
			phases = append(phases, name)
			if found.Overlap == nil || name != phase && found.Name != phase {
				continue
			}
			rate, known := found.Overlap.Rate, true
			if disk != "" {
				disks = slices.AppendSeq(disks, maps.Keys(found.Overlap.Disks))
				_, known = found.Overlap.Disks[disk]
				rate = found.Overlap.Disks[disk].Rate
			}
			if known {
				sum, n = sum+rate, n+1
			}
		}
		if n > 0 {
			started, _ := time.Parse(time.RFC3339, run.Analysis.Started) // unknown is the earliest
			points = append(points, trend.Point{Run: path, Started: started, Rate: sum / n})
		}
	}
	names := func(list []string) string {
		slices.Sort(list)
		return strings.Join(slices.Compact(list), ", ")
	}
	switch {
	case len(points) > 0 && disk != "":
		return points, disk + " in " + phase, nil
	case len(points) > 0:
		return points, phase, nil
	case disks != nil:
		return nil, "", exitf(exitUsage, "--disk %s does not work in %s; %s do", disk, phase, names(disks))
	default:
		return nil, "", exitf(exitUsage, "no run has an overlap in a phase %s; there are %s", phase, names(phases))
	}
}
