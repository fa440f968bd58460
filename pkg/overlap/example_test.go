package overlap_test

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How much two disks moved while both were busy.
func Example() {
	second := int64(1e9)
	a := &trace.DiskRecord{Name: "A", Files: []trace.File{
		{Bytes: 4e9, EndNS: 4 * second},
		{Bytes: 2e9, StartNS: 5 * second, EndNS: 7 * second},
	}}
	b := &trace.DiskRecord{
		Name: "B", Files: []trace.File{{Bytes: 6e9, StartNS: 1 * second, EndNS: 7 * second}},
	}

	var active [][]overlap.Span
	for _, disk := range []*trace.DiskRecord{a, b} {
		active = append(active, overlap.Active(disk, overlap.DefaultGapNS))
	}
	window := overlap.Window(overlap.Stages(active), len(active))
	fmt.Printf("both busy for %.0f s\n", overlap.Seconds(window))
	for _, disk := range []*trace.DiskRecord{a, b} {
		moved := overlap.NewCurve(disk).BytesIn(window)
		fmt.Printf("%s moved %.1f GB\n", disk.Name, float64(moved)/1e9)
	}
	// Output:
	// both busy for 5 s
	// A moved 5.0 GB
	// B moved 5.0 GB
}
