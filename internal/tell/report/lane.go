package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Streams is how many streams stay clean. The headline is about the first of its lanes.
type Streams struct {
	Lanes  []*Lane
	Most   int    // the end of the axis of lanes that count streams
	Buffer *Chart // over time in the tries that decided; nil if it is unknown
}

// Lane is what was tried of a disk with the same other disks busy: numbers of streams, or how fast
// it may be beside a fixed number.
type Lane struct {
	Key    LegendKey
	Does   string // "records"; of a lane of paces "writes"
	While  string // what the others do; empty if they are idle
	Kind   string // the codec of the streams
	Noun   string // camera or stream
	Paced  bool
	Clean  float64 // so much stayed clean
	Number string  // the same in words: "3", "4+" if that may be more, "<4" if that is not clean
	Unit   string  // the number's, of a pace
	Tries  []Tries // by value

	search *analysis.SearchSummary // nil for phases of a fixed number
}

// Tries are those of one value.
type Tries struct {
	Value        float64 // infinite for a pace without a limit
	Clean, Count int
	Due, Late    int                   // frames, with all other disks busy
	LowestS      float64               // lowest level of the buffers
	Rate         float64               // rate of a pace, or of a disk without a limit
	Verdict      stream.Verdict        // the worst; empty if no try ended as it should
	phase        *analysis.PhaseResult // phase of the first try with that verdict
}

// State is what the value comes to: clean if most of its tries were, else their worst.
func (p *Tries) State() stream.Verdict {
	if 2*p.Clean > p.Count {
		return stream.Clean
	}
	return p.Verdict
}

// minMost is where the axis of lanes ends at least.
const minMost = 8

// streams gathers what searches found, and what came of phases with a fixed number of streams.
func (r *runDoc) streams() *Streams {
	out := &Streams{Most: minMost}
	for i := range r.a.Searches {
		for _, alone := range []bool{false, true} {
			if l := r.searchLane(&r.a.Searches[i], alone); l != nil {
				out.Lanes = append(out.Lanes, l)
			}
		}
	}
	for i := range r.a.Phases {
		p := &r.a.Phases[i]
		for _, t := range p.StreamTotals {
			if p.Search != nil {
				continue
			}
			l := r.newLane(p, t.Disk)
			at := 0
			for at < len(out.Lanes) && !out.Lanes[at].isOf(l) {
				at++
			}
			if at == len(out.Lanes) {
				out.Lanes = append(out.Lanes, l)
			}
			verdict := t.Verdict
			if t.WithOthers != nil {
				verdict = t.WithOthers.Verdict
			}
			out.Lanes[at].addTry(float64(t.Streams), verdict, p)
		}
	}
	for _, l := range out.Lanes {
		l.conclude()
		if !l.Paced {
			out.Most = max(out.Most, int(l.last().Value))
		}
	}
	if len(r.a.Searches) == 0 { // the headline is about the streams that fared worst
		slices.SortStableFunc(out.Lanes, func(x, y *Lane) int {
			return cmp.Compare(y.last().droppedShare(), x.last().droppedShare())
		})
	}
	out.Buffer = out.bufferChart()
	return out
}

// isOf reports whether a lane of streams is about the same as another one.
func (l *Lane) isOf(o *Lane) bool {
	return !l.Paced && l.Key == o.Key && l.Does == o.Does && l.Kind == o.Kind && l.While == o.While
}

// searchLane holds a search's tries alone, or those beside other disks; nil if there are none.
func (r *runDoc) searchLane(s *analysis.SearchSummary, alone bool) *Lane {
	var l *Lane
	for _, try := range s.Tries {
		at, known := r.index[try.Phase]
		if !known || try.Alone != alone || len(r.a.Phases[at].StreamTotals) == 0 {
			continue
		}
		p := &r.a.Phases[at]
		if l == nil {
			l = r.newLane(p, s.Disk)
			l.search = s
			l.Paced = s.Kind == trace.SearchPace
		}
		l.addTry(pick(try.Unlimited, math.Inf(1), try.Value), try.Verdict, p)
	}
	return l
}

