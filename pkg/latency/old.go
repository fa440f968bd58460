package latency

import (
	"encoding/binary"
	"math/bits"
)

// riceVersion is that of texts which were written until November 2026: the longest time and the first bucket that
// counted something as varints, and from there on each count's distance from a running mean of those before it, in
// Rice's code. After a zero the number of zeros follows in Elias' gamma code.
const riceVersion = 2

// maxUnary is the longest quotient of Rice's code; what is beyond that follows in gamma code.
const maxUnary = 24

func parseRice(b []byte) (Counts, error) {
	if len(b) == 0 {
		return "", nil
	}
	longest, n := binary.Uvarint(b)
	if n <= 0 || longest > MaxNS {
		return "", errText
	}
	first, m := binary.Uvarint(b[n:])
	last := uint64(bucketOf(int64(longest)))
	if m <= 0 || first > last {
		return "", errText
	}
	var p packer
	var sum uint64
	in := bitReader{from: b[n+m:]}
	mean, size := uint64(0), uint64(16) // of the counts, and of the numbers they are written as, in sixteenths
	for i := first; i <= last; {
		v := in.rice(bits.Len64((max(1, size*3/4) - 1) >> 4))
		expected := (mean + 8) >> 4
		count := expected + v/2
		switch {
		case v > 2*expected:
			count = v
		case v&1 == 1:
			count = expected - (v+1)/2
		}
		if sum += count; in.short || count > MaxCount || sum > MaxCount {
			return "", errText
		}
		mean, size = mean-mean/8+2*count, size-size/8+2*v
		if count > 0 {
			p.add(int(i), count)
			i++
			continue
		}
		zeros := in.gamma()
		if in.short || i == first || zeros > last-i {
			return "", errText
		}
		i += zeros
	}
	if rest := 8*len(in.from) - in.at; rest > 7 || in.take(rest) != 0 {
		return "", errText
	}
	return p.counts(int64(longest), int64(sum)), nil
}

// varintVersion is that of texts which were written for a day: varints in Huffman's code, the longest time, how many
// there are, and for each bucket by how much its count differs from that of the last one that was not empty. A count of
// zero is followed by how many more empty buckets there are.
const varintVersion = 3

func parseVarints(c Counts) (Counts, error) {
	if c == "" {
		return "", nil
	}
	longest, at := c.uvarint(0)
	number, at := c.uvarint(at)
	top := uint64(bucketOf(int64(min(longest, MaxNS))))
	var p packer
	var bucket, last, left = uint64(0), uint64(0), number
	for at < len(c) {
		var v, gap uint64
		v, at = c.uvarint(at)
		count := last + (v>>1 ^ -(v & 1))
		if count == 0 {
			gap, at = c.uvarint(at)
			bucket += min(gap, buckets) + 1
			continue
		}
		if count > left || bucket > top {
			return "", errText
		}
		p.add(int(bucket), count)
		left, last, bucket = left-count, count, bucket+1
	}
	if longest > MaxNS || number > MaxCount || left > 0 || bucket != top+1 || at > len(c) {
		return "", errText
	}
	return p.counts(int64(longest), int64(number)), nil
}

// bitReader reads bits, the highest of each byte first.
type bitReader struct {
	from  []byte
	at    int  // bits read
	short bool // more was read than there was
}

// take reads n bits.
func (r *bitReader) take(n int) (v uint64) {
	for range n {
		if r.short = r.at >= 8*len(r.from); r.short {
			return 0
		}
		v = v<<1 | uint64(r.from[r.at/8]>>(7-r.at%8)&1)
		r.at++
	}
	return v
}

// run counts the bits that are as given before the first that is not, which is read too; at most limit.
func (r *bitReader) run(bit uint64, limit int) (n int) {
	for n < limit && r.take(1) == bit && !r.short {
		n++
	}
	return n
}

// gamma reads a number that is written as its length less one in zeros, then its digits.
func (r *bitReader) gamma() uint64 {
	zeros := r.run(0, 56)
	r.short = r.short || zeros == 56
	return 1<<zeros | r.take(zeros)
}

// rice reads a number that is written as what its k lowest bits leave in ones and a zero, then these bits.
func (r *bitReader) rice(k int) uint64 {
	quotient := uint64(r.run(1, maxUnary))
	if quotient == maxUnary {
		quotient += r.gamma() - 1
	}
	return quotient<<k | r.take(k)
}
