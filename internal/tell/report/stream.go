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
)

// streamGroup is a disk's streams of one kind, and what they come to together.
type streamGroup struct {
	analysis.Stream        // what all have in common; and of the counts the sums, of the others the worst
	worst           string // the stream that fared worst; empty if none is worse than the others
	list            []analysis.Stream
}

// streamGroups puts the phase's streams of one disk and kind together, in their order.
func streamGroups(found *analysis.Phase) []streamGroup {
	var out []streamGroup
	for i := range found.Streams {
		s := found.Streams[i]
		at := slices.IndexFunc(out, func(g streamGroup) bool {
			return g.Disk == s.Disk && g.Kind == s.Kind && g.Op == s.Op && g.BufferS == s.BufferS && g.Rate == s.Rate
		})
		if at < 0 {
			out = append(out, streamGroup{Stream: s, list: []analysis.Stream{s}})
			continue
		}
		g := &out[at]
		g.list = append(g.list, s)
		switch {
		case s.Late > 0 && g.Late == 0:
			g.LateWhile = s.LateWhile
		case s.Late > 0: // whoever worked whenever any of them was late
			g.LateWhile = slices.DeleteFunc(slices.Clone(g.LateWhile), func(n string) bool { return !slices.Contains(s.LateWhile, n) })
		}
		g.Beside = g.Beside.With(s.Beside)
		g.Due, g.Late = g.Due+s.Due, g.Late+s.Late
		g.LongestRun, g.LongestStallS = max(g.LongestRun, s.LongestRun), max(g.LongestStallS, s.LongestStallS)
		g.LowestBufferS, g.Verdict = min(g.LowestBufferS, s.LowestBufferS), stream.Worst(g.Verdict, s.Verdict)
	}
	// The worst has the most late frames, or with none late in any the lowest buffer.
	worse := func(a, b analysis.Stream) int {
		return cmp.Or(cmp.Compare(b.Late, a.Late), cmp.Compare(a.LowestBufferS, b.LowestBufferS))
	}
	for i := range out {
		g := &out[i]
		g.LateShare = float64(g.Late) / max(1, float64(g.Due))
		if worst := slices.MinFunc(g.list, worse); worse(worst, slices.MaxFunc(g.list, worse)) != 0 {
			g.worst = worst.Name
		}
	}
	return out
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

// lateText is how many frames were late: "311 of 6,000 (5.2 %)".
func (g *streamGroup) lateText() string {
	text := unit.FormatCount(g.Late) + " of " + unit.FormatCount(g.Due)
	if g.Late > 0 {
		text += " (" + fewPercent(g.LateShare) + ")"
	}
	return text
}

// besideText is how many frames were late while all the other disks worked, and for how long these did: "250 of 2,200 in 22 s".
func (g *streamGroup) besideText() string {
	b := g.Beside
	if b == nil {
		return ""
	}
	text := unit.FormatCount(b.Late) + " of " + unit.FormatCount(b.Due) + " in " + unit.FormatSeconds(b.TestedS)
	if b.Verdict == "" {
		text += ": too short"
	}
	return text
}

// fewPercent writes a share that may be small: "5.2 %", "0.03 %".
func fewPercent(share float64) string {
	p := 100 * share
	return fmt.Sprintf("%.*f %%", pick(p >= 9.95, 0, pick(p >= 0.095, 1, 2)), p)
}

// bufferText is the lowest buffer of the whole: "0.31 of 1 s"; a trace may not say how large that is.
func (g *streamGroup) bufferText() string {
	lowest := fmt.Sprintf("%.2f", math.Floor(100*g.LowestBufferS+1e-6)/100)
	if g.BufferS > 0 {
		lowest += " of " + strings.TrimSuffix(Write(Seconds, Round(g.BufferS, 3)), " s")
	}
	return lowest + " s"
}

// verdictNote says what the verdicts mean.
const verdictNote = "A frame is late if it has not been read, or written, by the time it is due; late frames are dropped. The buffer is how long a disk may stand still before that happens. Clean: no frame was late, and the buffer never fell below half. Strained: no frame was late, but the buffer fell below half. Drops: frames were late."

// streamTable is a row for the streams of each disk and kind; nil if there are none.
func (v *phaseView) streamTable() *Table {
	groups := streamGroups(v.found)
	if len(groups) == 0 {
		return nil
	}
	t := &Table{
		ID: "streams", Title: "Streams",
		Columns: []Column{
			{Head: "Disk"}, {Head: "Streams"}, {Head: "Verdict"}, {Head: "Late frames", Numbers: true}, {Head: "While the others worked", Numbers: true, Drop: 3}, {Head: "Longest run", Numbers: true, Drop: 5},
			{Head: "Longest stall", Numbers: true, Drop: 2}, {Head: "Lowest buffer", Numbers: true}, {Head: "Late while", Drop: 1}, {Head: "Asked for, " + v.scale.Unit, Numbers: true, Drop: 6},
		},
	}
	for i := range groups {
		t.Rows = append(t.Rows, v.streamRow(&groups[i]))
	}
	if len(v.run.Analysis.Phases) == 1 { // or a table before the phases says it
		t.Note = verdictNote
	}
	return t
}

func (v *phaseView) streamRow(g *streamGroup) []Cell {
	key := v.key(g.Disk)
	what := Cell{Text: g.title(), Small: pick(g.Op == trace.Write, "recorded", "played")}
	if len(g.list) == 1 {
		what.Small += ", stream " + Clean(g.Name)
	}
	verdict := verdictCell(g.Verdict)
	if g.worst != "" && g.Verdict != stream.Clean {
		verdict.Small = "worst in stream " + Clean(g.worst)
	}
	row := []Cell{{Disk: &key}, what, verdict, {Text: g.lateText()}, {Text: g.besideText()}, {}, {}, {Text: g.bufferText()}, {}, {}}
	if g.Late > 0 {
		var while []string // who else worked whenever frames were late
		for _, name := range g.LateWhile {
			if name != g.Disk {
				while = append(while, v.label(name)+" "+workOf(v.found.Roles[name], v.found.Paced[name]).Does().One)
			}
		}
		row[5].Text, row[6].Text, row[8].Text = unit.Plural(g.LongestRun, "frame"), unit.FormatSeconds(g.LongestStallS), strings.Join(while, ", ")
	}
	if g.Rate > 0 {
		row[9].Text = v.scale.Number(g.Rate * float64(len(g.list)))
	}
	return row
}

// eachStream lists the streams one by one if the table has put several in a row; nil if it has not, and for the
// many tries of a search.
func (v *phaseView) eachStream() *Table {
	groups := streamGroups(v.found)
	if len(groups) == len(v.found.Streams) || searchOf(v.run.Analysis, v.found.Phase) != nil {
		return nil
	}
	t := v.streamTable()
	t.ID, t.Title, t.Note, t.Rows = "each-stream", "Each stream", "", nil
	for i := range v.found.Streams {
		s := v.found.Streams[i]
		t.Rows = append(t.Rows, v.streamRow(&streamGroup{Stream: s, list: []analysis.Stream{s}}))
	}
	return t
}

// streamsOverview is a row for each phase and its streams, but for a search's tries; nil if there are none.
func streamsOverview(doc *Document, a *analysis.Analysis) *Table {
	t := &Table{
		Title: "Streams in each phase", Note: verdictNote,
		Columns: []Column{
			{Head: "Phase"}, {Head: "Verdict"}, {Head: "Who does what"}, {Head: "Late frames", Numbers: true}, {Head: "While the others worked", Numbers: true, Drop: 1}, {Head: "Longest stall", Numbers: true, Drop: 3},
			{Head: "Lowest buffer", Numbers: true, Drop: 2}, {Head: "Disk", Drop: 4}, {Head: "Streams", Drop: 5},
		},
	}
	for i := range a.Phases {
		p := &a.Phases[i]
		if searchOf(a, p.Phase) != nil {
			continue
		}
		for _, g := range streamGroups(p) {
			disk := Cell{Text: g.Disk}
			if at := keyOf(doc.Keys, g.Disk); at >= 0 {
				disk.Disk = &doc.Keys[at]
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: shorten(p.Title, 2*longest), Link: phaseID(i)}, verdictCell(g.Verdict), {Text: does(doc.Keys, p.Roles, p.Paced)}, {Text: g.lateText()}, {Text: g.besideText()},
				{Text: pick(g.Late > 0, unit.FormatSeconds(g.LongestStallS), "")}, {Text: g.bufferText()}, disk, {Text: g.title()},
			})
		}
	}
	if t.Rows == nil {
		return nil
	}
	return t
}