// newLane describes what a disk was tried with in a phase.
func (r *runDoc) newLane(p *analysis.PhaseResult, disk string) *Lane {
	l := &Lane{Key: r.Keys[r.keyOf(disk)], While: r.besideDisk(p, disk), Noun: "stream"}
	l.Does = work.Work{Op: p.Roles[disk], Streams: p.Paced[disk].Streams}.Verb().One
	if len(p.Streams) > 0 {
		l.Kind = Clean(stream.Label(p.Streams[0].Kind))
		l.Noun = pick(p.Streams[0].Op == trace.Write, "camera", "stream")
	}
	return l
}

// last are the tries of the largest value.
func (l *Lane) last() *Tries { return &l.Tries[len(l.Tries)-1] }

// addTry adds a try of a value.
func (l *Lane) addTry(value float64, verdict stream.Verdict, in *analysis.PhaseResult) {
	i := 0
	for i < len(l.Tries) && l.Tries[i].Value < value {
		i++
	}
	if i == len(l.Tries) || l.Tries[i].Value != value {
		l.Tries = slices.Insert(l.Tries, i, Tries{Value: value, LowestS: math.Inf(1), phase: in})
	}
	p := &l.Tries[i]
	if p.Rate = value; in.Overlap != nil && math.IsInf(value, 1) {
		p.Rate = in.Overlap.Disks[l.Key.Name].Rate
	}
	for _, t := range in.StreamTotals {
		due := t.Due
		late := t.Late
		lowestS := &t.LowestBufferS
		if b := t.WithOthers; b != nil {
			due = b.Due
			late = b.Late
			lowestS = b.LowestBufferS
		}
		if l.search != nil || t.Disk == l.Key.Name {
			p.Due += due
			p.Late += late
			if lowestS != nil {
				p.LowestS = min(p.LowestS, *lowestS)
			}
		}
	}
	if worst := stream.Worst(p.Verdict, verdict); worst != p.Verdict {
		p.Verdict = worst
		p.phase = in
	}
	if verdict == stream.Clean {
		p.Clean++
	}
	if verdict != "" {
		p.Count++
	}
}

// conclude says what stayed clean: what the search has found, or else what the tries show.
func (l *Lane) conclude() {
	var found *float64
	if s := l.search; s != nil {
		found = pick(l.While == "", s.Alone, s.Found)
		if s.Unlimited {
			found = new(math.Inf(1))
		}
	}
	for _, p := range l.Tries {
		if p.Count > 0 && p.State() != stream.Clean {
			break
		}
		if p.Count > 0 {
			l.Clean = p.Value
		}
	}
	if found != nil {
		l.Clean = *found
	}
	clean, above := l.Deciding()
	top := l.Clean
	if above != nil && found == nil {
		top = above.Value
	}
	number := func(v float64) string { return unit.FormatCount(int(v)) }
	if l.Paced {
		scale := unit.ScaleFor(top)
		number = scale.Number
		l.Unit = scale.Unit
	}
	switch {
	case math.IsInf(l.Clean, 1):
		l.Number = "no"
		l.Unit = "limit"
	case found == nil && clean == nil && above == nil:
		l.Number = "?"
		l.Unit = ""
	case above == nil:
		l.Number = number(l.Clean) + "+"
	case found == nil && l.Clean == 0:
		l.Number = "<" + number(above.Value)
	case found == nil && (l.Paced || above.Value > l.Clean+1):
		l.Number = number(l.Clean) + "–" + number(above.Value)
	default:
		l.Number = number(l.Clean)
	}
}

// Text returns what stayed clean with its unit.
func (l *Lane) Text() string { return joined(" ", l.Number, l.Unit) }

// Deciding are the largest value that stayed clean, and the next one above it that was tried and
// did not; nil if there is none.
func (l *Lane) Deciding() (clean, above *Tries) {
	for i := range l.Tries {
		switch p := &l.Tries[i]; {
		case p.Count == 0:
		case p.Value <= l.Clean && p.State() == stream.Clean:
			clean = p
		case p.Value > l.Clean && p.State() != stream.Clean && above == nil:
			above = p
		}
	}
	return clean, above
}

