package form

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A picture of a whole document is the card of its answer; a chart by name is that chart alone.
func TestPictures(t *testing.T) {
	run := fixture.Triple()
	doc := report.OfRun(report.RunData{
		Trace: run, Analysis: analysis.Analyze(run, analysis.Options{}),
	})
	const card = `width="1200" height="630"`
	for _, test := range []struct {
		name, chart, phase, want string
		isCard                   bool
	}{
		{"all", "", "", doc.Page.Headline, true},
		{"the answer's chart", "answer", "", doc.Page.Chart().Title, false},
		{"a chart", "time", "", report.Collect[*report.Chart](doc.Phases()[0].Blocks)[0].Title, false},
		{"of a phase", "", doc.Phases()[1].Title, doc.Phases()[1].Title, false},
	} {
		form := &Form{Format: "svg", Chart: test.chart, Phase: test.phase}
		encode, err := form.Encoder(doc, nil, 0)
		check.Must(t, err)
		var out strings.Builder
		check.Must(t, encode(&out))
		if isCard := strings.Contains(out.String(), card); isCard != test.isCard {
			t.Errorf("%s: a card: %v, want %v", test.name, isCard, test.isCard)
		}
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: no %q", test.name, test.want)
		}
	}
}

// A table that every phase has is that of the answer's unless a phase is named.
func TestTableOfTheAnswer(t *testing.T) {
	run := fixture.Triple()
	doc := report.OfRun(report.RunData{
		Trace: run, Analysis: analysis.Analyze(run, analysis.Options{}),
	})
	first := doc.Phases()[0]
	doc.Page.Hero.(*report.Flow).States[0].ID = doc.Phases()[2].ID
	for phase, want := range map[string]*report.Details{"": doc.Phases()[2], first.Title: first} {
		table, err := find(doc, "table", "disks", phase, (*report.Table).Name)
		check.Must(t, err)
		if want := report.Collect[*report.Table](want.Blocks)[0]; table != want {
			t.Errorf("phase %q: the table of %s, want that of %s", phase, table.Phase, want.Phase)
		}
	}
}
