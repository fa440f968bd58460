package latency

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// textVersion begins a histogram's bytes: the layout of the buckets, and of what follows.
const textVersion = 1

// Encode is the histogram as text: base64 of a version byte, the longest time, and for each bucket that counted
// something the distance from the one before and the count, all as varints.
func (h *Histogram) Encode() string {
	b := []byte{textVersion}
	b = binary.AppendUvarint(b, uint64(h.maxNS))
	last := 0
	for i, n := range h.counts {
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(i-last))
			b = binary.AppendUvarint(b, n)
			last = i
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// errText is of any text that Encode has not written.
var errText = errors.New("not a latency histogram")

// maxCount bounds the sum of a histogram's counts, so that those of a whole run add up.
const maxCount = 1 << 50

// Decode adds what Encode has written to the histogram. After an error, the histogram is of no use.
func (h *Histogram) Decode(text string) error {
	h.grow()
	longest, n, err := scan(text, func(bucket int, count uint64) { h.counts[bucket] += count })
	if err != nil {
		return err
	}
	if n > maxCount-h.n {
		return fmt.Errorf("%w: more than %d times in all", errText, int64(maxCount))
	}
	h.n += n
	h.maxNS = max(h.maxNS, longest)
	return nil
}

// Check reports whether Decode takes the text.
func Check(text string) error {
	_, _, err := scan(text, func(int, uint64) {})
	return err
}

// scan reads a text bucket by bucket, and returns the longest time and how many there are.
func scan(text string, each func(bucket int, count uint64)) (longest, sum int64, err error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", errText, err)
	}
	if len(b) == 0 || b[0] != textVersion {
		return 0, 0, fmt.Errorf("%w of version %d", errText, textVersion)
	}
	most, n := binary.Uvarint(b[1:])
	if n <= 0 || most > MaxNS {
		return 0, 0, errText
	}
	b = b[1+n:]
	at := 0
	for first := true; len(b) > 0; first = false {
		step, n := binary.Uvarint(b)
		if n <= 0 || step >= buckets || step == 0 && !first {
			return 0, 0, errText
		}
		count, m := binary.Uvarint(b[n:])
		if m <= 0 || count == 0 || count > maxCount || int64(count) > maxCount-sum {
			return 0, 0, errText
		}
		b = b[n+m:]
		if at += int(step); at >= buckets {
			return 0, 0, errText
		}
		each(at, count)
		sum += int64(count)
	}
	return int64(most), sum, nil
}
