package diskio

import "testing"

func TestShuffleTakesEachNumberOnce(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 7, 8, 9, 1000, 4096, 65537} {
		s := newShuffle(n, 1)
		seen := make([]bool, n)
		for i := range n {
			x := s.at(i)
			if x < 0 || x >= n || seen[x] {
				t.Fatalf("n = %d: at(%d) = %d, want a number below n not seen before", n, i, x)
			}
			seen[x] = true
		}
	}
}

// A random order has neighbours far apart: a third of the range on average, and next to each other
// hardly ever.
func TestShuffleIsRandom(t *testing.T) {
	const n = 1 << 18 // 4 KiB blocks of a GiB
	for key := range uint64(50) {
		s := newShuffle(n, key)
		var sum, near float64
		for i := range int64(n - 1) {
			d := s.at(i+1) - s.at(i)
			if d < 0 {
				d = -d
			}
			sum += float64(d)
			if d <= 8 {
				near++
			}
		}
		if mean := sum / n / n; mean < 0.31 || mean > 0.36 {
			t.Errorf("key %d: mean distance = %.3f of the range, want about 1/3", key, mean)
		}
		if near > n/1000 {
			t.Errorf("key %d: %v of %d steps go to a neighbour", key, near, n)
		}
	}
	first, other := newShuffle(n, 1), newShuffle(n, 2)
	same := 0
	for i := range int64(1000) {
		if first.at(i) == other.at(i) {
			same++
		}
	}
	if same > 10 {
		t.Errorf("two keys agree in %d of 1000 places", same)
	}
}
