package diskio

import "math/bits"

// shuffle is a random order of the numbers below n, each once, that takes no memory: a permutation of the
// smallest power of two that holds them, walked again wherever it leads outside (cycle walking; Black and
// Rogaway, CT-RSA 2002). Each step of mixing can be undone, so no two numbers meet.
type shuffle struct {
	n, mask, key uint64
	shift        uint
}

func newShuffle(n int64, key uint64) shuffle {
	width := max(bits.Len64(uint64(n-1)), 1)
	return shuffle{n: uint64(n), mask: 1<<width - 1, key: mix(key + gamma), shift: uint(width+1) / 2}
}

// at is the place i in the order.
func (s *shuffle) at(i int64) int64 {
	x := uint64(i)
	for {
		for round := range 3 {
			x = (x + s.key>>(16*round)) & s.mask
			x ^= x >> s.shift
			x = x * 0xbf58476d1ce4e5b9 & s.mask
			x ^= x >> s.shift
		}
		if x < s.n {
			return int64(x)
		}
	}
}
