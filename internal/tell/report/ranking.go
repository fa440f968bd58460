package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How much the answer of a ranking holds.
const (
	maxNamed = 3  // runs that a headline names; of more it says how many
	maxRuns  = 10 // rows of the table
)

// rank says which of three or more runs is the fastest, and lists them.
func (c comparison) rank(p *Page) {
	if c.Ranking == nil {
		p.Headline = fmt.Sprintf("No load is the same in all %d runs", len(c.runs)+1)
		p.Sub = "So there is no order; --all compares each run with " + c.base.Label + "."
		return
	}
	p.Headline, p.Sub = c.winner()
	places := c.places(maxRuns)
	places.Caption = strings.Join(c.otherWinners(), " ")
	p.Hero = places
}

// label names a run as short as the document's keys do.
func (c comparison) label(run string) string {
	for i, pair := range c.Pairs {
		if pair.Label == run {
			return c.runs[i].key.Label
		}
	}
	return c.base.Label
}

// winner says which run is the fastest and by how much, or which cannot be told apart.
func (c comparison) winner() (headline, sentence string) {
	places := c.Ranking.Places
	first := places[0]
	var leaders, unjudged []string
	var next *compare.Place // the first that is slower
	hidden := 0.0           // the largest difference that may be hidden among the first
	for i, p := range places {
		switch {
		case p.Behind != nil && p.Behind.Verdict == compare.TooLittle:
			unjudged = append(unjudged, c.label(p.Run))
		case p.Rank == 1:
			leaders = append(leaders, c.label(p.Run))
			if p.Behind != nil {
				v := p.Behind.Interval
				hidden = max(hidden, -v[0], v[1])
			}
		case next == nil:
			next = &places[i]
		}
	}
	who := unit.List(leaders)
	if len(leaders) > maxNamed {
		who = fmt.Sprintf("%d of %d runs", len(leaders), len(places))
	}
	switch {
	case len(unjudged) == len(places)-1:
		return "Too little was measured to say which run is the fastest",
			unit.Capital(places[1].Behind.Reason) + "."
	case len(unjudged) > 0:
		headline = "Cannot tell which run is the fastest: too little was measured of " +
			unit.List(unjudged)
	case len(leaders) == 1:
		headline = c.label(first.Run) + " is the fastest: " + c.aheadOf(next)
	case len(leaders) == len(places):
		headline = fmt.Sprintf("All %d runs are equally fast: differences are below %s", len(places),
			atMost(hidden))
		if hidden > c.limit {
			headline = "No run is shown to be the fastest, but differences up to " +
				atMost(hidden) + " could be hidden"
		}
	case hidden > c.limit:
		headline = who + " lead: differences up to " + atMost(hidden) + " between them could be " +
			"hidden"
	default:
		headline = who + " lead, equal within ±" + atMost(hidden)
	}
	if next != nil {
		change, span := ahead(next.Behind)
		sentence = c.label(first.Run) + " against " + c.label(next.Run) + ": " +
			c.rateInstead(*first.Rate, *next.Rate) + " (" +
			joined(", ", Change(change), ChangeSpan(span)) + ")."
	}
	return headline, sentence
}

// ahead turns how far a run is behind into how far the first is ahead of it.
func ahead(behind *compare.Test) (change float64, span *stats.Interval) {
	invert := func(change float64) float64 { return 1/(1+change) - 1 }
	if v := behind.Interval; v != nil {
		span = &stats.Interval{invert(v[1]), invert(v[0])}
	}
	return invert(*behind.Change), span
}

// aheadOf says by how much the first moves more than a run: "12% more than Dock 1".
func (c comparison) aheadOf(p *compare.Place) string {
	change, _ := ahead(p.Behind)
	if change >= 1 {
		return fmt.Sprintf("%.1f times as much as %s", 1+change, c.label(p.Run))
	}
	return unsigned(change) + " more than " + c.label(p.Run)
}

