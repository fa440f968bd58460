package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// newPhase shows a phase: what it comes to, its timeline, and a table of its disks; everything else is folded.
func newPhase(run Run, keys []Key, index int, scale Scale) *Details {
	found := &run.Analysis.Phases[index]
	v := newPhaseView(&run, keys, found, scale)
	d := &Details{ID: phaseID(index), Name: found.Phase, Title: found.Title, Does: v.does(), Phase: true}
	if s := searchOf(run.Analysis, found.Phase); s != nil {
		d.Fold = "Tries of " + s.Name
	}
	for _, w := range found.Warnings {
		if w.Code == "partial" {
			d.Add(Warning{w.Text})
		}
	}
	d.Add(Sentence{Text: found.Verdict, Lead: true})
	if t := v.streamTable(); t != nil {
		d.Add(t)
	}
	if f := timeFigure(v); f != nil {
		d.Add(f)
	}
	if len(found.Disks) > 0 {
		d.Add(v.diskTable())
	}
	if t := v.changeTable(); t != nil {
		d.Add(t)
	}
	for _, w := range found.Warnings {
		if w.Code != "partial" {
			d.Add(Warning{w.Text})
		}
	}
	files := v.ofFiles()
	for _, fold := range []*Details{
		{Title: "Latency", Printed: true, Blocks: blocks(v.latencyTable(), latencyFigure(v))},
		{Title: "Who was active when", Printed: true, Blocks: blocks(v.recoveryTable(), v.stages())},
		{Title: "Links and the disks' own meters", Printed: true, Blocks: blocks(v.linksTable(), gaugeFigure(v))},
		{Title: "File by file", Blocks: blocks(sizeFigure(files), bytesFigure(files), spreadFigure(files), v.filesTable())},
		{Title: "Each stream", Blocks: blocks(v.eachStream())},
		{Title: "Methods: other averages, other tools' rules", Blocks: blocks(v.averages(), v.rules())},
		v.fileList(),
	} {
		if fold != nil && len(fold.Blocks) > 0 {
			d.Add(fold)
		}
	}
	for _, f := range Collect[*Figure](d.Blocks) {
		f.Phase = found.Title
	}
	for _, t := range Collect[*Table](d.Blocks) {
		t.Phase = found.Title
	}
	return d
}

// blocks are tables and figures but for those that have nothing to show.
func blocks(parts ...any) []Block {
	var out []Block
	for _, part := range parts {
		switch part := part.(type) {
		case *Table:
			if part != nil && len(part.Rows) > 0 {
				out = append(out, part)
			}
		case *Figure:
			if part != nil {
				out = append(out, part)
			}
		}
	}
	return out
}

// without is a disk's rate without the others as the analysis found it, and how the run shows it; nil if it does not.
type without struct {
	rate float64 // bytes per second
	kept *float64
	ci   *analysis.Interval // of kept
	from string             // "alone in W--", "without C"
}

func withoutOthers(found *analysis.Phase, disk string) *without {
	if found.Contention == nil || found.Paced[disk].Limited() {
		return nil
	}
	c, ok := found.Contention.Disks[disk]
	if !ok || c.ReferenceRate == nil || *c.ReferenceRate <= 0 {
		return nil
	}
	return &without{*c.ReferenceRate, c.Retention, c.RetentionCI, pick(c.Reference == analysis.ReferenceLater, "without ", "alone in ") + shorten(c.ReferenceFrom, longest)}
}

