package latency

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter appends bits to bytes, the highest of each byte first.
type bitWriter struct {
	to   []byte
	held uint64 // bits not appended yet, the last in the lowest place
	n    int    // how many: under 8 between calls
}

// put appends the n lowest bits of v, up to 56 of them.
func (w *bitWriter) put(v uint64, n int) {
	w.held = w.held<<n | v
	w.n += n
	for w.n >= 8 {
		w.n -= 8
		w.to = append(w.to, byte(w.held>>w.n))
	}
	w.held &= 1<<w.n - 1
}

// close fills up the last byte with zeros.
func (w *bitWriter) close() []byte {
	if w.n > 0 {
		w.put(0, 8-w.n)
	}
	return w.to
}

// gamma writes a number from 1 to 2^56-1 in Elias' gamma code: its length less one in zeros, then its digits.
func (w *bitWriter) gamma(v uint64) {
	n := bits.Len64(v)
	w.put(0, n-1)
	w.put(v, n)
}

// maxUnary is the longest quotient that rice writes in ones.
const maxUnary = 24

// rice writes a number in Rice's code: what its k lowest bits leave as that many ones and a zero, then these bits. A
// quotient that is too long for that is written by gamma.
func (w *bitWriter) rice(v uint64, k int) {
	if q := v >> k; q < maxUnary {
		w.put(1<<(q+1)-2, int(q)+1)
	} else {
		w.put(1<<maxUnary-1, maxUnary)
		w.gamma(q - maxUnary + 1)
	}
	w.put(v&(1<<k-1), k)
}

// bitReader reads what a bitWriter has written. What is read beyond the end are zeros, and short is true then.
type bitReader struct {
	from  []byte
	held  uint64 // bits not read yet, the first in the highest place; below the first n, more of the same or zeros
	n     int
	short bool
}

// enough is how many bits nearly all numbers have at most.
const enough = 24

// fill holds 56 bits at least, as far as there are any.
func (r *bitReader) fill() {
	if r.n < 56 {
		r.load()
	}
}

func (r *bitReader) load() {
	if len(r.from) >= 8 {
		r.held |= binary.BigEndian.Uint64(r.from) >> r.n
		whole := (63 - r.n) / 8
		r.from = r.from[whole:]
		r.n += 8 * whole
		return
	}
	for r.n <= 56 && len(r.from) > 0 {
		r.held |= uint64(r.from[0]) << (56 - r.n)
		r.from = r.from[1:]
		r.n += 8
	}
}

// skip takes n bits that were looked at.
func (r *bitReader) skip(n int) {
	r.short = r.short || n > r.n
	r.held <<= n
	r.n = max(0, r.n-n)
}

// take reads n bits, up to 56.
func (r *bitReader) take(n int) uint64 {
	r.fill()
	v := r.held >> 1 >> (63 - n)
	r.skip(n)
	return v
}

// gamma reads what gamma has written; zero is none.
func (r *bitReader) gamma() uint64 {
	if r.n < enough {
		r.load()
	}
	zeros := bits.LeadingZeros64(r.held)
	if whole := 2*zeros + 1; whole <= r.n { // as it nearly always is
		v := r.held >> (64 - whole)
		r.held <<= whole
		r.n -= whole
		return v
	}
	r.fill()
	zeros = bits.LeadingZeros64(r.held)
	if zeros >= 56 || zeros >= r.n {
		r.short = true
		return 0
	}
	r.skip(zeros)
	return r.take(zeros + 1)
}

// rice reads what rice has written.
func (r *bitReader) rice(k int) uint64 {
	if r.n < enough {
		r.load()
	}
	ones := bits.LeadingZeros64(^r.held)
	if whole := ones + 1 + k; ones < maxUnary && whole <= r.n { // as it nearly always is
		v := r.held << (ones + 1) >> 1 >> (63 - k)
		r.held <<= whole
		r.n -= whole
		return uint64(ones)<<k | v
	}
	r.fill()
	ones = bits.LeadingZeros64(^r.held)
	q := uint64(min(ones, maxUnary))
	if q < maxUnary {
		r.skip(int(q) + 1)
	} else {
		r.skip(maxUnary)
		q += r.gamma() - 1
	}
	return q<<k | r.take(k)
}

// rest reports whether nothing is left but the zeros that close has written.
func (r *bitReader) rest() bool {
	r.fill()
	return !r.short && r.n < 8 && r.held == 0
}
