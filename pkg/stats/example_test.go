package stats_test

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/stats"
)

// The mean of rates that were measured one after another, with the margin of error that their noise
// leaves, if there are enough.
func Example() {
	var rates []float64
	for i := range 60 {
		rates = append(rates, 1.5+0.02*float64(i%7)-0.03*float64(i%3))
	}
	mean, ok := stats.MeanOf(rates, len(rates))
	fmt.Printf("%.3f GB/s ± %.3f, %t\n", mean.Mean, mean.Interval().Half(), ok)
	// Output:
	// 1.528 GB/s ± 0.005, true
}
