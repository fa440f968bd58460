package say_test

import (
	"fmt"
	"os"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The events of a run to what they come to, in words.
func ExampleAnalyze() {
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
	a := say.Analyze(run, analysis.Options{})
	fmt.Println(a.Answer.Headline)
	for _, finding := range a.Findings {
		fmt.Println("-", finding.Text)
	}
	// Output:
	// C crowds out A: it drops to 52 % when both write
	// - A and C write: C took bandwidth from A: 0.769 GB/s instead of an even split's 1.47 GB/s.
	// - A and C write: A recovered 4.02 s after C had ended (from 0.769 GB/s to 1.38 GB/s).
	// - A and C write: C dropped to 2.41 GB/s, 86 % of the 2.80 GB/s baseline.
	// - A and C write: by fio's rule (all bytes over the longest job's time) the rate would be 2.79 GB/s: 12 % less than the 3.18 GB/s the disks moved with all of them busy.
}
