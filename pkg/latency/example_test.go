package latency_test

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/latency"
)

// How long requests took: half of them, and all but one in a hundred.
func Example() {
	var h latency.Histogram
	for i := range 1000 {
		took := 80 * time.Microsecond
		if i%50 == 0 {
			took = 12 * time.Millisecond
		}
		h.Record(took.Nanoseconds())
	}
	for _, q := range []float64{0.5, 0.99} {
		fmt.Printf("p%g: %v\n", 100*q, time.Duration(h.Quantile(q)).Round(time.Microsecond))
	}
	// Output:
	// p50: 80µs
	// p99: 12ms
}
