package trend_test

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/trend"
)

// Since when a rate that is measured every day has been another.
func ExampleStretches() {
	var points []trend.Point
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 {
		rate := 2.30e9 + 0.02e9*float64(i%3)
		if i >= 12 {
			rate -= 0.30e9
		}
		points = append(points, trend.Point{Run: fmt.Sprint("run ", i+1),
			Started: day.AddDate(0, 0, i), Rate: rate})
	}
	for _, s := range trend.Stretches(points, 1) {
		fmt.Printf("%d runs since %s: %.2f GB/s\n", s.Runs, s.From.Format("2 January"), s.Mean/1e9)
	}
	// Output:
	// 12 runs since 1 March: 2.32 GB/s
	// 8 runs since 13 March: 2.02 GB/s
}
