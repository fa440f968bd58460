package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// streamGroup is a disk's streams of one kind, and what they come to together.
type streamGroup struct {
	analysis.Stream        // what all have in common; and of the counts the sums, of the others the worst
	worst           string // the stream that fared worst; empty if none is worse than the others
	list            []analysis.Stream
}

// streamGroups puts the phase's streams of one disk and kind together, in their order.
func streamGroups(found *analysis.Phase) []streamGroup {
	type kind struct {
		disk, kind    string
		op            trace.Role
		bufferS, rate float64
	}
	return say.Each(say.Grouped(found.Streams, func(s analysis.Stream) kind {
		return kind{s.Disk, s.Kind, s.Op, s.BufferS, s.Rate}
	}), newStreamGroup)
}

func newStreamGroup(list []analysis.Stream) streamGroup {
	g := streamGroup{Stream: list[0], list: list}
	for _, s := range list[1:] {
		switch {
		case s.Late > 0 && g.Late == 0:
			g.LateWhile = s.LateWhile
		case s.Late > 0: // whoever worked whenever any of them was late
			idle := func(name string) bool { return !slices.Contains(s.LateWhile, name) }
			g.LateWhile = slices.DeleteFunc(slices.Clone(g.LateWhile), idle)
		}
		g.Beside = g.Beside.With(s.Beside)
		g.Due, g.Late = g.Due+s.Due, g.Late+s.Late
		g.LongestRun, g.LongestStallS = max(g.LongestRun, s.LongestRun), max(g.LongestStallS, s.LongestStallS)
		g.LowestBufferS, g.Verdict = min(g.LowestBufferS, s.LowestBufferS), stream.Worst(g.Verdict, s.Verdict)
	}
	g.LateShare = float64(g.Late) / max(1, float64(g.Due))
	// The worst has the most late frames, or with none late in any the lowest buffer.
	worse := func(a, b analysis.Stream) int {
		return cmp.Or(cmp.Compare(b.Late, a.Late), cmp.Compare(a.LowestBufferS, b.LowestBufferS))
	}
	if worst := slices.MinFunc(list, worse); worse(worst, slices.MaxFunc(list, worse)) != 0 {
		g.worst = worst.Name
	}
	return g
}

// title is the streams in words: "4 × ProRes 422 HQ UHD 25p".
func (g *streamGroup) title() string {
	if g.Kind == "" {
		return unit.Plural(len(g.list), "stream")
	}
	return fmt.Sprintf("%d × %s", len(g.list), Clean(stream.Label(g.Kind)))
}

// sign is what a verdict is marked with.
func sign(verdict stream.Verdict) Sign {
	return map[stream.Verdict]Sign{stream.Clean: Good, stream.Strained: Doubt, stream.Drops: Bad}[verdict]
}

// verdictCell is a verdict with its mark.
func verdictCell(verdict stream.Verdict) Cell {
	if verdict == "" {
		return Cell{Text: none}
	}
	return Cell{Text: string(verdict), Sign: sign(verdict), Strong: true}
}

// lateText is how many frames were late: "311 of 6,000 (5.2 %)", "1 of 6,000 (0.02 %)".
func (g *streamGroup) lateText() string {
	text := unit.FormatCount(g.Late) + " of " + unit.FormatCount(g.Due)
	if g.Late > 0 {
		p := 100 * g.LateShare
		text += fmt.Sprintf(" (%.*f %%)", pick(p >= 9.95, 0, pick(p >= 0.095, 1, 2)), p)
	}
	return text
}

// besideText is how many frames were late while all the other disks worked, and for how long these did: "250 of
// 2,200 in 22 s".
func (g *streamGroup) besideText() string {
	b := g.Beside
	if b == nil {
		return ""
	}
	text := unit.FormatCount(b.Late) + " of " + unit.FormatCount(b.Due) + " in " + unit.FormatSeconds(b.TestedS)
	return text + pick(b.Verdict == "", ": too short", "")
}

