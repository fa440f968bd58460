package latency

// Tail is a quantile of some requests and when they exceeded it. Requests that are slow come
// together, so how certain a quantile is depends on how the number of requests above it varies over
// time, and not on the number of requests (Woodruff, "Confidence Intervals for Medians and Other
// Position Measures", Journal of the American Statistical Association 47, 1952).
type Tail struct {
	NS    int64   // the quantile
	Share float64 // share of the requests that exceed it: 0.01 for p99
	// In each stretch of time, how many requests exceed it beyond what the stretch has by its
	// number of requests, as a share of how many requests a stretch has on average. Requests in the
	// quantile's own bucket count in part, so that the mean is nothing.
	Above []float64
	Worth float64 // from about how many stretches the requests above it come
}

// NewTail returns the quantile that a share of requests exceeds. A stretch of time is some
// histograms, and all holds the requests of all of them; it must not be empty.
func NewTail(stretches [][]*Histogram, all *Sum, share float64) Tail {
	t := Tail{
		NS: all.ValueAtQuantile(100 * (1 - share)), Share: share,
		Above: make([]float64, len(stretches)),
	}
	// These count requests, by stretch: those above the quantile's bucket, and those in it.
	above, within := make([]float64, len(stretches)), make([]float64, len(stretches))
	var allAbove, allWithin float64
	for k, list := range stretches {
		var requests int64
		for _, h := range list {
			requests += h.TotalCount()
			within[k] += float64(h.CountAtValue(t.NS))
			for ns, n := range h.ForEachBucket {
				if ns > t.NS {
					above[k] += float64(n)
				}
			}
		}
		t.Above[k] = -share * float64(requests)
		allAbove += above[k]
		allWithin += within[k]
	}
	total := float64(all.TotalCount())
	part := (share*total - allAbove) / allWithin
	var sum, squares float64
	for k := range stretches {
		exceed := above[k] + part*within[k]
		sum += exceed
		squares += exceed * exceed
		t.Above[k] = (t.Above[k] + exceed) * float64(len(stretches)) / total
	}
	t.Worth = sum * sum / squares
	return t
}
