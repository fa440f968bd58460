package history

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/catalogue"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
	"github.com/hubbench/hubbench/pkg/unit"
)

// TrendOptions shows the rates of one phase over runs.
type TrendOptions struct {
	output.Output
	Phase, Disk string
	History     []string
	FailAbove   string
}

// Run shows the trend of the runs in paths.
func (o *TrendOptions) Run(paths []string) error {
	limit := 0.0
	if o.FailAbove != "" {
		var err error
		if limit, err = parseLimit(o.FailAbove); err != nil {
			return err
		}
	}
	rates, err := o.rates(paths)
	if err != nil {
		return err
	}
	byHost := map[string][]rate{}
	for _, r := range rates {
		byHost[r.run.Host] = append(byHost[r.run.Host], r)
	}
	var list []trend.HostSeries
	var hubs []string
	reasons := map[string]int{} // how many runs differ from their host's newest, by how
	simulated := true
	cut := 0 // hosts whose newest run ended early, without the phase
	for i, host := range slices.Sorted(maps.Keys(byHost)) {
		newest := byHost[host][len(byHost[host])-1]
		if newest.isCut() {
			cut++
		}
		runs := likeNewest(byHost[host], reasons)
		if runs == nil {
			continue
		}
		series := trend.HostSeries{Host: host}
		if o.IsForOthers() { // Pages and pictures do not hold the names of hosts.
			series.Host = fmt.Sprintf("Host %d", i+1)
		}
		for _, r := range runs {
			series.Points = append(series.Points, r.Point)
		}
		series.Stretches = trend.Stretches(series.Points, len(byHost))
		at := 0
		for k := range series.Stretches {
			s := &series.Stretches[k]
			if k > 0 {
				s.With = changes(runs[at-1].recorded, runs[at].recorded)
			}
			at += s.Runs
		}
		list = append(list, series)
		first := runs[0].run
		if !slices.Contains(hubs, first.Hub) {
			hubs = append(hubs, first.Hub)
		}
		simulated = simulated && first.Simulated
	}
	title := o.title()
	if len(hubs) == 1 && hubs[0] != "" {
		title += " on " + hubs[0]
	}
	notCompared := leftOut(reasons)
	if notCompared != "" {
		notCompared = "Left out, not comparable with the newest run of the host: " + notCompared +
			"."
	}
	if o.FailAbove != "" {
		trend.Against(list, limit)
	}
	doc := report.OfTrend(title, notCompared, list)
	doc.Tool = o.Tool
	doc.Simulated = simulated
	if o.Format == "csv" {
		o.Table = "trend"
	}
	if err := o.Send(doc); err != nil {
		return err
	}
	if o.FailAbove != "" && cut > 0 {
		return exit.Errorf(exit.Threshold, "the newest run of %s ended before %s was measured",
			unit.Plural(cut, "host"), o.title())
	}
	return o.judge(list, limit)
}

// judge returns the exit code of --fail-above as an error.
func (o *TrendOptions) judge(list []trend.HostSeries, limit float64) error {
	fell, unsure := 0, 0
	for _, s := range list {
		switch s.Outcome {
		case compare.Fell:
			fell++
		case compare.CannotTell:
			unsure++
		}
	}
	by := unit.FormatPercent(limit)
	if fell > 0 {
		return exit.Errorf(exit.Threshold, "%s fell by more than %s on %d of %s", o.title(), by,
			fell,
			unit.Plural(len(list), "host"))
	}
	if unsure > 0 {
		return exit.Errorf(exit.Partial, "%s: a fall by more than %s can't be ruled out", o.title(),
			by)
	}
	return nil
}

// title says what the rates are of.
func (o *TrendOptions) title() string {
	if o.Disk != "" {
		return o.Disk + " in " + o.Phase
	}
	return o.Phase
}

// rate is the rate in a phase's overlap in one run, the mean over repeats, and what must be the
// same for rates to be of one series.
type rate struct {
	trend.Point
	run     table.RunColumns
	sum     float64 // over all repeats
	repeats []string
	setup
	work     string
	recorded map[string]string // what else may change a rate, if it is recorded
}

// isCut reports whether the run ended before the phase was measured.
func (r *rate) isCut() bool { return r.repeats == nil && r.run.Status == trace.Partial }

