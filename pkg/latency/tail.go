package latency

// Tail is a quantile of some requests and when they exceeded it. Requests that are slow come together, so how certain
// a quantile is depends on how the number of requests above it varies over time, and not on the number of requests
// (Woodruff, "Confidence Intervals for Medians and Other Position Measures", Journal of the American Statistical
// Association 47, 1952).
type Tail struct {
	NS    int64   // the quantile
	Share float64 // of the requests that exceed it: 0.01 for p99
	// In each stretch of time, how many requests exceed it beyond what the stretch has by its number of requests, as a
	// share of how many requests a stretch has on average. Requests in the quantile's own bucket count in part, so that
	// the mean is nothing.
	Above []float64
	Worth float64 // from about how many stretches the requests above it come
}

// Tails are the quantiles that some shares of requests exceed. A stretch of time is some counts, and all counts the
// requests of all of them; it must not be empty.
func Tails(stretches [][]Counts, all *Histogram, shares ...float64) []Tail {
	type counted struct{ n, above, at float64 } // requests, of these above the quantile, and in its bucket
	tails, counts, on := make([]Tail, len(shares)), make([][]counted, len(shares)), make([]int, len(shares))
	for i, share := range shares {
		tails[i] = Tail{NS: all.Quantile(1 - share), Share: share, Above: make([]float64, len(stretches))}
		counts[i], on[i] = make([]counted, len(stretches)), bucketOf(tails[i].NS)
	}
	for k, list := range stretches {
		for _, c := range list {
			_, _, _ = c.scan(func(bucket int, n uint64) {
				for i, at := range on {
					s := &counts[i][k]
					s.n += float64(n)
					switch {
					case bucket > at:
						s.above += float64(n)
					case bucket == at:
						s.at += float64(n)
					}
				}
			})
		}
	}
	for i := range tails {
		t := &tails[i]
		var total counted
		for _, s := range counts[i] {
			total = counted{total.n + s.n, total.above + s.above, total.at + s.at}
		}
		part := (t.Share*total.n - total.above) / total.at
		var sum, squares float64
		for k, s := range counts[i] {
			exceed := s.above + part*s.at
			sum, squares = sum+exceed, squares+exceed*exceed
			t.Above[k] = (exceed - t.Share*s.n) * float64(len(stretches)) / total.n
		}
		t.Worth = sum * sum / squares
	}
	return tails
}
