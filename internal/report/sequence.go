package report

import (
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// sequence is who was active when, what each disk gained after another ended, and what other rules would say.
func (v *phaseView) sequence() *Details {
	d := &Details{Title: "Who was active when, recoveries, other tools' rules"}
	if len(v.found.Recoveries) > 0 {
		t := &Table{Title: "Recovery", Columns: []Column{
			{Head: "Disk"}, {Head: "After"}, {Head: "At, s", Numbers: true}, {Head: "Took", Numbers: true}, {Head: "From, " + v.scale.Unit, Numbers: true}, {Head: "To, " + v.scale.Unit, Numbers: true},
		}}
		for _, r := range v.found.Recoveries {
			key, took := v.key(r.Disk), r.Reason
			if r.LagS != nil {
				took = lagText(*r.LagS)
			}
			t.Rows = append(t.Rows, []Cell{{Disk: &key}, {Text: v.key(r.After).Label + " ended"}, {Text: Clock(r.AtS, r.AtS)}, {Text: took}, {Text: v.scale.Number(r.FromRate)}, {Text: v.scale.maybe(r.ToRate)}})
		}
		d.Add(t)
	}
	if t := v.stages(); len(t.Rows) > 0 {
		d.Add(t)
	}
	if s, o := v.found.OtherToolRates, v.found.Overlap; s != nil && o != nil && len(o.Disks) > 1 {
		t := &Table{ID: "rules", Title: "The same by the rules of other tools", Columns: []Column{{Head: "Rule"}, {Head: v.scale.Unit, Numbers: true}}}
		for _, rule := range []struct {
			text string
			rate *float64 // nil where the rule does not apply
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
		d.Add(t)
	}
	return d
}

// maxStages is how many stages are listed: more are of use to no one.
const maxStages = 60

// stages lists them but for those too short to matter, mostly the workers' different starts.
func (v *phaseView) stages() *Table {
	t := &Table{ID: "stages", Title: "Who was active when", Columns: []Column{{Head: "From, s", Numbers: true}, {Head: "To, s", Numbers: true}, {Head: "Active"}, {Head: "Together, " + v.scale.Unit, Numbers: true}}}
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
	if short > 0 {
		t.Note = unit.Plural(short, "shorter stage") + " left out."
	}
	return t
}

// maxListed is how many files of a phase are listed one by one; more are to be had as CSV.
const maxListed = 500

// fileList lists the phase's files, nil where there are none or too many.
func (v *phaseView) fileList() *Details {
	total := 0
	for _, l := range v.lanes {
		total += len(l.files)
	}
	if total == 0 {
		return nil
	}
	d := &Details{Title: "All " + unit.FormatCount(total) + " files"}
	if total > maxListed {
		d.Add(Sentence{Text: "Too many to list here; hubbench report --format csv writes them all."})
		return d
	}
	t := &Table{Title: "All files", Columns: []Column{
		{Head: "Disk"}, {Head: "Number", Numbers: true}, {Head: "Size", Numbers: true}, {Head: "From, s", Numbers: true}, {Head: "To, s", Numbers: true}, {Head: v.scale.Unit, Numbers: true},
	}}
	for i := range v.lanes {
		for _, f := range v.lanes[i].files {
			if !f.filler {
				t.Rows = append(t.Rows, []Cell{
					{Text: v.lanes[i].key.Label}, {Text: strconv.Itoa(f.seq + 1)}, {Text: unit.FormatBytes(int64(f.bytes))},
					{Text: strconv.FormatFloat(f.startS, 'f', 3, 64)}, {Text: strconv.FormatFloat(f.endS, 'f', 3, 64)}, {Text: v.scale.Number(f.rate)},
				})
			}
		}
	}
	d.Add(t)
	return d
}
