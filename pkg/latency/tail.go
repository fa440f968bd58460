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
	tails := make([]Tail, len(shares))
	for i, share := range shares {
		tails[i] = Tail{NS: all.Quantile(1 - share), Share: share}
	}
	counted := make([]stretch, len(stretches))
	for k, list := range stretches {
		counted[k] = stretch{above: make([]float64, len(tails)), at: make([]float64, len(tails))}
		for _, counts := range list {
			counted[k].add(counts, tails)
		}
	}
	for i := range tails {
		tails[i].count(counted, i)
	}
	return tails
}

// stretch counts the requests of a stretch of time, and those above each quantile and in its bucket.
type stretch struct {
	n         float64
	above, at []float64
}

func (s *stretch) add(counts Counts, tails []Tail) {
	counts.Each(func(lowNS, highNS, n int64) {
		s.n += float64(n)
		for i := range tails {
			switch t := &tails[i]; {
			case highNS < t.NS:
			case lowNS > t.NS:
				s.above[i] += float64(n)
			default:
				s.at[i] += float64(n)
			}
		}
	})
}

// count fills in what the stretches say of the quantile with an index.
func (t *Tail) count(stretches []stretch, index int) {
	var total, above, at float64
	for _, s := range stretches {
		total, above, at = total+s.n, above+s.above[index], at+s.at[index]
	}
	part := (t.Share*total - above) / at
	t.Above = make([]float64, len(stretches))
	var sum, squares float64
	for i, s := range stretches {
		exceed := s.above[index] + part*s.at[index]
		sum, squares = sum+exceed, squares+exceed*exceed
		t.Above[i] = (exceed - t.Share*s.n) * float64(len(stretches)) / total
	}
	t.Worth = sum * sum / squares
}
