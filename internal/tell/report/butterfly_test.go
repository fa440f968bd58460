package report

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A comparison shows the load of its headline on both hubs, and outputs that draw one hub show its
// rows.
func TestBothHubs(t *testing.T) {
	c := fixture.Comparison()
	page := OfComparison(c).Page
	flow := page.Hero.(*Flow)
	if len(flow.States) != 1 || flow.States[0].Title != "All write" || len(flow.Runs) != 2 {
		t.Fatalf("states %+v", flow.States)
	}
	s := &flow.States[0]
	check.Same(t, "together", []string{"2.84 GB/s", "2.80 GB/s", "−1.2%"},
		[]string{s.Total.Text, s.Then.Text, s.Change.Text})
	a := &s.Disks[0]
	check.Same(t, "A", []string{"A", "writes", "0.742", "0.705", "−5.0%"},
		[]string{a.Label, a.Verb, a.Value.Text, a.Then.Text, a.Keeps.Text})
	if a.Keeps.Tone != Bad || s.Disks[1].Keeps.Tone != Unsigned || s.Change.Tone != Unsigned {
		t.Error("only the change of A is a loss")
	}
	if page.Plain() != Hero(flow.Rows) {
		t.Errorf("without a second hub there is %T", page.Plain())
	}
	rates := c.Pairs[0].Phases[0].Rates
	for i := range rates {
		if rates[i].Disk == "" && rates[i].Measure == compare.Window {
			c.Pairs[0].Phases[0].Rates = append(rates[:i:i], rates[i+1:]...)
		}
	}
	if s := OfComparison(c).Page.Hero.(*Flow).States[0]; s.Total.Text != "" {
		t.Errorf("a sum that has no rate is %q", s.Total.Text)
	}
}