// Cells are what comes of 1, 2, 3 and more streams; empty for what is not known.
func (l *Lane) Cells(most int) []stream.Verdict {
	cells := make([]stream.Verdict, most)
	for i := range min(most, int(l.Clean)) {
		cells[i] = stream.Clean
	}
	// More are not known, however few were dropped.
	maxTried := int(min(float64(most), l.last().Value))
	for _, p := range l.Tries {
		for i := int(p.Value) - 1; p.Value > l.Clean && i < maxTried; i++ {
			if p.State() == stream.Drops || i == int(p.Value)-1 && p.State() == stream.Strained {
				cells[i] = stream.Worst(cells[i], p.State())
			}
		}
	}
	return cells
}

// formatValue writes a number of streams, or a pace.
func (l *Lane) formatValue(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "no limit"
	case l.Paced:
		return unit.FormatRate(v)
	}
	return unit.FormatCount(int(v))
}

// countStreams counts them: "4 cameras".
func (l *Lane) countStreams(n float64) string { return unit.Plural(int(n), l.Noun) }

// valueInWords is a value in words: "4 cameras", "1.84 GB/s".
func (l *Lane) valueInWords(p *Tries) string {
	return pick(l.Paced, l.formatValue(p.Value), l.countStreams(p.Value))
}

// droppedShare is the part of its frames that is dropped.
func (p *Tries) droppedShare() float64 { return float64(p.Late) / max(1, float64(p.Due)) }

// Evidence is how often the deciding values were clean: "3: clean 2 of 2", "4: clean 0 of 4".
func (l *Lane) Evidence() []string {
	var out []string
	clean, above := l.Deciding()
	for _, p := range []*Tries{clean, above} {
		if p != nil {
			out = append(out, fmt.Sprintf("%s: clean %d of %d", l.formatValue(p.Value), p.Clean,
				p.Count))
		}
	}
	return out
}

// big is the number that the headline is about: so many of those that stay clean alone.
func (s *Streams) big(r *runDoc) *Big {
	l := s.Lanes[0]
	b := &Big{Number: l.Number, Unit: l.Unit, Tone: pick(l.Clean > 0, Good, Bad),
		Detail: l.evidenceText()}
	while := cmp.Or(l.While, "no other disk is busy")
	if l.Paced {
		does := strings.TrimSuffix(l.Does, "s")
		b.Text = fmt.Sprintf("is how fast %s may %s while %s", l.Key.Label, does, while)
		return b
	}
	b.Text = pick(l.Number == "1", l.Noun+" stays", l.Noun+"s stay") + " clean while " + while
	for _, alone := range s.Lanes[1:] {
		with := l.Tries[0].phase.StreamTotals[0].WithOthers
		if alone.search != l.search || l.search == nil || with == nil {
			continue
		}
		names := analysis.Each(with.Disks, r.label)
		lost := "none"
		if n := int(alone.Clean - l.Clean); n > 0 {
			lost = pick(l.Clean == 0, "all ", "the other ") + analysis.Count(n)
		}
		b.Text = fmt.Sprintf("of %s %ss: %s %s %s %s", alone.Number, l.Noun, unit.List(names),
			pick(len(names) == 1, "costs", "cost"), l.Key.Label, lost)
	}
	return b
}

// evidenceText says how often the values that decide were clean, and what came of the one above.
func (l *Lane) evidenceText() string {
	clean, above := l.Deciding()
	text := ""
	if clean != nil {
		text = fmt.Sprintf("%s, the buffer never below %.2f s. ", l.triesText(clean), clean.LowestS)
	}
	switch {
	case above == nil:
	case above.Late > 0:
		share := unit.FormatPercent(Round(above.droppedShare(), 2))
		text += fmt.Sprintf("%s, %s of frames dropped.", l.triesText(above), share)
	default:
		text += fmt.Sprintf("%s, the buffer down to %.2f s.", l.triesText(above), above.LowestS)
	}
	return strings.TrimSpace(text)
}

// triesText is "4 cameras: clean in 0 of 4 tries".
func (l *Lane) triesText(p *Tries) string {
	tries := pick(p.Count == 1, "1 try", fmt.Sprint(p.Count, " tries"))
	return unit.Capital(fmt.Sprintf("%s: clean in %d of %s", l.valueInWords(p), p.Clean, tries))
}

