package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// answerFigure is the figure of a run's answer: the only phase over time; for fast caches the rate against the bytes
// written; for disks that compete the rate of each beside the others on its rate alone. It is nil if a table shows the
// answer better, as with streams.
func (r *runDoc) answerFigure() *Figure {
	if slices.ContainsFunc(r.a.Phases, func(p analysis.Phase) bool { return len(p.Streams) > 0 }) {
		return nil
	}
	var f *Figure
	switch {
	case len(r.a.Phases) == 1:
		for _, time := range Collect[*Figure](r.Phases()[0].Blocks) {
			if time.ID == "time" { // up to the rates under the phase's changes
				part := *time
				main := slices.IndexFunc(part.Panels, func(p Panel) bool { return !p.Y.Bare })
				part.Panels, part.Wide = slices.Clone(part.Panels[:main+1]), false
				part.Panels[main].Height, part.Text = 200, part.Phase+": the rate of each file."
				f = &part
			}
		}
	case len(r.a.Summary.Contests) > 0:
		f = r.keptFigure()
	default:
		f = r.cacheFigure()
	}
	if f != nil {
		f.ID, f.OmitInText = "answer", true
		f.Text += pick(r.Started == "", "", " Measured on "+r.Started+".")
	}
	return f
}

// maxKeptRows is how many disks are drawn at most, as many of each contest.
const maxKeptRows = 10

// keptRow is a disk in a contest.
type keptRow struct {
	contest int
	key     Key
	analysis.ContestDisk
}

// loss is the part of its rate alone that the disk does not have beside the others. It is below any loss if that is not
// known.
func (r keptRow) loss() float64 {
	if r.Reference == nil {
		return -1
	}
	return 1 - r.Kept()
}

// keptFigure is a panel for each contest, in the order of the headline, with a bar for each disk: its rate beside
// the others, on the outline of its rate alone. What loses most in a contest comes first.
func (r *runDoc) keptFigure() *Figure {
	all := r.a.Summary.Contests
	f := &Figure{X: Axis{Name: "rate, " + r.scale.Unit, Bare: true}}
	var contests [][]keptRow
	most := max(2, maxKeptRows/len(all))
	cut, unknown := false, false
	var phases []string
	for i := range all {
		var rows []keptRow
		for _, key := range r.Keys {
			if d, ok := all[i].Disks[key.Name]; ok {
				rows = append(rows, keptRow{i, key, d})
			}
		}
		slices.SortStableFunc(rows, func(a, b keptRow) int { return cmp.Compare(b.loss(), a.loss()) })
		if len(rows) > most {
			rows, cut = slices.Delete(rows, most-1, len(rows)-1), true
		}
		first := &r.a.Phases[r.index[all[i].Phases[0]]]
		panel := Panel{Y: Axis{Name: does(r.Keys, first.Roles, first.Paced), Rows: true, Min: float64(len(f.Keys)) - 0.5}}
		for _, row := range rows {
			unknown = unknown || row.Reference == nil
			f.X.Max = max(f.X.Max, r.bar(&panel, row, len(f.Keys)))
			f.Keys = append(f.Keys, row.key)
		}
		panel.Y.Max, panel.Height = float64(len(f.Keys))-0.5, 21*len(rows)
		f.Panels, contests = append(f.Panels, panel), append(contests, rows)
		for _, name := range all[i].Phases {
			if at, known := r.index[name]; known {
				name = cmp.Or(r.a.Phases[at].Title, name)
			}
			if name != panel.Y.Name {
				phases = append(phases, name)
			}
		}
	}
	f.Title = r.keptTitle(f.Panels, contests)
	f.Text = r.scale.Unit + ". Bar: beside the others, with its 95 % confidence interval; outline: without them." +
		pick(unknown, " Hatched: no reference, so it may have lost any part.", "") +
		pick(cut, " Those that lose most, and the one that loses least; all are in the table.", "")
	f.Text += pick(phases == nil, "", " From "+cells.Cut(strings.Join(phases, "; "), 90)+".")
	return f
}