// diskTable is a row per disk, all of it of the overlap; without one, of the whole phase.
func (v *phaseView) diskTable() *Table {
	o := v.found.Overlap
	t := &Table{ID: "disks", Title: "Disk by disk", Columns: []Column{
		{Head: "Disk"}, {Head: "Does"}, {Head: v.scale.Unit, Numbers: true}, {Head: "±", Numbers: true, Drop: 2}, {Head: "Share", Numbers: true, Drop: 3},
		{Head: "Kept", Numbers: true}, {Head: "Reference", Numbers: true, Drop: 1}, {Head: "Recovered in", Numbers: true, Drop: 5}, {Head: "Bytes", Numbers: true, Drop: 4},
	}}
	together := o != nil && len(o.Disks) > 1
	for _, key := range v.working() {
		stats := v.found.Disks[key.Name]
		row := []Cell{{Disk: &key}, {Text: v.work(key.Name)}, {Text: v.scale.maybe(stats.Rate), Strong: true}, {}, {}, {}, {}, {}, {Text: unit.FormatBytes(stats.Bytes)}}
		if o != nil {
			part := o.Disks[key.Name]
			row[2].Text, row[3].Text, row[8].Text = v.scale.Number(part.Rate), v.scale.margin(part.CI95, part.Rate), unit.FormatBytes(part.Bytes)
			if t := stats.Throttle; t != nil {
				row[2].Small = v.scale.Number(t.FromRate) + ", then " + v.scale.Number(t.ToRate)
			} else if part.ReadRate > 0 {
				row[2].Small = v.readAndWritten(part.ReadRate, part.Rate-part.ReadRate)
			}
			if together {
				row[4].Text = percent(part.Share)
			}
		}
		w := withoutOthers(v.found, key.Name)
		switch {
		case v.limited(key.Name) && len(v.working()) > 1:
			row[3], row[5] = Cell{}, Cell{Text: none, Small: ownPace, NoReference: true}
		case w != nil:
			row[6] = Cell{Text: v.scale.Number(w.rate), Small: w.from}
			if w.kept != nil {
				row[5] = Cell{Text: keptText(*w.kept, w.ci), Heat: w.kept}
			}
		case together:
			row[5] = Cell{Text: "no reference", NoReference: true}
		}
		longest := -1.0
		for _, r := range v.found.Recoveries {
			if r.Disk == key.Name && r.LagS != nil && *r.LagS > longest {
				longest = *r.LagS
				row[7].Text = say.Seconds(longest)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if o == nil {
		t.Note = "Of the whole phase: bytes over the time with a file in transfer."
		return t
	}
	if together {
		sum := []Cell{{Text: "together"}, {}, {Text: v.scale.Number(o.Rate), Strong: true}, {Text: v.scale.margin(o.CI95, o.Rate)}, {}, {}, {}, {}, {Text: unit.FormatBytes(o.Bytes)}}
		if o.ReadRate > 0 && o.WriteRate > 0 {
			sum[2].Small = v.readAndWritten(o.ReadRate, o.WriteRate)
		}
		t.Rows = append(t.Rows, sum)
	}
	t.Note = v.overlapNote(t)
	return t
}

func (v *phaseView) readAndWritten(read, written float64) string {
	return v.scale.Number(read) + " read + " + v.scale.Number(written) + " written"
}

// keptText is the part of its rate that a disk kept, with half its interval: "47 ± 1 %".
func keptText(kept float64, ci *analysis.Interval) string {
	if ci == nil {
		return percent(kept)
	}
	return fmt.Sprintf("%.0f ± %.0f %%", 100*kept, math.Ceil(50*(ci[1]-ci[0])-1e-9))
}

// overlapNote says what the numbers of the disks' table are.
func (v *phaseView) overlapNote(t *Table) string {
	o := v.found.Overlap
	note := "In the overlap of " + unit.FormatSeconds(o.DurationS) + ", from " + Clock(o.StartS, o.EndS) + " to " + Clock(o.EndS, o.EndS) + " s."
	if o.CI95 != nil {
		note += " ±: half the 95 % confidence interval"
		if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return strings.Contains(row[3].Text, " to ") }) {
			note += ", or if that is more than the rate itself the interval from low to high"
		}
		note += "."
	}
	if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[5].Heat != nil }) {
		note += " Kept: part of the rate without the others"
		note += pick(slices.ContainsFunc(v.working(), func(k Key) bool { return keptElsewhere(v.found, k.Name) }), ", in the time between changes.", ".")
	}
	if len(o.Disks) > 1 && len(v.free()) > 1 {
		note += " Jain's fairness index: " + strconv.FormatFloat(o.Jain, 'f', 2, 64) + "."
	}
	if len(o.Disks) > 1 && len(v.free()) < len(o.Disks) {
		note += " " + ownPaceNote
	}
	return note
}

