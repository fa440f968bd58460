package compare_test

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Whether a disk became slower from one run to the next.
func ExampleRuns() {
	var runs []compare.Input
	for i, each := range []int{900_000_000, 700_000_000} {
		var events strings.Builder
		for seq := range 40 {
			fmt.Fprintf(&events, `{"type":"file","phase":"W","disk":"A","op":"write","seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}`+"\n",
				seq, each+seq%5*5_000_000, seq*1e9, seq*1e9+999_000_000)
		}
		run, err := trace.Load(strings.NewReader(events.String()), "events.jsonl")
		if err != nil {
			fmt.Println(err)
			return
		}
		runs = append(runs, compare.Input{Label: []string{"before", "after"}[i], Trace: run,
			Analysis: analysis.Analyze(run, analysis.Options{})})
	}
	for _, phase := range compare.Runs(runs[0], runs[1]).Pairs[0].Phases {
		for _, rate := range phase.Rates {
			fmt.Printf("%s %s, %s: %.0f%%, %s\n", phase.Title, rate.Disk, rate.Measure,
				100**rate.Change, rate.Verdict)
		}
	}
	// Output:
	// A writes A, window: -22%, slower
}
