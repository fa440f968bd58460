package html

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func compared(t *testing.T, c *compare.Comparison, charts []byte) string {
	t.Helper()
	return string(pageOf(t, report.OfComparison(c), nil, charts))
}

func TestComparisonPage(t *testing.T) {
	t.Parallel()
	c := fixture.Comparison()
	text := compared(t, c, standIn)
	for _, want := range []string{
		"<title>after against before: A writes 5.0% slower when both write (all write) (hubbench)</title>", "connection, A in WWW: hub → direct",
		"Of 3 speeds, 1 fell", `class="rows two-axes"`, `class="bar side2"`, `class="hub fly`, "slower", "Each disk in all 2 phases",
		"one or two files took almost all of the time", "p99 latency", "15.9 ms",
		"only 812 requests ended in the overlap",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if page := compared(t, fixture.Ranking(3), standIn); !strings.Contains(page, "<h1>dock 1 is the fastest: 2.0% more than dock 2</h1>") ||
		!strings.Contains(page, "All 2 other runs") || !strings.Contains(page, "<bdi>3. dock 3</bdi>") {
		t.Error("a page of three runs does not rank them, with details for each")
	}
	c.Pairs[0].Phases[0].Rates[0].Outcome = compare.Fell
	c.Gate = &compare.Gate{Limit: 0.04, Outcome: compare.CrossedIt, Rates: 5, Fell: 1,
		CannotTell: 4}
	if page := compared(t, c, standIn); !strings.Contains(page, `<h1><span class="bad">✗ Gate failed:</span> A writes 5.0% slower`) || !strings.Contains(page, "1 of 5") {
		t.Error("a gate that failed does not take the headline")
	}
	none := fixture.Comparison()
	none.Pairs[0].Phases = none.Pairs[0].Phases[1:]
	if page := compared(t, none, standIn); !strings.Contains(page, "<h1>There are no rates to compare</h1>") || strings.Contains(page, `class="rows`) || strings.Contains(page, "hub fly") {
		t.Error("a page without rates does not say so")
	}
	c = fixture.Comparison()
	var got compare.Comparison
	check.Must(t, json.Unmarshal([]byte(between(t, text, `id="hubbench-comparison">`, "</script>")), &got))
	check.Same(t, "the page's data, as the comparison", c, &got,
		cmpopts.IgnoreUnexported(compare.Test{}, compare.PhasePair{}, compare.Variation{}),
		cmpopts.IgnoreFields(compare.PhasePair{}, "Work"))
}

// Whatever a label, a phase or a disk is called, the page has the same elements.
func TestComparisonHostileNames(t *testing.T) {
	t.Parallel()
	tags := func(name string) []string {
		c := fixture.Comparison()
		c.Base.Label, c.Pairs[0].Label, c.Pairs[0].Name = name+"1", name+"2", name
		phase := &c.Pairs[0].Phases[0]
		phase.Name = name
		for i := range phase.Rates {
			if phase.Rates[i].Disk != "" {
				phase.Rates[i].Disk += name
			}
		}
		for i := range phase.Latencies {
			phase.Latencies[i].Disk += name
		}
		return regexp.MustCompile(`<(/?[a-zA-Z]+)`).FindAllString(compared(t, c, standIn), -1)
	}
	for _, name := range fixture.HostileNames() {
		check.Same(t, fmt.Sprintf("elements under the name %q, as under a plain one", name),
			tags("plain"), tags(name))
	}
}
