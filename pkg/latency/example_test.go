package latency_test

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/latency"
)

// How long requests took: half of them, and all but one in a hundred.
func Example() {
	h := latency.New()
	for i := range 1000 {
		took := 80 * time.Microsecond
		if i%50 == 0 {
			took = 12 * time.Millisecond
		}
		latency.Record(h, took.Nanoseconds(), 1)
	}
	for _, q := range []float64{0.5, 0.99} {
		fmt.Printf("p%g: %v\n", 100*q,
			time.Duration(h.ValueAtPercentile(100*q)).Round(10*time.Microsecond))
	}
	// Output:
	// p50: 80µs
	// p99: 12ms
}
