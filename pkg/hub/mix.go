package hub

// mixes reports whether it reads and writes at once.
func (m *member) mixes() bool { return m.writes > 0 && m.writes < 1 }

// take is the rate at which it moves with its claims' shares, and the shares of those after it. One that reads and writes
// goes as fast as the direction that is shorter of what it needs.
func (m *member) take(shares []float64) (rate float64, rest []float64) {
	if !m.mixes() {
		return shares[0], shares[1:]
	}
	return min(shares[0]/(1-m.writes), shares[1]/m.writes), shares[2:]
}

// balance lets those who read and write at once want no more in one direction than goes with what they get in the other:
// each as much as it gets in both, which is found by bisection. The shares are then those of what they want.
func (s *Sim) balance() {
	const nearly, negligible = 1e-10, 1e-6 // of a rate
	i := 0
	for _, m := range s.hubbed {
		if !m.mixes() {
			i++
			continue
		}
		gets := func(rate float64) bool {
			claims := s.claims[i : i+2]
			claims[0].Want, claims[1].Want = rate*(1-m.writes), rate*m.writes
			ShareInto(s.profile.Capacity, s.claims, s.shares)
			return s.shares[i] >= claims[0].Want*(1-nearly) && s.shares[i+1] >= claims[1].Want*(1-nearly)
		}
		high := m.want(m.cap())
		if !gets(high) {
			low := negligible * high
			for high-low > nearly*high {
				if middle := (low + high) / 2; gets(middle) {
					low = middle
				} else {
					high = middle
				}
			}
			gets(low)
		}
		i += 2
	}
}
