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
func answerFigure(doc *Document, run Run) *Figure {
	a, scale := run.Analysis, scaleOf(run.Analysis)
	if slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return len(p.Streams) > 0 }) {
		return nil
	}
	var f *Figure
	switch {
	case len(a.Phases) == 1:
		f = raceFigure(newPhaseView(&run, doc.Keys, &a.Phases[0], scale))
	case len(a.Summary.Contests) > 0:
		f = keptFigure(doc.Keys, a, scale)
	default:
		f = cacheFigure(doc.Keys, run, scale)
	}
	if f == nil {
		return nil
	}
	f.ID, f.OmitInText = "answer", true
	if doc.Started != "" {
		f.Text += " Measured on " + doc.Started + "."
	}
	return f
}

// raceFigure is the rates of a phase over time under its changes.
func raceFigure(v *phaseView) *Figure {
	f := timeFigure(v)
	if f == nil {
		return nil
	}
	main := slices.IndexFunc(f.Panels, func(p Panel) bool { return !p.Y.Bare })
	f.Panels, f.Wide, f.Phase = f.Panels[:main+1], false, v.found.Title
	f.Text = v.found.Title + ": the rate of each file."
	f.Panels[main].Height = 200
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

// keptFigure is a panel for each contest, in the order of the headline, with a bar for each disk: its rate beside the others,
// on the outline of its rate alone. What loses most in a contest comes first.
func keptFigure(keys []Key, a *analysis.Analysis, scale Scale) *Figure {
	f := &Figure{X: Axis{Name: "rate, " + scale.Unit, Bare: true}}
	var contests [][]keptRow
	most := max(2, maxKeptRows/len(a.Summary.Contests))
	cut := false
	for i := range a.Summary.Contests {
		var rows []keptRow
		for _, key := range keys {
			if d, ok := a.Summary.Contests[i].Disks[key.Name]; ok {
				rows = append(rows, keptRow{i, key, d})
			}
		}
		slices.SortStableFunc(rows, func(a, b keptRow) int { return cmp.Compare(b.loss(), a.loss()) })
		if len(rows) > most {
			rows, cut = slices.Delete(rows, most-1, len(rows)-1), true
		}
		contests = append(contests, rows)
	}
	rows, unknown := slices.Concat(contests...), false
	for i, r := range rows {
		if i == 0 || r.contest != rows[i-1].contest {
			first := &a.Phases[slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == a.Summary.Contests[r.contest].Phases[0] })]
			f.Panels = append(f.Panels, Panel{Y: Axis{Name: does(keys, first.Roles, first.Paced), Rows: true, Min: float64(i) - 0.5}})
		}
		panel := &f.Panels[len(f.Panels)-1]
		panel.Y.Max, panel.Height = float64(i)+0.5, panel.Height+21
		y := float64(i)
		rate, end := Round(scale.of(r.Rate), 9), scale.of(r.Rate)
		bar, label := Mark{Shape: Rectangle, Key: i, Name: "beside the others", Rows: [][]float64{{0, rate, y - 0.3, y + 0.3}}}, Mark{Shape: Label, Style: Ink, Key: i}
		if r.Reference == nil {
			unknown = true
			bar.Style, label.Text = Hatched, scale.Number(r.Rate)+", no reference"
		} else {
			whole := Round(scale.of(*r.Reference), 9)
			end = max(end, whole)
			panel.Marks = append(panel.Marks, Mark{Shape: Rectangle, Style: Outline, Key: i, Name: "alone", Rows: [][]float64{{0, whole, y - 0.3, y + 0.3}}})
			label.Text = fmt.Sprintf("%s of %s: %s", scale.Number(r.Rate), scale.Number(*r.Reference), percent(r.Kept()))
			if contest := &a.Summary.Contests[r.contest]; r.Lost && !sharedEvenly(contest) {
				label.Style = Loss
			}
		}
		panel.Marks = append(panel.Marks, bar)
		if ci := r.CI95; ci != nil {
			end = max(end, scale.of(ci[1]))
			panel.Marks = append(panel.Marks, Mark{Shape: Segment, Style: Ink, Key: i, Name: interval, Rows: [][]float64{{Round(scale.of(ci[0]), 4), Round(scale.of(ci[1]), 4), y, y}}})
		}
		label.Rows = [][]float64{{end, y}}
		panel.Marks = append(panel.Marks, label)
		f.Keys, f.X.Max = append(f.Keys, r.key), max(f.X.Max, end)
	}
	f.Title = keptTitle(keys, a, f.Panels, contests)
	var phases []string
	for i, contest := range contests {
		for _, name := range a.Summary.Contests[contest[0].contest].Phases {
			name = a.Title(name)
			if name != f.Panels[i].Y.Name {
				phases = append(phases, name)
			}
		}
	}
	f.Text = scale.Unit + ". Bar: beside the others, with its 95 % confidence interval; outline: without them."
	if unknown {
		f.Text += " Hatched: no reference, so it may have lost any part."
	}
	if cut {
		f.Text += " Those that lose most, and the one that loses least; all are in the table."
	}
	if phases != nil {
		f.Text += " " + "From " + cells.Cut(strings.Join(phases, "; "), 90) + "."
	}
	return f
}

