package latency

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// textVersion begins a histogram's bytes: the layout of the buckets, and of what follows.
const textVersion = 2

// Encode is the histogram as text: base64 of a version byte, the longest time and the first bucket that counted something
// as varints, and the counts from that bucket to the longest time's. An empty one is the version alone. Neighbouring
// buckets count alike, so each count is written as its distance from what those before it let expect (see guess), in
// Rice's code; after a zero the number of zeros follows in Elias' gamma code. A second of 500,000 requests takes some
// 5 KB, a third of what varints would.
func (h *Histogram) Encode() string {
	b := []byte{textVersion}
	if h.n == 0 {
		return base64.RawStdEncoding.EncodeToString(b)
	}
	first, last := 0, bucketOf(h.maxNS)
	for h.counts[first] == 0 {
		first++
	}
	b = binary.AppendUvarint(b, uint64(h.maxNS))
	b = binary.AppendUvarint(b, uint64(first))
	w := bitWriter{to: b}
	g := newGuess()
	for i := first; i <= last; {
		n := h.counts[i]
		v := g.fold(n)
		w.rice(v, g.width())
		g.learn(n, v)
		from := i
		for i++; n == 0 && h.counts[i] == 0; {
			i++
		}
		if n == 0 {
			w.gamma(uint64(i - from))
		}
	}
	return base64.RawStdEncoding.EncodeToString(w.close())
}

// guess is what a count is expected to be after those before it: a running mean of them. It is in sixteenths, and so is
// the running mean of the numbers that the distances were written as, by which the next one's code is chosen.
type guess struct{ mean, size uint64 }

func newGuess() guess { return guess{size: 16} }

// is gives the expected count.
func (g *guess) is() uint64 { return (g.mean + 8) >> 4 }

// width is how many bits of the next number are written as they are: so many as leave about one for the rest.
func (g *guess) width() int {
	expected := max(1, g.size*3/4)
	return bits.Len64((expected - 1) >> 4)
}

// fold is a count as the number to write: the distance from the guess, in turns above and below it as far as counts
// below it can be.
func (g *guess) fold(n uint64) uint64 {
	switch is := g.is(); {
	case n < is:
		return 2*(is-n) - 1
	case n-is <= is:
		return 2 * (n - is)
	default:
		return n
	}
}

// unfold is the count that fold made the number of.
func (g *guess) unfold(v uint64) uint64 {
	switch is := g.is(); {
	case v > 2*is:
		return v
	case v&1 == 1:
		return is - (v+1)/2
	default:
		return is + v/2
	}
}

// learn takes account of a count, which was written as v.
func (g *guess) learn(n, v uint64) {
	g.size = g.size - g.size/8 + 2*v
	g.mean = g.mean - g.mean/8 + 2*n
}

// errText is of any text that Encode has not written.
var errText = errors.New("not a latency histogram")

// MaxCount bounds the sum of a histogram's counts, so that those of a whole run add up.
const MaxCount = 1 << 50

// Decode adds what Encode has written to the histogram.
func (h *Histogram) Decode(text string) error {
	c, err := Parse(text)
	if err != nil {
		return err
	}
	if c.N() > MaxCount-h.n {
		return fmt.Errorf("%w: more than %d times in all", errText, int64(MaxCount))
	}
	h.AddCounts(c)
	return nil
}

// bytesOf are those that a text stands for.
func bytesOf(text string) ([]byte, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errText, err)
	}
	return b, nil
}

// scan reads a text's bytes bucket by bucket, and returns the longest time and how many there are.
func scan(b []byte, each func(bucket int, count uint64)) (longest, sum int64, err error) {
	if len(b) == 0 || b[0] != textVersion {
		return 0, 0, fmt.Errorf("%w of version %d", errText, textVersion)
	}
	if len(b) == 1 {
		return 0, 0, nil
	}
	largest, n := binary.Uvarint(b[1:])
	if n <= 0 || largest > MaxNS {
		return 0, 0, errText
	}
	first, m := binary.Uvarint(b[1+n:])
	last := uint64(bucketOf(int64(largest)))
	if m <= 0 || first > last {
		return 0, 0, errText
	}
	sum, err = scanCounts(b[1+n+m:], int(first), int(last), each)
	return int64(largest), sum, err
}

// scanCounts reads the counts of buckets, of which the first and the last must have some.
func scanCounts(b []byte, first, last int, each func(bucket int, count uint64)) (sum int64, err error) {
	r := bitReader{from: b}
	g := newGuess()
	for i := first; i <= last; {
		v := r.rice(g.width())
		n := g.unfold(v)
		if n > uint64(MaxCount-sum) {
			return 0, errText
		}
		g.learn(n, v)
		if n > 0 {
			each(i, n)
			sum += int64(n)
			i++
			continue
		}
		zeros := r.gamma()
		if r.short || i == first || zeros > uint64(last-i) {
			return 0, errText
		}
		i += int(zeros)
	}
	if !r.rest() {
		return 0, errText
	}
	return sum, nil
}
