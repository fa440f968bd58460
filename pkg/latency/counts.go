package latency

import "encoding/binary"

// Counts are a histogram that is only read, in little memory: about a byte for each bucket that counted something, if a
// Histogram has eight for each that there is. To go over them takes a small part of the time that their text takes. Parse
// makes them; the zero value is empty. Equal ones compare as equal.
//
// They are a zero, the longest time and how many times there are as varints, and then for each bucket that counted
// something a byte: in the high half the number of empty buckets before it, in the low half its count less one. If a half
// says 15, a varint of what is beyond 15 follows. If all that would be maxPacked times as long as the bytes of the text,
// these are kept instead: no text takes memory out of proportion.
type Counts string

const (
	escape = 15
	// No disk's counts come near it: only the same count in bucket after bucket takes one bit each in a text.
	maxPacked = 6
)

// Parse reads what Encode has written.
func Parse(text string) (Counts, error) {
	b, err := bytesOf(text)
	if err != nil {
		return "", err
	}
	packed := make([]byte, 1+2*binary.MaxVarintLen64, 1+2*binary.MaxVarintLen64+2*len(b))
	next := 0
	maxNS, n, err := scan(b, func(bucket int, count uint64) {
		gap, more := uint64(bucket-next), count-1
		next = bucket + 1
		packed = append(packed, byte(min(gap, escape)<<4|min(more, escape)))
		if gap >= escape {
			packed = binary.AppendUvarint(packed, gap-escape)
		}
		if more >= escape {
			packed = binary.AppendUvarint(packed, more-escape)
		}
	})
	if err != nil || n == 0 {
		return "", err
	}
	if len(packed) > maxPacked*len(b) {
		return Counts(b), nil
	}
	head := binary.AppendUvarint(binary.AppendUvarint([]byte{0}, uint64(maxNS)), uint64(n))
	from := 1 + 2*binary.MaxVarintLen64 - len(head)
	copy(packed[from:], head)
	return Counts(packed[from:]), nil
}

// Counts are what the histogram has counted; they are empty if it is more than MaxCount.
func (h *Histogram) Counts() Counts {
	c, _ := Parse(h.Encode())
	return c
}

// Encode is the text that the counts come from.
func (c Counts) Encode() string {
	var h Histogram
	h.AddCounts(c)
	return h.Encode()
}

// each calls f for every bucket that counted something, by time. It returns the longest time and how many there are.
func (c Counts) each(f func(bucket int, count uint64)) (maxNS, n int64) {
	if c == "" {
		return 0, 0
	}
	if c[0] != 0 {
		maxNS, n, _ = scan([]byte(c), f) // Parse has checked it
		return maxNS, n
	}
	maxNS, n, at := c.head()
	bucket := 0
	for at < len(c) {
		gap, more := uint64(c[at]>>4), uint64(c[at]&0xf)
		at++
		if gap == escape {
			gap, at = c.varint(at)
			gap += escape
		}
		if more == escape {
			more, at = c.varint(at)
			more += escape
		}
		bucket += int(gap)
		f(bucket, more+1)
		bucket++
	}
	return maxNS, n
}

// head is the longest time, how many there are, and where the counts begin.
func (c Counts) head() (maxNS, n int64, at int) {
	largest, at := c.varint(1)
	number, at := c.varint(at)
	return int64(largest), int64(number), at
}

// varint reads a varint, and returns where it ends.
func (c Counts) varint(at int) (v uint64, end int) {
	for shift := 0; ; shift += 7 {
		digits := c[at]
		at++
		v |= uint64(digits&0x7f) << shift
		if digits < 0x80 {
			return v, at
		}
	}
}

// N is how many times were counted.
func (c Counts) N() int64 {
	if c == "" || c[0] != 0 {
		_, n := c.each(func(int, uint64) {})
		return n
	}
	_, n, _ := c.head()
	return n
}

// Each calls f for every bucket that counted something, by time: its shortest and longest time, and how many.
func (c Counts) Each(f func(lowNS, highNS, n int64)) {
	c.each(func(bucket int, count uint64) {
		low, high := bounds(bucket)
		f(low, high, int64(count))
	})
}

// AddCounts counts all of c's times as well.
func (h *Histogram) AddCounts(c Counts) {
	h.grow()
	maxNS, n := c.each(func(bucket int, count uint64) { h.counts[bucket] += count })
	h.n += n
	h.maxNS = max(h.maxNS, maxNS)
}