// bufferText is the lowest buffer of the whole: "0.31 of 1 s"; a trace may not say how large that is.
func (g *streamGroup) bufferText() string {
	lowest := fmt.Sprintf("%.2f", math.Floor(100*g.LowestBufferS+1e-6)/100)
	return lowest + pick(g.BufferS > 0, " of "+Write(Seconds, Round(g.BufferS, 3)), " s")
}

// verdictNote says what the verdicts mean.
const verdictNote = "A frame is late if it has not been read, or written, by the time it is due; " +
	"late frames are dropped. The buffer is how long a disk may stand still before that happens. " +
	"Clean: no frame was late, and the buffer never fell below half. " +
	"Strained: no frame was late, but the buffer fell below half. Drops: frames were late."

// streamTable is a row for the streams of each disk and kind.
func (v *phaseView) streamTable() *Table {
	t := v.tableOf("Streams", streamGroups(v.found))
	t.Note = pick(len(v.run.Analysis.Phases) == 1, verdictNote, "") // or a table before the phases says it
	return t
}

// eachStream lists the streams one by one if the table has put several in a row; nil if it has not, and for the
// many tries of a search.
func (v *phaseView) eachStream() *Table {
	if v.found.Search != nil || len(streamGroups(v.found)) == len(v.found.Streams) {
		return nil
	}
	return v.tableOf("Each stream", say.Each(v.found.Streams, func(s analysis.Stream) streamGroup {
		return streamGroup{Stream: s, list: []analysis.Stream{s}}
	}))
}

func (v *phaseView) tableOf(title string, groups []streamGroup) *Table {
	t := table(title, word("Disk"), word("Streams"), word("Verdict"), number("Late frames"),
		number("While the others worked", 3), number("Longest run", 5), number("Longest stall", 2), number("Lowest buffer"),
		word("Late while", 1), number("Asked for, "+v.scale.Unit, 6))
	for _, g := range groups {
		key := v.key(g.Disk)
		what := Cell{Text: g.title(), Small: pick(g.Op == trace.Write, "recorded", "played")}
		if len(g.list) == 1 {
			what.Small += ", stream " + Clean(g.Name)
		}
		verdict := verdictCell(g.Verdict)
		if g.worst != "" && g.Verdict != stream.Clean {
			verdict.Small = "worst in stream " + Clean(g.worst)
		}
		run, stall := "", ""
		var while []string // who else worked whenever frames were late
		if g.Late > 0 {
			run, stall = unit.Plural(g.LongestRun, "frame"), unit.FormatSeconds(g.LongestStallS)
			for _, name := range g.LateWhile {
				if name != g.Disk {
					while = append(while, v.label(name)+" "+v.workOf(name).Does().One)
				}
			}
		}
		asked := pick(g.Rate > 0, v.scale.Number(g.Rate*float64(len(g.list))), "")
		t.add(&key, what, verdict, g.lateText(), g.besideText(), run, stall, g.bufferText(), strings.Join(while, ", "), asked)
	}
	return t
}

// streamsOverview is a row for each phase and its streams, but for a search's tries.
func streamsOverview(keys []Key, a *analysis.Analysis) *Table {
	t := table("Streams in each phase", word("Phase"), word("Verdict"), word("Who does what"), number("Late frames"),
		number("While the others worked", 1), number("Longest stall", 3), number("Lowest buffer", 2),
		word("Disk", 4), word("Streams", 5))
	t.Note = verdictNote
	for i, p := range a.Phases {
		if p.Search != nil {
			continue
		}
		for _, g := range streamGroups(&p) {
			disk := Cell{Text: g.Disk}
			if at := keyOf(keys, g.Disk); at >= 0 {
				disk.Disk = &keys[at]
			}
			phase := Cell{Text: shorten(p.Title, 2*longest), Link: phaseID(i)}
			stall := pick(g.Late > 0, unit.FormatSeconds(g.LongestStallS), "")
			t.add(phase, verdictCell(g.Verdict), does(keys, p.Roles, p.Paced), g.lateText(), g.besideText(), stall,
				g.bufferText(), disk, g.title())
		}
	}
	return t
}

