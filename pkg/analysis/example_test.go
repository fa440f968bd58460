package analysis_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// From the events of a run to who got how much while all were busy.
func ExampleAnalyze() {
	var events strings.Builder
	file := `{"type":"file","phase":%q,"disk":%q,"op":"write","seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}` + "\n"
	for i := range 20 {
		at := i * 1_000_000_000
		fmt.Fprintf(&events, file, "WW", "A", i, 700_000_000+i%3*10_000_000, at, at+999_000_000)
		fmt.Fprintf(&events, file, "WW", "B", i, 1_900_000_000+i%4*10_000_000, at, at+999_000_000)
	}
	fmt.Fprintf(&events, file, "WW-2", "A", 0, 700_000_000, 0, 999_000_000)
	fmt.Fprintf(&events, file, "WW-2", "B", 0, 1_900_000_000, 5_000_000_000, 5_999_000_000)
	run, err := trace.Load(strings.NewReader(events.String()), "events.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, phase := range analysis.Analyze(run, analysis.Options{}).Phases {
		if phase.Overlap == nil {
			fmt.Println(phase.Title + ": the disks were never busy at the same time")
			continue
		}
		fmt.Printf("%s: all busy for %.0f s, %.2f GB/s\n", phase.Title, phase.Overlap.DurationS,
			phase.Overlap.Rate/1e9)
		for _, name := range []string{"A", "B"} {
			disk := phase.Overlap.Disks[name]
			fmt.Printf("%s: %.2f GB/s, %.0f%% of it\n", name, disk.Rate/1e9, 100*disk.Share)
		}
	}
	// Output:
	// A and B write: all busy for 20 s, 2.62 GB/s
	// A: 0.71 GB/s, 27% of it
	// B: 1.92 GB/s, 73% of it
	// A and B write (2): the disks were never busy at the same time
}

// The events of a run to what they come to, in words.
func ExampleAnalyze_findings() {
	events, err := os.Open("testdata/events.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close()
	run, err := trace.Load(events, "events.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	a := analysis.Analyze(run, analysis.Options{})
	fmt.Println(a.Answer.Headline)
	for _, finding := range a.Findings {
		fmt.Println("-", finding.Text)
	}
	// Output: C crowds out A: it drops to 52% when both write
	// - A and C write: C took bandwidth from A: 0.769 GB/s instead of 1.47 without it.
	// - A and C write: A recovered 3.9 s after C had ended (from 0.769 GB/s to 1.36 GB/s).
	// - A and C write: C dropped to 2.41 GB/s, 86% of the 2.80 GB/s baseline.
}