// actions say how to get more streams: with another disk slowed down, or from another disk.
func (s *Streams) actions() []Action {
	var out []Action
	first := s.Lanes[0]
	for _, l := range s.Lanes {
		if l.search == nil || l.Clean == 0 || math.IsInf(l.Clean, 1) {
			continue
		}
		streams := float64(len(l.Tries[0].phase.Streams))
		same := l.Kind == first.Kind && l.Does == first.Does
		switch {
		case l.Paced && (first.Paced || first.Clean < streams):
			detail := "Throttle it to " + l.Text()
			if unthrottled := l.last().Rate; unthrottled > l.Clean {
				detail += ", " + percent(1-l.Clean/unthrottled) + " less than unthrottled"
			}
			out = append(out, newAction("For "+l.countStreams(streams)+" slow down "+l.Key.Label,
				detail+
					"."))
		case same && l.Key != first.Key && l.While != "" && l.Clean > first.Clean:
			does := strings.TrimSuffix(l.Does, "s")
			out = append(out, newAction("For "+l.Number+" "+does+" on "+l.Key.Label, fmt.Sprintf(
				"%s keeps %s clean while %s.", l.Key.Label, l.countStreams(l.Clean), l.While)))
		}
	}
	return out
}

// demandText says what one stream asks for: "ProRes 4444 XQ UHD 25p: 207 MB/s a camera."
func (l *Lane) demandText() string {
	rate := l.Tries[0].phase.Streams[0].Rate
	if rate == 0 {
		return ""
	}
	text := unit.FormatRate(rate) + " a " + l.Noun + "."
	if _, err := unit.ParseRate(l.Kind); err != nil && l.Kind != "" { // else it is no codec
		text = l.Kind + ": " + text
	}
	return text
}

// triesTable is a row for each lane, with all that was tried.
func (s *Streams) triesTable() *Table {
	t := table("All tries", words("Disk", "Does", "While"), numbers("Clean"),
		words("Clean tries")).dropFirst("Clean tries")
	t.Note = verdictNote
	for _, l := range s.Lanes {
		var tries []string
		for _, p := range l.Tries {
			tries = append(tries, fmt.Sprintf("%s: %d of %d", l.formatValue(p.Value), p.Clean,
				p.Count))
		}
		does := pick(l.Paced, l.Does, l.Does+" "+l.Kind)
		t.add(&l.Key, does, cmp.Or(l.While, "alone"), strong(l.Text()),
			strings.Join(tries, ", "))
	}
	return t
}

// dropsAt is where dropped frames stand, as a part of the buffer.
const dropsAt = -0.03

// bufferChart draws the lowest buffer over time in the tries that decided what the headline is
// about; nil if there is none.
func (s *Streams) bufferChart() *Chart {
	l := s.Lanes[0]
	c := &Chart{
		ID: "buffer", X: Axis{Unit: Seconds},
		Y:       Axis{Name: "Lowest buffer of all streams in seconds, strained below half"},
		Caption: "Below: dropped frames.", Title: "The buffer stays full",
	}
	clean, above := l.Deciding()
	for _, p := range []*Tries{clean, above} {
		if p == nil {
			continue
		}
		stepS, lowest, late := flowOf(p.phase.Streams, p.phase.StreamTotals[0].Disk)
		if lowest == nil {
			continue
		}
		full := max(p.phase.StreamTotals[0].BufferS, slices.Max(lowest))
		c.Y.Max, c.X.Max = max(c.Y.Max, full), max(c.X.Max, stepS*float64(len(lowest)))
		line := ChartSeries{Kind: Line, Key: None, Tone: sign(p.State())}
		drops := ChartSeries{Kind: Files, Key: None, Tone: Bad}
		fellS := -1.0
		for i, s := range lowest {
			atS := stepS * float64(i)
			line.point(atS, s)
			if late[i] > 0 {
				drops.point(atS, atS+stepS, dropsAt*full)
			}
			if fellS < 0 && (late[i] > 0 || p.State() == stream.Strained && s < full/2) {
				fellS = atS
			}
		}
		c.add(line)
		c.add(drops)
		with := l.valueInWords(p)
		c.Marks = append(c.Marks, Mark{At: slices.Min(lowest), From: c.X.Max, Key: None,
			Text: with})
		if fellS >= 0 {
			falls := pick(p.Late > 0, "is empty", "falls below half")
			c.Title = "With " + with + " the buffer " + falls + " after " +
				unit.FormatSeconds(fellS)
		}
	}
	return pick(c.Series == nil, nil, c)
}
