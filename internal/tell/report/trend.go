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

// How many hosts are drawn, and how many changes stand beside the largest.
const (
	maxTiles       = 60
	maxNamedChange = 3
)

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
	var tiles []Tile
	for i := range list {
		group := list[changed:]
		if i < changed {
			group = list[:changed]
		}
		tiles = append(tiles, newTile(i, list, group, scale))
	}
	name := first.Host
	shown := list[:changed]
	p := &Page{Sure: left}
	if len(list) > 1 {
		p.Sub = fmt.Sprintf("%s of %d hosts: %d changed, %d are steady.",
			unit.Plural(runs, "run"), len(list), changed, len(list)-changed)
	} else {
		name = of
		shown = list
	}
	last := first.Stretches[len(first.Stretches)-1]
	with := strings.Join(last.With, ", ")
	switch change := first.Change(); {
	case change != 0:
		p.Headline = fmt.Sprintf("%s has been %s %s since %s", name, unsigned(math.Abs(change)),
			pick(change < 0, "slower", "faster"), date(last.From, "2 Jan 2006"))
		if with != "" {
			p.Sub = joined(" ", "In the same run: "+with+".", p.Sub)
		}
	case runs == 1:
		p.Headline = of + ": one run; a trend takes more"
	default:
		p.Headline = of + pick(changed > 0, ": no change lasts", ": no change")
	}
	for i := range min(changed, maxNamedChange) {
		p.Numbers = append(p.Numbers, changeNumber(&list[i], tiles[i]))
	}
	chart := runsChart(first, list[:1], scale)
	chart.Caption = joined(" ", chart.Caption, left)
	chart.Table = trendTable(shown, scale)
	chart.Table.ID = "changes"
	p.Hero = chart
	doc.Page = p
	if len(list) > 1 {
		doc.Add(changedTiles(tiles, changed, scale)...)
	}
	doc.Add(&Details{Title: "All levels", Printed: true, Blocks: []Block{trendTable(list, scale)}},
		&Details{Title: "How are changes found?", Blocks: []Block{Sentence{
			Text: "A change is reported if noise of the size seen between runs would hardly make " +
				"it: in fewer than 2 of 100 series of runs, and in fewer than 5 of 100 fleets of " +
				"steady hosts. It is over if the 95% intervals of the levels before it and after " +
				"it overlap. What is said to have changed with it was recorded to change in the " +
				"same run, and need not be the cause."}}})
	return doc
}

// newTile draws one of the hosts small, on the scale of its group.
func newTile(i int, list, group []trend.HostSeries, scale Scale) Tile {
	s := &list[i]
	t := Tile{
		ID: fmt.Sprintf("host-%d", i), Now: scale.Number(s.Stretches[len(s.Stretches)-1].Mean),
		Chart: runsChart(s, group, scale), Table: trendTable(list[i:i+1], scale),
	}
	if change := s.Change(); change != 0 {
		t.Effect = Change(change)
		t.Tone = pick(change < 0, Bad, Good)
	} else if len(s.Stretches) > 1 {
		t.Effect = "over"
	}
	return t
}

// changeNumber says by how much a host changed, when, and what else changed then.
func changeNumber(s *trend.HostSeries, t Tile) Number {
	last := s.Stretches[len(s.Stretches)-1]
	with := "nothing else was recorded to change"
	if last.With != nil {
		with = "with " + strings.Join(last.With, ", ")
	}
	return Number{Value: t.Effect, Tone: t.Tone, InHero: true,
		Text: s.Host + ", " + date(last.From, "2 Jan 2006") + ": " + with}
}

// changedTiles returns the hosts that changed, and the steady ones.
func changedTiles(tiles []Tile, changed int, scale Scale) (sections []Block) {
	note := "What lasts comes first. One scale, relative to each host's first level. " + scale.Unit +
		" now. Open one for its figures."
	if changed > 0 {
		sections = append(sections, Tiles{Title: "Changed", Note: note, Large: true,
			List: tiles[:min(changed, maxTiles)]})
	}
	note = "One scale, relative to each host's level. " + scale.Unit + "."
	if n := len(tiles); n > maxTiles {
		note += fmt.Sprintf(" The first %d of %d hosts are drawn; the table has all.", maxTiles, n)
	}
	if steady := tiles[changed:]; len(steady) > 0 && changed < maxTiles {
		sections = append(sections, Tiles{Title: "Steady", Note: note,
			List: steady[:min(len(steady), maxTiles-changed)]})
	}
	return sections
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
