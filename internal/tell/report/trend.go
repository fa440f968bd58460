package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/trend"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Bench is what became of one host's rate.
type Bench struct {
	ID     string
	Now    string // its rate
	Effect string // the last change, or that it is over; empty if there is none
	Tone   Sign
	Since  string
	With   string // what else changed then
	Chart  *Chart
	Table  *Table
}

const (
	// The charts of all hosts that changed, or of all that did not, have one scale, relative to
	// each host's first level. It reaches so far from that at least, or small noise would look
	// large.
	minShown = 0.1
	// shownMargin is between the outermost run and the edge.
	shownMargin = 0.04
)

// OfTrend says when a rate changed, on each host. Of is what it is the rate of: "A in WW"; left is
// what was left out, if anything.
func OfTrend(of, left string, list []trend.HostSeries) *Document {
	doc := &Document{Kind: "trend", Title: "Trend of " + of, Data: list}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b trend.HostSeries) int {
		lasting := cmp.Compare(changeSize(b.Change()), changeSize(a.Change()))
		return cmp.Or(lasting, len(b.Stretches)-len(a.Stretches))
	})
	var top float64
	runs, changed := 0, 0
	for i := range list {
		s := &list[i]
		s.Host = cmp.Or(s.Host, "An unknown host")
		runs += len(s.Points)
		for _, stretch := range s.Stretches {
			top = max(top, stretch.Mean)
		}
		if len(s.Stretches) > 1 {
			changed++
		}
	}
	scale := Scale{unit.ScaleFor(top)}
	first := &list[0]
	out := &AnswerView{Scale: scale, Sure: left, Chart: runsChart(first, list[:1], scale)}
	doc.Answer = out
	for i := range list {
		s := &list[i]
		group := list[changed:]
		if i < changed {
			group = list[:changed]
		}
		last := s.Stretches[len(s.Stretches)-1]
		b := Bench{
			ID: fmt.Sprintf("host-%d", i), Now: scale.Number(last.Mean),
			Since: date(last.From, "2 Jan 2006"), With: strings.Join(last.With, ", "),
			Chart: runsChart(s, group, scale), Table: trendTable(list[i:i+1], scale),
		}
		if change := s.Change(); change != 0 {
			b.Effect = Change(change)
			b.Tone = pick(change < 0, Bad, Good)
		} else if i < changed {
			b.Effect = "over"
		}
		out.Benches = append(out.Benches, b)
	}
	name := first.Host
	shown := list[:changed]
	if len(list) > 1 {
		out.Sentence = fmt.Sprintf("%s of %d hosts: %d changed, %d are steady.",
			unit.Plural(runs, "run"), len(list), changed, len(list)-changed)
	} else {
		name = of
		shown = list
	}
	out.Table = trendTable(shown, scale)
	out.Table.ID = "changes"
	switch change := first.Change(); {
	case change != 0:
		out.Headline = fmt.Sprintf("%s has been %s %s since %s", name, unsigned(math.Abs(change)),
			pick(change < 0, "slower", "faster"), out.Benches[0].Since)
		if with := out.Benches[0].With; with != "" {
			out.Sentence = joined(" ", "In the same run: "+with+".", out.Sentence)
		}
	case runs == 1:
		out.Headline = of + ": one run; a trend takes more"
	default:
		out.Headline = of + pick(changed > 0, ": no change lasts", ": no change")
	}
	doc.Add(&Details{Title: "All levels", Printed: true, Blocks: []Block{trendTable(list, scale)}})
	return doc
}

// runsChart draws a host's runs and levels on the scale of its group.
func runsChart(s *trend.HostSeries, group []trend.HostSeries, scale Scale) *Chart {
	low, high := 1-minShown, 1+minShown
	for i := range group {
		for _, p := range group[i].Points {
			share := p.Rate / max(1, group[i].Stretches[0].Mean)
			low, high = min(low, share-shownMargin), max(high, share+shownMargin)
		}
	}
	first := max(1, s.Stretches[0].Mean) / scale.Size // Nothing is no scale; a byte per second is.
	c := &Chart{
		ID: "trend", Title: s.Host, Keys: newKeys([]string{s.Host}),
		Caption: "A dot is a run. The axis does not begin at zero.",
		X:       Axis{Name: "run", Max: float64(len(s.Points))},
		Y:       Axis{Name: "rate, " + scale.Unit, Min: low * first, Max: high * first},
	}
	dots := ChartSeries{Kind: Dots, Name: "runs"}
	layout := "2 Jan"
	newest := s.Points[len(s.Points)-1]
	if date(s.Points[0].Started, layout) == date(newest.Started, layout) {
		layout = "15:04"
	}
	for i, p := range s.Points {
		dots.point(float64(i)+0.5, p.Rate/scale.Size)
		c.X.Names = append(c.X.Names, date(p.Started, layout))
	}
	c.add(dots)
	var from float64
	for k, stretch := range s.Stretches {
		to, level := from+float64(stretch.Runs), stretch.Mean/scale.Size
		line := ChartSeries{Kind: Line, Key: None, Name: "level"}
		if k > 0 {
			line.Tone = pick(stretch.Change < 0, Bad, Good)
			text := c.X.Names[int(from)] + ": " + Change(stretch.Change)
			c.Bands = append(c.Bands, Band{From: from, To: to, Text: text, Tone: line.Tone})
		}
		line.addLevel(from, to, level)
		c.add(line)
		c.Marks = append(c.Marks, Mark{
			At: level, From: (from + to) / 2, To: to, Text: scale.Number(stretch.Mean), Key: None,
		})
		from = to
	}
	return c
}

// trendTable lists the stretches, host by host.
func trendTable(list []trend.HostSeries, scale Scale) *Table {
	columns := words("From", "To")
	if len(list) > 1 {
		columns = words("Host", "From", "To")
	}
	t := table("Trend", columns, numbers("Runs", scale.Unit, "95% interval", "Change"),
		words("Since run", "Changed in the same run"))
	t.dropFirst("Changed in the same run", "Since run")
	for i := range list {
		for k, s := range list[i].Stretches {
			interval, change, since := Cell{Text: none}, Cell{Text: none}, ""
			if v := s.Interval; v != nil {
				interval = scale.rateSpan(v[0], v[1], " to ")
			}
			if k > 0 {
				change, since = changeCell(s.Change), s.First
			}
			row := []any{
				date(s.From, time.DateOnly), date(s.To, time.DateOnly), s.Runs,
				scale.rateCell(s.Mean), interval, change, since, strings.Join(s.With, ", "),
			}
			if len(list) > 1 {
				row = append([]any{pick(k == 0, list[i].Host, "")}, row...)
			}
			t.add(row...)
		}
	}
	return t
}

func date(at time.Time, layout string) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.Format(layout)
}
