package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// newStream makes random numbers for one purpose: the same ones for the same seed and words, and unrelated ones
// for any other, so that what one purpose draws never changes another's.
func newStream(seed uint64, words ...string) *rand.PCG {
	sum := digest(seed, words...)
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))
}

func derive(seed uint64, words ...string) uint64 {
	sum := digest(seed, words...)
	return binary.LittleEndian.Uint64(sum[:])
}

// digest mixes a seed with words, whose lengths count: ("ab", "c") differs from ("a", "bc").
func digest(seed uint64, words ...string) [sha256.Size]byte {
	data := binary.LittleEndian.AppendUint64(nil, seed)
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, uint64(len(w)))
		data = append(data, w...)
	}
	return sha256.Sum256(data)
}

// below is a number from 0 to n-1, by multiplication: biased by less than n/2^64, and (unlike rand.Rand's
// methods) fixed here, so that a plan is the same whatever Go release built the tool.
func below(r *rand.PCG, n int64) int64 {
	high, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int64(high)
}

// shuffle puts sizes in random order (Fisher and Yates).
func shuffle(r *rand.PCG, sizes []int64) {
	for i := len(sizes) - 1; i > 0; i-- {
		j := below(r, int64(i+1))
		sizes[i], sizes[j] = sizes[j], sizes[i]
	}
}
