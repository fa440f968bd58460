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
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

type trendOptions struct {
	output
	phase, disk string
}

func newTrend(p program) *cobra.Command {
	var opts trendOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "trend RUN...",
		Short: "Show when a rate changed",
		Long: `Show the rate of one phase over runs, in order of time and host by host: the stretches between
changes, each with its mean and a 95 % interval by how the runs differ. A change is reported if noise of
the size seen between runs would hardly make it: in fewer than 2 of 100 series of runs. Runs on another
hub, of other disks or with other work than the newest run are left out. RUN is a run's folder, an
events.jsonl or a report.html.`,
		Example: `  hubbench trend results/* --phase WWW --disk A`,
		Args:    takes(1, unlimited),
		RunE:    opts.run,
	}
	opts.formatFlags(cmd, printed())
	cmd.Flags().StringVar(&opts.phase, "phase", "", "the phase, and its repeats (default the first of the first run)")
	cmd.Flags().StringVar(&opts.disk, "disk", "", "the disk (default all together)")
	return cmd
}

func (o *trendOptions) run(_ *cobra.Command, paths []string) error {
	rates, err := o.rates(paths)
	if err != nil {
		return err
	}
	newest := rates[0]
	for _, r := range rates {
		if newest.partial || !r.partial && !r.Started.Before(newest.Started) {
			newest = r
		}
	}
	byHost := map[string][]trend.Point{}
	left := map[string]int{} // how many runs are not comparable with the newest, by the reason
	for _, r := range rates {
		if reason := r.differs(&newest); reason != "" {
			left[reason]++
		} else {
			byHost[r.host] = append(byHost[r.host], r.Point)
		}
	}
	var list []trend.Series
	for _, host := range slices.Sorted(maps.Keys(byHost)) {
		stretches := trend.Of(byHost[host])
		if o.shown() { // Pages and pictures do not hold the names of hosts.
			host = fmt.Sprintf("host %d", len(list)+1)
		}
		list = append(list, trend.Series{Host: host, Stretches: stretches})
	}
	of := o.title()
	if newest.hub != "" {
		of += " on " + newest.hub
	}
	if newest.host != "" && !o.shown() {
		newest.Run = "on " + newest.host
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", left[reason], reason))
	}
	leftOut := ""
	if reasons != nil {
		leftOut = "Left out, not comparable with the newest run (" + newest.Run + "): " +
			strings.Join(reasons, ", ") + "."
	}
	doc := report.OfTrend(of, leftOut, list)
	doc.Tool = toolVersion()
	return o.send(doc)
}

// title says what the rates are of.
func (o *trendOptions) title() string {
	if o.disk != "" {
		return o.disk + " in " + o.phase
	}
	return o.phase
}

// rate is the rate in a phase's overlap in one run, the mean over repeats, and what must be the same for
// rates to be of one series.
type rate struct {
	trend.Point
	partial                bool // the phase is incomplete in every repeat
	hub, host, disks, work string
}

// differs says why a rate is not of the newest one's series; empty if it is.
func (r *rate) differs(newest *rate) string {
	switch {
	case r.partial:
		return "incomplete"
	case r.hub != newest.hub:
		return "on another hub"
	case r.disks != newest.disks:
		return "of other disks"
	case r.work != newest.work:
		return "with other work"
	}
	return ""
}

// rates are those of the phase in each run that has it, of which at least one is complete.
func (o *trendOptions) rates(paths []string) (rates []rate, err error) {
	complete := false
	var known []string // what there are rates of
	var ids []string
	names := o.namesOf(paths)
	for i, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, err
		}
		rows := tidy.DisksOf(run)
		if len(rows) == 0 || slices.Contains(ids, rows[0].ID) {
			continue
		}
		ids = append(ids, rows[0].ID)
		o.phase = cmp.Or(o.phase, trace.Unnumbered(rows[0].Phase))
		var asked []tidy.Disk
		for _, row := range rows {
			name := trace.Unnumbered(row.Phase)
			known = append(known, row.Disk+" in "+name)
			ofPhase := o.phase == name || o.phase == row.Phase
			if ofPhase && row.Rate != nil && (o.disk == "" || o.disk == row.Disk) {
				asked = append(asked, row)
			}
		}
		if asked != nil {
			r := rateOf(names[i], asked)
			rates, complete = append(rates, r), complete || !r.partial
		}
	}
	if !complete {
		slices.Sort(known)
		return nil, usagef("no run has a complete overlap of %s; try %s", o.title(),
			strictyaml.Suggest(o.title(), slices.Compact(known)))
	}
	return rates, nil
}

// rateOf is the rate of the disks of one phase of a run together, or of one of them.
func rateOf(name string, rows []tidy.Disk) rate {
	r := rate{
		Point: trend.Point{Run: name, Started: rows[0].Started}, partial: true,
		hub: rows[0].Hub, host: rows[0].Host,
	}
	if rows[0].Simulated {
		r.hub = strings.TrimSpace(r.hub + ", simulated")
	}
	repeats := map[string]bool{}
	for _, row := range rows {
		if slices.Contains(strings.Fields(row.Warnings), "partial") {
			continue
		}
		r.partial, repeats[row.Phase] = false, true
		r.Rate += *row.Rate
		if len(repeats) == 1 {
			r.disks += row.Disk + " " + row.Model + "\n"
			r.work += row.Disk + " " + row.Work + "\n"
		}
	}
	r.Rate /= float64(max(1, len(repeats)))
	return r
}