// decidedBy says what the order goes by: "Mean of 2 loads with all 3 disks busy".
func (c comparison) decidedBy() string {
	var titles []string
	disks := 0
	for _, l := range c.Ranking.Loads {
		if l.Decides {
			titles = append(titles, l.Title)
			disks = l.Disks
		}
	}
	busy := pick(disks > 1, fmt.Sprintf("%d disks busy at once", disks), "one disk busy")
	if len(titles) == 1 {
		return "With " + busy + " (" + titles[0] + ")"
	}
	return fmt.Sprintf("Mean of %d loads with %s", len(titles), busy)
}

// places is a row for each run, the fastest first, and no more than so many.
func (c comparison) places(most int) *Rows {
	h := &Rows{ID: "ranking", Head: "Run", Columns: numbers(c.Unit, "Against 1st", "Interval", "")}
	h.Columns[2].Drop = 1
	h.Note = c.decidedBy() + ". Runs of one place are not told apart from the first of them; " +
		"intervals allow for " + unit.Plural(c.Ranking.Tests, "comparison") + "."
	shown := c.Ranking.Places[:min(len(c.Ranking.Places), most)]
	for _, p := range shown {
		row := Row{Label: fmt.Sprintf("%d. %s", p.Rank, c.label(p.Run)),
			Numbers: append([]Cell{c.rateOrNone(p.Rate)}, behindCells(p.Behind)...)}
		if p.Rate != nil {
			h.Axis.High = max(h.Axis.High, *p.Rate/c.Size)
			row.Bars = []RowBar{{To: *p.Rate / c.Size}}
		}
		h.Rows = append(h.Rows, row)
	}
	if more := len(c.Ranking.Places) - len(shown); more > 0 {
		h.Rows = append(h.Rows, Row{Label: "And " + unit.Plural(more, "more run"), Text: "--all"})
	}
	h.Axis.name(shortest)
	return h
}

// behindCells are the cells of a run that is compared with the first.
func behindCells(behind *compare.Test) []Cell {
	if behind == nil || behind.Change == nil {
		return make([]Cell, 3)
	}
	verdict := map[compare.TestResult]Cell{
		compare.Slower:    {Text: "slower", Sign: Bad},
		compare.Faster:    {Text: "faster", Sign: Good},
		compare.NotShown:  {Text: "no difference shown"},
		compare.TooLittle: {Text: "too little data", Sign: Doubt},
	}[behind.Verdict]
	change := changeCell(*behind.Change)
	change.Strong = true
	return []Cell{change, changeSpanCell(behind.Interval), verdict}
}

// otherWinners are the loads in which a run is faster than the first of all.
func (c comparison) otherWinners() (list []string) {
	for _, l := range c.Ranking.Loads {
		best := -1
		for i, run := range l.Runs {
			faster := run.Behind != nil && run.Behind.Verdict == compare.Faster
			if faster && (best < 0 || *run.Behind.Change > *l.Runs[best].Behind.Change) {
				best = i
			}
		}
		if best >= 0 {
			b := l.Runs[best].Behind
			list = append(list, fmt.Sprintf("But in “%s”, %s moves %s more (%s).", l.Title,
				c.label(c.Ranking.Places[best].Run), unsigned(*b.Change), ChangeSpan(b.Interval)))
		}
	}
	return list
}

// loadsTable has each load in each run.
func (c comparison) loadsTable() *Table {
	r := c.Ranking
	var heads []string
	for _, p := range r.Places {
		heads = append(heads, c.label(p.Run))
	}
	t := table("Loads", words("Load"), numbers(heads...))
	t.Note = "In " + c.Unit + ", all disks of the load together. A mark: significantly slower or " +
		"faster than " + heads[0] + ", among all " +
		unit.Plural(r.LoadTests, "comparison") + " of loads."
	for _, l := range r.Loads {
		row := []any{l.Title}
		for _, run := range l.Runs {
			cell := c.rateOrNone(run.Rate)
			if run.Behind != nil {
				cell.Sign = map[compare.TestResult]Sign{compare.Slower: Bad,
					compare.Faster: Good}[run.Behind.Verdict]
			}
			row = append(row, cell)
		}
		t.add(row...)
	}
	return t
}