// keptElsewhere reports whether what a disk kept is of another rate than the overlap's: rates are held against each other
// between changes. Less than a twentieth is not worth a word, and results of older versions do not have it.
func keptElsewhere(found *analysis.Phase, disk string) bool {
	if withoutOthers(found, disk) == nil {
		return false
	}
	rate := found.Contention.Disks[disk].Rate
	return rate > 0 && math.Abs(rate/found.Overlap.Disks[disk].Rate-1) >= 0.05
}

// recoveryTable is what each disk gained after another ended.
func (v *phaseView) recoveryTable() *Table {
	t := &Table{Title: "Recovery", Columns: []Column{
		{Head: "Disk"}, {Head: "After"}, {Head: "At, s", Numbers: true}, {Head: "Took", Numbers: true}, {Head: "From, " + v.scale.Unit, Numbers: true}, {Head: "To, " + v.scale.Unit, Numbers: true},
	}}
	for _, r := range v.found.Recoveries {
		key, took := v.key(r.Disk), r.Reason
		if r.LagS != nil {
			took = say.Seconds(*r.LagS)
		}
		t.Rows = append(t.Rows, []Cell{{Disk: &key}, {Text: v.key(r.After).Label + " ended"}, {Text: Clock(r.AtS, r.AtS)}, {Text: took}, {Text: v.scale.Number(r.FromRate)}, {Text: v.scale.maybe(r.ToRate)}})
	}
	return t
}

// maxStages is how many stages are listed: more are of use to no one.
const maxStages = 60

// stages lists them but for those too short to matter, mostly the workers' different starts; nil if that leaves one.
func (v *phaseView) stages() *Table {
	t := &Table{ID: "stages", Title: "Stages", Columns: []Column{{Head: "From, s", Numbers: true}, {Head: "To, s", Numbers: true}, {Head: "Active"}, {Head: "Together, " + v.scale.Unit, Numbers: true}}}
	short := 0
	for _, s := range v.found.Stages {
		if s.EndS-s.StartS < v.endS/1000 || len(t.Rows) == maxStages {
			short++
			continue
		}
		names := make([]string, len(s.Active))
		for i, name := range s.Active {
			names[i] = v.key(name).Label
		}
		t.Rows = append(t.Rows, []Cell{{Text: Clock(s.StartS, v.endS)}, {Text: Clock(s.EndS, v.endS)}, {Text: strings.Join(names, ", ")}, {Text: v.scale.Number(s.Rate)}})
	}
	if len(t.Rows) < 2 {
		return nil
	}
	if short > 0 {
		t.Note = unit.Plural(short, "shorter stage") + " left out."
	}
	return t
}

// rules are what other tools would say of the phase; nil if there is nothing to disagree about.
func (v *phaseView) rules() *Table {
	s, o := v.found.OtherToolRates, v.found.Overlap
	if s == nil || o == nil || len(o.Disks) < 2 {
		return nil
	}
	t := &Table{ID: "rules", Title: "The same by the rules of other tools", Columns: []Column{{Head: "Rule"}, {Head: v.scale.Unit, Numbers: true}}}
	for _, rule := range []struct {
		text string
		rate *float64 // nil if the rule does not apply
	}{
		{"hubbench: bytes in the overlap over its length", &o.Rate},
		{"fio's group: all bytes over the longest job's time", s.FioRate},
		{"fio's group of readers: their bytes over the longest reader's time", s.FioReadRate},
		{"fio's group of writers: their bytes over the longest writer's time", s.FioWriteRate},
		{"each job's own rate, added up", &s.SoloSumRate},
		{"elbencho, first done: up to the first disk's end", &s.FirstDoneRate},
		{"elbencho, last done: up to the last disk's end", &s.LastDoneRate},
	} {
		if rule.rate != nil {
			t.Rows = append(t.Rows, []Cell{{Text: rule.text}, {Text: v.scale.Number(*rule.rate), Strong: len(t.Rows) == 0}})
		}
	}
	return t
}
