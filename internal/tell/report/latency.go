package report

import (
	"cmp"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Time writes how long a request took: "0.12 ms", "85 µs".
func Time(ns float64) string { return unit.FormatSeconds(ns / 1e9) }

func timeText(ns *int64) string {
	if ns == nil {
		return none
	}
	return Time(float64(*ns))
}

// latencyTable is how long each disk's requests took in the overlap, and below what they take
// alone.
func (v *phaseView) latencyTable() *Table {
	t := table("Request latency", words("Disk", "Does", "Beside"),
		numbers("Requests", "Median", "99th percentile", "95% interval", "Longest",
			"As long as alone"))
	t.dropFirst("95% interval", "Requests", "As long as alone", "Longest")
	t.ID, t.Note = "latency",
		"From when a request is handed to the system, or was due, until it is done."
	few, open, hidden := false, false, false
	working := v.working()
	for _, key := range working {
		l := v.found.Disks[key.Name].Latency
		if l == nil {
			continue
		}
		for _, f := range []*quantile.Figures{&l.Figures, l.Alone}[:pick(l.Alone == nil, 1, 2)] {
			few = few || f.P99NS == nil
			open = open || f.P99NS != nil && f.P99CI95 == nil
			others := Cell{Text: cmp.Or(v.besideDisk(v.found, key.Name), "alone")}
			interval := none
			if ci := f.P99CI95; ci != nil {
				interval = Time(float64(ci[0])) + " – " + Time(float64(ci[1]))
			}
			longest := pick(f.Requests > 0, Time(float64(f.MaxNS)), none)
			var longer Cell
			switch {
			case f == l.Alone:
				others = Cell{Text: "alone", Small: "in " + shorten(l.AloneFrom, maxLabel)}
			case l.Longer != nil:
				longer = Cell{Text: unit.FormatNumber(l.Longer.Times) + " times",
					Heat: 1 / max(1, l.Longer.Times)}
				longer.Small = pick(l.Longer.Quantile < 0.9, "the median", "")
			case l.Alone != nil && v.limited(key.Name): // others wait as long as their rates say
				longer.Text = "not shown"
				hidden = true
			}
			t.add(&key, v.latencyOf(key.Name), others, int(f.Requests),
				timeText(f.P50NS),
				Cell{Text: timeText(f.P99NS), Strong: f != l.Alone && f.P99NS != nil}, interval,
				longest, longer)
		}
	}
	t.Note += pick(v.found.Overlap != nil && len(working) > 1,
		" Of the seconds that lie within the overlap.", "") +
		pick(few, " –: fewer than the "+unit.FormatCount(int(quantile.MinRequests(100)))+
			" requests that a 99th percentile takes.", "") +
		pick(open, " No interval: the slow requests come from too few seconds.", "") +
		pick(hidden, " Not shown: noise may have made the difference.", "")
	return t
}

// latencyOf is whose requests they are: of a disk that reads and writes at once, those of its role
// alone.
func (v *phaseView) latencyOf(name string) string {
	p := v.found.Paced[name]
	reads := v.found.Roles[name] == trace.Read
	switch {
	case p.Probe > 0:
		return "probe, " + unit.FormatBlock(p.Probe)
	case p.Reads > 0:
		return pick(reads, "its reads", "its writes")
	case len(p.Streams) > 0:
		return pick(reads, "play", "record")
	}
	return workOf(v.found, name).Verb().Several
}

// besideDisk is who else works in the phase, probes aside: "B writes"; empty for nobody.
func (r *runDoc) besideDisk(p *analysis.PhaseResult, disk string) string {
	return r.whoDoes(p, func(name string) bool { return name == disk || p.Paced[name].Probe > 0 })
}