// likeNewest are the runs of a host that can be compared with its newest complete one; the others
// are counted by the reason.
func likeNewest(runs []rate, reasons map[string]int) (kept []rate) {
	newest := runs[0]
	for _, r := range runs {
		if r.repeats != nil {
			newest = r
		}
	}
	for _, r := range runs {
		if reason := r.differs(&newest); reason != "" {
			reasons[reason]++
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// differs says why a rate is not of the newest one's series; empty if it is.
func (r *rate) differs(newest *rate) string {
	if r.repeats == nil {
		return "without the phase, or incomplete in it"
	}
	if reason := r.setup.differs(newest.setup); reason != "" {
		return reason
	}
	if r.work != newest.work {
		return "with other work"
	}
	return ""
}

// changes are what is known to differ between two setups: "A's firmware 1.2 → 1.4".
func changes(before, after map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was := before[name]
		is := after[name]
		if was != is && was != "" && is != "" {
			list = append(list, name+" "+was+" → "+is)
		}
	}
	return list
}

// rates are those of the phase in each run, in order of time; at least one is complete.
func (o *TrendOptions) rates(paths []string) (rates []rate, err error) {
	rows, err := o.rows(paths)
	if err != nil {
		return nil, err
	}
	o.Phase = cmp.Or(o.Phase, busiest(rows))
	complete := false
	var known []string // what there are rates of
	for _, row := range rows {
		if len(rates) == 0 || rates[len(rates)-1].run.ID != row.ID {
			rates = append(rates, rate{
				Point: trend.Point{Run: row.Source, Started: row.Started}, run: row.RunColumns,
				setup:    setupOn(&row.RunColumns),
				recorded: map[string]string{"system": row.OS, "hubbench": row.Tool},
			})
		}
		name := trace.Unnumbered(row.Phase)
		known = append(known, row.Disk+" in "+name)
		ofPhase := o.Phase == name || o.Phase == row.Phase
		partial := slices.Contains(row.Warnings, "partial")
		if ofPhase && row.Rate != nil && (o.Disk == "" || o.Disk == row.Disk) && !partial {
			complete = true
			rates[len(rates)-1].add(&row)
		}
	}
	if known == nil {
		return nil, exit.Usagef("no run has a phase in which a disk worked; give others")
	}
	if !complete {
		slices.Sort(known)
		return nil, exit.Usagef("no run has a complete overlap of %s; try %s", o.title(),
			strictyaml.Suggest(o.title(), slices.Compact(known)))
	}
	return rates, nil
}

// add adds a disk in one of the phase's repeats.
func (r *rate) add(row *table.DiskRow) {
	if !slices.Contains(r.repeats, row.Phase) {
		r.repeats = append(r.repeats, row.Phase)
	}
	r.sum += *row.Rate
	r.Rate = r.sum / float64(len(r.repeats))
	if row.Phase == r.repeats[0] {
		r.disks += row.Disk + " " + row.Model + "\n"
		r.work += row.Disk + " " + row.Work + "\n"
		r.recorded[row.Disk+"'s firmware"] = row.Firmware
	}
}

// rows returns those of all runs, each once, with what to call their runs as their source. The runs
// of a catalogue go by their ids, and all do in pages: a path says whose it is. They are in order of
// time, and those that began in one second by their ids, so that every output has the same order.
func (o *TrendOptions) rows(paths []string) (rows []table.DiskRow, err error) {
	seen := map[string]bool{}
	for i, path := range slices.Concat(paths, o.History) {
		runs, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		isCatalogue := catalogue.Is(path)
		mayRepeat := i >= len(paths) || isCatalogue
		for _, run := range runs {
			if len(run) == 0 {
				continue
			}
			if seen[run[0].ID] {
				if !mayRepeat {
					return nil, exit.Usagef("%s is given twice; give each run once", path)
				}
				continue
			}
			seen[run[0].ID] = true
			for _, row := range run {
				row.Source = path
				if isCatalogue || o.IsForOthers() {
					row.Source = row.ID
				}
				if prepare.IsScenario(row.Hub) { // the path of a profile
					row.Hub = filepath.Base(row.Hub)
				}
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b table.DiskRow) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	return rows, nil
}

// busiest is the phase of the first run with most disks busy, for those who ask for none.
func busiest(rows []table.DiskRow) (phase string) {
	most := int64(0)
	for _, row := range rows {
		if row.ID == rows[0].ID && row.Working > most {
			most = row.Working
			phase = trace.Unnumbered(row.Phase)
		}
	}
	return phase
}
