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
		"<title>results/after compared with results/before – hubbench</title>", "connection, A in WWW: hub → direct", "1 of 3 rates fell", "1 of 3 rates changed", "slower",
		"5 files lie completely in the overlap", "Request latency", "15.9 ms", "only 812 requests ended in the overlap",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	two := fixture.Comparison()
	two.Pairs = append(two.Pairs, two.Pairs[0])
	if !strings.Contains(compared(t, two, standIn), "2 runs below") {
		t.Error("a page of two runs does not lead to them")
	}
	var got compare.Comparison
	check.Must(t, json.Unmarshal([]byte(between(t, text, `id="hubbench-comparison">`, "</script>")), &got))
	check.Same(t, "the page's data, as the comparison", c, &got,
		cmpopts.IgnoreUnexported(compare.Test{}, compare.Phase{}), cmpopts.IgnoreFields(compare.Phase{}, "Work"))
	if n := strings.Count(compared(t, c, nil), "xml;base64,"); n != 1 {
		t.Errorf("%d pictures without the library, want that of the changes", n)
	}
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
		check.Same(t, fmt.Sprintf("elements under the name %q, as under a plain one", name), tags("plain"), tags(name))
	}
}
