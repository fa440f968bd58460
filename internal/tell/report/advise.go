package report

import (
	"github.com/hubbench/hubbench/pkg/advise"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfAnswer says whether streams survive what other disks do, how sure that is, and what to change.
func OfAnswer(a *advise.Answer) *Document {
	doc := &Document{Kind: "advice", Title: "Hub " + a.Profile, Unit: "MB/s", Data: a}
	var changes []string
	for _, change := range a.Advice {
		changes = append(changes, change.Text)
	}
	t := &Table{
		Title: "Streams",
		Note:  "By the profile's own figures, for " + unit.FormatSeconds(a.ForS) + ".",
		Columns: []Column{
			{Head: "Disk"}, {Head: "Does"}, {Head: "Streams"}, {Head: "Each", Drop: 1}, {Head: "Late", Numbers: true}, {Head: "Of", Numbers: true},
			{Head: "Longest stall", Numbers: true, Drop: 2}, {Head: "Lowest buffer", Numbers: true}, {Head: "Verdict"},
		},
	}
	for _, s := range a.Streams {
		t.Rows = append(t.Rows, []Cell{
			{Text: s.Disk}, {Text: pick(s.Op == trace.Write, "records", "plays")}, {Text: stream.Spec{Kind: s.Kind, Count: s.Count}.String()},
			{Text: unit.FormatRate(s.Rate)}, {Text: unit.FormatCount(s.Late)}, {Text: unit.FormatCount(s.Due)}, {Text: unit.FormatSeconds(s.LongestStallS)},
			{Text: unit.FormatSeconds(s.LowestBufferS), Small: "of " + unit.FormatSeconds(s.BufferS)}, verdictCell(s.Verdict),
		})
	}
	doc.Answer = &Answer{Headline: a.Texts.Answer, Sure: a.Texts.Sure}
	if a.Texts.Sure != "" { // else what would become of the streams is not known
		doc.Answer.Table = t
	}
	addList(doc, "What makes it a yes, each by itself", changes)
	addList(doc, "Taken for granted", append([]string{
		"This is computed from a model, with its uncertainty. A search (hubbench run with search:) tries streams for some seconds on the disks as they are, and may find one or two more.",
	}, a.Texts.Assumptions...))
	return doc
}