// bar draws what a disk has beside the others as the figure's i-th row, and returns how far that reaches.
func (r *runDoc) bar(panel *Panel, row keptRow, i int) (end float64) {
	y, number := float64(i), r.scale.Number
	end = r.scale.of(row.Rate)
	bar, label := Mark{Shape: Rectangle, Key: i, Name: "beside the others"}, Mark{Shape: Label, Style: Ink, Key: i}
	if row.Reference == nil {
		bar.Style, label.Text = Hatched, number(row.Rate)+", no reference"
	} else {
		whole := Round(r.scale.of(*row.Reference), 9)
		end = max(end, whole)
		panel.mark(Mark{Shape: Rectangle, Style: Outline, Key: i, Name: "alone"}, 0, whole, y-0.3, y+0.3)
		label.Text = fmt.Sprintf("%s of %s: %s", number(row.Rate), number(*row.Reference), percent(row.Kept()))
		if row.Lost && !sharedEvenly(&r.a.Summary.Contests[row.contest]) {
			label.Style = Loss
		}
	}
	panel.mark(bar, 0, Round(r.scale.of(row.Rate), 9), y-0.3, y+0.3)
	if ci := row.CI95; ci != nil {
		low, high := r.scale.of(ci[0]), r.scale.of(ci[1])
		end = max(end, high)
		panel.mark(Mark{Shape: Segment, Style: Ink, Key: i, Name: interval}, Round(low, 4), Round(high, 4), y, y)
	}
	panel.mark(label, end, y)
	return end
}

// sharedEvenly reports whether the disks have about the same, and not all of them are known to lose: the headline calls
// none of them a loser.
func sharedEvenly(c *analysis.Contest) bool {
	kept := func(d analysis.ContestDisk) bool { return !d.Lost }
	return c.Even && slices.ContainsFunc(slices.Collect(maps.Values(c.Disks)), kept)
}

// keptTitle says what the disks keep that lose most in the first contest of which the headline names a loser.
func (r *runDoc) keptTitle(panels []Panel, contests [][]keptRow) string {
	at := max(0, slices.IndexFunc(contests, func(rows []keptRow) bool {
		return rows[0].loss() >= 0.1 && !sharedEvenly(&r.a.Summary.Contests[rows[0].contest])
	}))
	worst := contests[at][0]
	switch {
	case worst.Reference == nil:
		return "What each disk has beside the others"
	case worst.loss() < 0.1:
		return "No disk loses much beside the others"
	}
	var alike []string
	for _, key := range r.Keys {
		if d, ok := r.a.Summary.Contests[at].Disks[key.Name]; ok && (keptRow{ContestDisk: d}).loss() > worst.loss()-0.05 {
			alike = append(alike, key.Label)
		}
	}
	n := len(alike)
	who, keep := pick(n > 4, unit.Plural(n, "disk"), unit.List(alike)), pick(n == 1, "keeps", "keep")
	return fmt.Sprintf("%s %s %s of %s rate (%s)", who, keep, percent(worst.Kept()), pick(n == 1, "its", "their"), panels[at].Y.Name)
}

// cacheFigure is the rate of each disk that wrote alone until its fast cache was full, against the bytes written.
func (r *runDoc) cacheFigure() *Figure {
	f := &Figure{X: Axis{Name: "written so far", Unit: Bytes}}
	panel, lastFall := Panel{Height: 220}, 0.0
	var ends []string
	for _, s := range r.a.Saturations {
		at, known := r.index[s.Alone]
		if !known {
			continue
		}
		v := r.view(at)
		worn := bytesFigure(v)
		if worn == nil {
			continue
		}
		for _, m := range worn.Panels[0].Marks {
			if worn.Keys[m.Key].Name == s.Disk && m.Shape != Rule {
				m.Key = len(f.Keys)
				panel.mark(m)
			}
		}
		if s.Fall != nil {
			text := "cache full: " + unit.FormatBytes(int64(s.Fall.AtBytes))
			lastFall = max(lastFall, s.Fall.AtBytes)
			panel.mark(Mark{Shape: Rule, Style: Loss, Key: len(f.Keys), Text: text}, Round(s.Fall.AtBytes, 4))
			ends = append(ends, fallText(r.scale, v.label(s.Disk), s.Fall.FromRate, s.Fall.ToRate, s.Fall.AtBytes))
		}
		f.Keys = append(f.Keys, v.key(s.Disk))
		f.X.Max, panel.Y.Max = max(f.X.Max, worn.X.Max), max(panel.Y.Max, worn.Panels[0].Y.Max)
	}
	if len(f.Keys) == 0 {
		return nil
	}
	if lastFall > 0 && f.X.Max > 3*lastFall { // a disk that does not fall may write for long
		f.X.Max = 3 * lastFall
		for i := range panel.Marks {
			m := &panel.Marks[i]
			m.Rows = slices.DeleteFunc(m.Rows, func(row []float64) bool { return len(row) > 1 && row[1] > f.X.Max })
		}
	}
	panel.Y.Max *= 1.12 // room for words over the marks
	panel.Y.Name = "rate, " + r.scale.Unit
	f.Title = cmp.Or(strings.Join(ends[:min(2, len(ends))], "; "), "No disk falls while it writes")
	f.Text, f.Panels = "Each disk writes alone; each mark is one file.", []Panel{panel}
	return f
}
