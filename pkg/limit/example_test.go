package limit_test

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Whether a run holds what it must.
func ExampleCheck() {
	var events strings.Builder
	file := `{"type":"file","phase":"W","disk":"A","op":"write","seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}` + "\n"
	for i := range 20 {
		fmt.Fprintf(&events, file, i, 1_500_000_000+i%3*10_000_000, i*1_000_000_000,
			i*1_000_000_000+999_000_000)
	}
	run, err := trace.Load(strings.NewReader(events.String()), "events.jsonl")
	if err != nil {
		panic(err)
	}
	limits, err := scenario.LoadLimits("limits.yaml",
		[]byte("version: 1\nexpect: [{disk: A, rate: {min: 1.2 GB/s}}]"))
	if err != nil {
		panic(err)
	}
	for _, r := range limit.Check(analysis.Analyze(run, analysis.Options{}), limits,
		limit.History{}) {
		fmt.Println(r.Phase, r.Disk, r.Measure, r.Bounds+":", r.Verdict)
	}
	// Output:
	// W A rate at least 1.20 GB/s: pass
}
