package html

import (
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
)

// Lines at one height share a label with a mark for each of their disks, whichever disks are left
// out; the chart's own keys stay as they are.
func TestLabelsOfOneHeight(t *testing.T) {
	c := &report.Chart{X: report.Axis{Max: 10}, Y: report.Axis{Max: 4}}
	for i, at := range []float64{1, 1.1, 3, 0.9} {
		c.Keys = append(c.Keys, report.LegendKey{Label: string(rune('A' + i)), Index: i})
		c.Marks = append(c.Marks, report.Mark{At: at, Key: i, Text: "level"})
	}
	labels := func(keys []report.LegendKey) (out string) {
		for _, key := range keys {
			out += key.Label
		}
		return out
	}
	var got []string
	for _, l := range newTimePlot(c).Labels {
		got = append(got, labels(l.Keys))
	}
	check.Same(t, "labels", []string{"ABD", "C"}, got)
	check.Same(t, "the chart's keys", "ABCD", labels(c.Keys))
}