// ticks is which streams stay clean, alone and beside whom: what searches found, and what came of all other phases.
func ticks(keys []Key, a *analysis.Analysis) *Table {
	t := &tickTable{Table: table("Streams", word("Streams")), keys: keys}
	for _, s := range a.Searches {
		for _, p := range a.Phases {
			if s.Kind == trace.SearchStreams && p.Search != nil && p.Search.Search == s.Name {
				t.searched(&s, &p)
			}
		}
	}
	for i, p := range a.Phases {
		if p.Search == nil {
			t.played(&p, phaseID(i))
		}
	}
	if t.ID = "answer"; t.width() <= textColumns {
		return t.Table
	}
	// What has no room side by side stands one below the other.
	list := table(t.Title, word("Streams"), word("While"), word("Result"))
	list.ID = t.ID
	for _, row := range t.Rows {
		for i, cell := range row[1:] {
			if cell.Text != none {
				list.add(row[0], t.Columns[i+1].Head, cell)
			}
		}
	}
	return list
}

// tickTable has a column for who works beside the streams.
type tickTable struct {
	*Table
	keys []Key
}

// put sets the cell of a group's streams beside who else works, probes aside; or leaves a worse one there.
func (t *tickTable) put(g *streamGroup, what string, p *analysis.Phase, cell Cell) {
	column := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Head == t.beside(p, g.Disk) })
	if column < 0 {
		column, t.Columns = len(t.Columns), append(t.Columns, word(t.beside(p, g.Disk)))
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], Cell{Text: none})
		}
	}
	name := labelOf(t.keys, g.Disk) + pick(g.Op == trace.Write, " records ", " plays ") + what
	at := slices.IndexFunc(t.Rows, func(r []Cell) bool { return r[0].Text == name })
	if at < 0 {
		at = len(t.Rows)
		t.Rows = append(t.Rows, append([]Cell{{Text: name}}, slices.Repeat([]Cell{{Text: none}}, len(t.Columns)-1)...))
	}
	sad := func(s Sign) int { return slices.Index([]Sign{Good, Unsigned, Doubt, Bad}, s) }
	if old := &t.Rows[at][column]; old.Text == none || sad(cell.Sign) > sad(old.Sign) {
		*old = cell
	}
}

// searched puts in the largest number that a search found clean, as a try of it was made.
func (t *tickTable) searched(s *analysis.Search, try *analysis.Phase) {
	found, between, open := s.Found, s.FoundBetween, s.FoundOpen
	if t.beside(try, s.Disk) == "alone" {
		found, between, open = s.Alone, s.AloneBetween, s.AloneOpen
	}
	var cell Cell
	switch {
	case found != nil && *found == 0:
		cell = Cell{Text: "none", Sign: Bad, Strong: true}
	case found != nil:
		cell = Cell{Text: unit.FormatCount(int(*found)) + pick(open, " or more", ""), Sign: Good, Strong: true}
	case between != nil && between.High != nil:
		cell = Cell{Text: fmt.Sprintf("%.0f to %.0f", between.Low, *between.High), Sign: Doubt}
	default:
		return
	}
	for _, g := range streamGroups(try) {
		if g.Disk == s.Disk {
			t.put(&g, Clean(stream.Label(g.Kind))+", clean up to", try, cell)
		}
	}
}

// played puts in what came of a phase's streams, beside other disks while all of these worked.
func (t *tickTable) played(p *analysis.Phase, link string) {
	for _, g := range streamGroups(p) {
		verdict, late := g.Verdict, g.Late
		if b := g.Beside; b != nil {
			verdict, late = b.Verdict, b.Late
		}
		cell := Cell{Text: cmp.Or(string(verdict), "too short"), Sign: sign(verdict), Link: link}
		cell.Small = pick(cell.Sign == Bad, unit.Plural(late, "frame"), "")
		t.put(&g, g.title(), p, cell)
	}
}

// beside is who works beside a disk's streams, probes aside.
func (t *tickTable) beside(p *analysis.Phase, disk string) string {
	roles := maps.Clone(p.Roles)
	maps.DeleteFunc(roles, func(name string, _ trace.Role) bool { return name == disk || p.Paced[name].Probe > 0 })
	return cmp.Or(does(t.keys, roles, p.Paced), "alone")
}

