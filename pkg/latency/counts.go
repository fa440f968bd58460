package latency

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Counts are a histogram that is only read, in little memory: one or two bytes for each bucket that
// counted something, where a Histogram has eight for each that there is. The zero value is empty,
// and equal ones compare as equal.
//
// They are the longest time and how many there are, as varints, and then a byte for each bucket
// that counted something: in three bits how many empty ones are before it, and in five by how much
// its count differs from the one before (as varints have signs). What does not fit goes on in a
// varint.
type Counts string

// What goes on in a varint: the gaps and the differences from these on.
const (
	fullGap  = 7
	fullMore = 31
)

// version begins a text's bytes: the layout of the buckets, and of what follows.
const version = 4

// MaxCount bounds the sum of a histogram's counts, so that those of a whole run add up.
const MaxCount = 1 << 50

// errText is of any text that Encode has not written.
var errText = errors.New("not a latency histogram")

// Encode is the histogram as text: base64 of the version and of its Counts in Huffman's code
// (DEFLATE without matches). A second of 500,000 requests takes some 6 KB.
func (h *Histogram) Encode() string {
	text := bytes.NewBuffer([]byte{version})
	if h.deflate == nil {
		h.deflate, _ = flate.NewWriter(text, flate.HuffmanOnly) // the level is a valid one
	} else {
		h.deflate.Reset(text)
	}
	_, _ = io.WriteString(h.deflate, string(h.Counts())) // to memory
	_ = h.deflate.Close()
	return base64.RawStdEncoding.EncodeToString(text.Bytes())
}

// Counts are what the histogram has counted.
func (h *Histogram) Counts() Counts {
	if h.n == 0 {
		return ""
	}
	text := binary.AppendUvarint(nil, uint64(h.maxNS))
	text = binary.AppendUvarint(text, uint64(h.n))
	next, last := 0, int64(0) // the bucket after the last one that counted something, and its count
	for bucket, count := range h.counts {
		if count == 0 {
			continue
		}
		gap, difference := uint64(bucket-next), int64(count)-last
		more := uint64(difference<<1 ^ difference>>63) // as binary.AppendVarint has it
		text = append(text, byte(min(gap, fullGap)<<5|min(more, fullMore)))
		if gap >= fullGap {
			text = binary.AppendUvarint(text, gap-fullGap)
		}
		if more >= fullMore {
			text = binary.AppendUvarint(text, more-fullMore)
		}
		next, last = bucket+1, int64(count)
	}
	return Counts(text)
}

// Parser reads texts one after the other. The zero value is ready. It is not safe for concurrent
// use.
type Parser struct {
	in      bytes.Reader
	inflate io.ReadCloser
}

// Parse reads what Encode has written.
func (p *Parser) Parse(text string) (Counts, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != version {
		return "", fmt.Errorf("%w of version %d", errText, version)
	}
	// Huffman's code has a bit for each byte at least: a text takes no memory out of proportion.
	limit := 8 * len(b)
	p.in.Reset(b[1:])
	if p.inflate == nil {
		p.inflate = flate.NewReader(&p.in)
	} else if err := p.inflate.(flate.Resetter).Reset(&p.in, nil); err != nil { //nolint:forcetypeassert,errcheck // documented by flate.NewReader
		return "", err
	}
	plain, err := io.ReadAll(io.LimitReader(p.inflate, int64(limit)))
	if err != nil || len(plain) == limit || p.in.Len() > 0 {
		return "", errText
	}
	c := Counts(plain)
	_, _, err = c.scan(func(int, uint64) {})
	return c, err
}

// scan calls f for every bucket that counted something, by time. It returns the longest time and
// how many there are, and an error if no histogram is like that.
func (c Counts) scan(f func(bucket int, count uint64)) (maxNS, n int64, err error) {
	if c == "" {
		return 0, 0, nil
	}
	longest, at := c.uvarint(0)
	number, at := c.uvarint(at)
	top := uint64(bucketOf(int64(min(longest, MaxNS))))
	var bucket, count uint64
	left := number
	for at < len(c) {
		gap, v := uint64(c[at]>>5), uint64(c[at]&fullMore)
		var more uint64
		at++
		if gap == fullGap {
			more, at = c.uvarint(at)
			gap += min(more, buckets)
		}
		if v == fullMore {
			more, at = c.uvarint(at)
			v += more
		}
		bucket, count = bucket+gap, count+(v>>1^-(v&1))
		if count-1 >= left || bucket > top { // of none, that is more
			return 0, 0, errText
		}
		f(int(bucket), count)
		left, bucket = left-count, bucket+1
	}
	if longest > MaxNS || number > MaxCount || left > 0 || bucket != top+1 || at > len(c) {
		return 0, 0, errText
	}
	return int64(longest), int64(number), nil
}

// uvarint reads a varint, and returns where it ends: beyond the end if it is cut short, or longer
// than it need be.
func (c Counts) uvarint(at int) (v uint64, end int) {
	text := []byte(c[min(at, len(c)):min(at+binary.MaxVarintLen64, len(c))])
	v, n := binary.Uvarint(text)
	if n <= 0 || n > 1 && text[n-1] == 0 {
		return 0, len(c) + 1
	}
	return v, at + n
}

// N is how many times were counted.
func (c Counts) N() int64 {
	_, at := c.uvarint(0)
	n, _ := c.uvarint(at)
	return int64(n)
}

// AddCounts counts all of c's times as well.
func (h *Histogram) AddCounts(c Counts) {
	h.grow()
	maxNS, n, _ := c.scan(func(bucket int, count uint64) { h.counts[bucket] += count })
	h.n += n
	h.maxNS = max(h.maxNS, maxNS)
}