// sharedEvenly reports whether the disks have about the same, and not all of them are known to lose: the headline calls
// none of them a loser.
func sharedEvenly(c *analysis.Contest) bool {
	return c.Even && slices.ContainsFunc(slices.Collect(maps.Values(c.Disks)), func(d analysis.ContestDisk) bool { return !d.Lost })
}

// keptTitle says what the disks keep that lose most in the first contest of which the headline names a loser.
func keptTitle(keys []Key, a *analysis.Analysis, panels []Panel, contests [][]keptRow) string {
	at := max(0, slices.IndexFunc(contests, func(rows []keptRow) bool {
		return rows[0].loss() >= 0.1 && !sharedEvenly(&a.Summary.Contests[rows[0].contest])
	}))
	worst := contests[at][0]
	var alike []string
	for _, key := range keys {
		if d, ok := a.Summary.Contests[worst.contest].Disks[key.Name]; ok && (keptRow{ContestDisk: d}).loss() > worst.loss()-0.05 {
			alike = append(alike, key.Label)
		}
	}
	switch n := len(alike); {
	case worst.Reference == nil:
		return "What each disk has beside the others"
	case worst.loss() < 0.1:
		return "No disk loses much beside the others"
	default:
		return fmt.Sprintf("%s %s %s of %s rate (%s)", pick(n > 4, unit.Plural(n, "disk"), unit.List(alike)), pick(n == 1, "keeps", "keep"), percent(worst.Kept()), pick(n == 1, "its", "their"), panels[at].Y.Name)
	}
}

// cacheFigure is the rate of each disk that wrote alone until its fast cache was full, against the bytes written.
func cacheFigure(keys []Key, run Run, scale Scale) *Figure {
	f := &Figure{X: Axis{Name: "written so far", Unit: Bytes}}
	panel, lastFall := Panel{Height: 220}, 0.0
	var ends []string
	for _, s := range run.Analysis.Saturations {
		at := slices.IndexFunc(run.Analysis.Phases, func(p analysis.Phase) bool { return p.Phase == s.Alone })
		if at < 0 {
			continue
		}
		v := newPhaseView(&run, keys, &run.Analysis.Phases[at], scale)
		worn := bytesFigure(v)
		if worn == nil {
			continue
		}
		for _, m := range worn.Panels[0].Marks {
			if worn.Keys[m.Key].Name == s.Disk && m.Shape != Rule {
				m.Key = len(f.Keys)
				panel.Marks = append(panel.Marks, m)
			}
		}
		if s.Fall != nil {
			text := unit.FormatBytes(int64(s.Fall.AtBytes))
			lastFall = max(lastFall, s.Fall.AtBytes)
			panel.Marks = append(panel.Marks, Mark{Shape: Rule, Style: Loss, Key: len(f.Keys), Text: "cache full: " + text, Rows: [][]float64{{Round(s.Fall.AtBytes, 4)}}})
			ends = append(ends, fmt.Sprintf("%s falls from %s to %s after %s", v.key(s.Disk).Label, scale.Number(s.Fall.FromRate), scale.Rate(s.Fall.ToRate), text))
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
	f.Title = cmp.Or(strings.Join(ends[:min(2, len(ends))], "; "), "No disk falls while it writes")
	panel.Y.Name = "rate, " + scale.Unit
	f.Text, f.Panels = "Each disk writes alone; each mark is one file.", []Panel{panel}
	return f
}