// streamsSure says how often the values that an answer hinges on were clean, or without a search for how long all
// was tested.
func streamsSure(a *analysis.Analysis) string {
	counted := nonEmpty(say.Each(a.Searches, func(s analysis.Search) string { return say.Counted(&s) })...)
	if len(counted) > 0 {
		return unit.Capital(strings.Join(counted, "; ")) + "."
	}
	tested := math.Inf(1)
	for _, p := range a.Phases {
		for _, t := range p.StreamTotals {
			if t.Verdict == stream.Clean && t.Beside != nil {
				tested = min(tested, t.Beside.TestedS)
			}
		}
	}
	text := "Each was played once, for " + unit.FormatSeconds(tested) + " or more beside the others."
	return pick(math.IsInf(tested, 1), "", text)
}

// searchTable is a search as a ladder: a row for each value that was tried, the largest on top, with what came of it
// alone and with the others. Told says that what verdicts mean stands before it.
func (r *runDoc) searchTable(s *analysis.Search, told bool) *Table {
	streams, disk := s.Kind == trace.SearchStreams, labelOf(r.Keys, s.Disk)
	t := table("Search: "+Clean(s.Name), word(pick(streams, "Streams", "Pace of "+disk)))
	t.Note = pick(streams, "How many streams of "+disk+" stay clean.",
		"How fast "+disk+" may go with all streams clean.") + " ×: how often it was tried." +
		pick(streams, " hubbench advise computes it with a model and its uncertainty, and may advise fewer.", "") +
		pick(told, "", " "+verdictNote)
	var sides []bool // alone, or not
	for _, alone := range []bool{true, false} {
		i := slices.IndexFunc(s.Tries, func(try analysis.SearchTry) bool { return try.Alone == alone })
		if i < 0 {
			continue
		}
		head := pick(alone, "Alone", "With the others")
		if p, known := r.index[s.Tries[i].Phase]; known && !alone {
			if others := besideDisk(r.Keys, &r.a.Phases[p], s.Disk); others != "" {
				head = "While " + others
			}
		}
		sides, t.Columns = append(sides, alone), append(t.Columns, word(head))
	}
	values := say.Each(s.Tries, valueOf)
	slices.Sort(values)
	values = slices.Compact(values)
	slices.Reverse(values)
	fill(t, values, sides, func(value float64) any {
		if math.IsInf(value, 1) {
			return "no limit"
		}
		return pick(streams, unit.FormatCount(int(value)), unit.FormatRate(value))
	}, func(value float64, alone bool) Cell {
		cell, phase := tryCell(s, value, alone)
		if at, known := r.index[phase]; known {
			cell.Link = phaseID(at)
		}
		return cell
	})
	return t
}

// valueOf is what a try was of: more than any value if there was no limit.
func valueOf(try analysis.SearchTry) float64 { return pick(try.Unlimited, math.Inf(1), try.Value) }

// tryCell is what came of a value's tries: clean if most were, else the worst; and the phase of that.
func tryCell(s *analysis.Search, value float64, alone bool) (cell Cell, phase string) {
	worst, clean, times := stream.Verdict(""), 0, 0
	for _, try := range s.Tries {
		if valueOf(try) != value || try.Alone != alone {
			continue
		}
		if times++; try.Verdict == stream.Clean {
			clean++
		}
		if w := stream.Worst(worst, try.Verdict); w != worst || phase == "" {
			worst, phase = w, try.Phase
		}
	}
	if times == 0 {
		return Cell{}, ""
	}
	cell = verdictCell(worst)
	of := unit.FormatCount(clean) + " of " + unit.FormatCount(times)
	switch {
	case worst == "":
		cell.Text = "not ended"
	case 2*clean > times && clean < times:
		cell = verdictCell(stream.Clean)
		cell.Small = of
	case clean > 0 && clean < times:
		cell.Small = of + " clean"
	case times > 1:
		cell.Small = "×" + unit.FormatCount(times)
	}
	best := pick(alone, s.Alone, s.Found)
	cell.Strong = best != nil && *best == value || s.Unlimited && !alone && math.IsInf(value, 1)
	return cell, phase
}
