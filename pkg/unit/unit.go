// Package unit reads and writes quantities as people do: sizes, rates and times. It knows nothing
// of what they measure. Start at ParseBytes and FormatBytes.
//
// Written quantities are decimal (1 MB = 10^6 bytes, as on a disk's box); read ones may be binary
// too. Bits are refused rather than guessed at: a link's 40 Gb/s and a disk's 5 GB/s are too easily
// confused.
package unit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxText is the longest text taken for a quantity, in bytes; longer ones are mistakes or attacks.
const maxText = 64

// ParseBytes reads a size: "2 MB", "1.5GiB", "4096" (bytes). Letter case does not matter, except
// that the b of "Mb" means bits and is refused. A size below zero, above 2^63-1 bytes, or not a
// whole number of bytes is an error.
func ParseBytes(text string) (n int64, err error) {
	number, suffix, err := split(text)
	var factor int64
	if err == nil {
		factor, err = sizeOf(suffix)
	}
	if err == nil {
		n, err = whole(number, factor)
	}
	if err != nil {
		return 0, fmt.Errorf("size %s: %w; try a number with B, KB, MB, GB, KiB, MiB or GiB, "+
			"such as 2 MB", quote(text), err)
	}
	return n, nil
}

// ParseRate reads a rate in bytes per second: "2.8 GB/s", "742MB/s", "1000000" (B/s).
func ParseRate(text string) (float64, error) {
	number, suffix, err := split(text)
	base, perSecond := strings.CutSuffix(suffix, "/s")
	if err == nil && suffix != "" && !perSecond {
		err = fmt.Errorf("%s is not per second", quote(suffix))
	}
	var factor int64
	if err == nil {
		factor, err = sizeOf(strings.TrimSpace(base))
	}
	if err != nil {
		return 0, fmt.Errorf("rate %s: %w; try a number with KB/s, MB/s or GB/s, such as 2.8 GB/s",
			quote(text), err)
	}
	value, _ := strconv.ParseFloat(number, 64) // digits and a point only: finite
	return value * float64(factor), nil
}

// ParsePercent reads a share of something: "50 %" and "50%" are 0.5. A bare number is refused, as
// 0.5 may mean a half or half a percent; so is a share below zero.
func ParsePercent(text string) (float64, error) {
	number, suffix, err := split(text)
	switch {
	case err != nil:
	case suffix == "":
		err = errors.New("the % is missing")
	case suffix != "%":
		err = errors.New("unknown unit " + quote(suffix))
	}
	if err != nil {
		return 0, fmt.Errorf("share %s: %w; try a number with %%, such as 50%%", quote(text), err)
	}
	value, _ := strconv.ParseFloat(number, 64) // digits and a point only: finite
	return value / 100, nil
}

// ParseDuration reads a time: "40ms", "30 s", "1.5 min", "2 min 5 s", "1h10m". A bare number is
// refused, as nothing says of what; so is a time below zero.
func ParseDuration(text string) (time.Duration, error) {
	sum, err := nanoseconds(text)
	if err == nil && sum >= math.MaxInt64 {
		err = errors.New("too long")
	}
	if err != nil {
		return 0, fmt.Errorf("time %s: %w; try a number with ms, s, min or h, such as 30 s",
			quote(text), err)
	}
	return time.Duration(math.Round(sum)), nil
}

// nanoseconds adds up the numbers and units of a time.
func nanoseconds(text string) (sum float64, err error) {
	number, suffix, err := split(text)
	for err == nil {
		end := strings.IndexFunc(suffix, func(r rune) bool {
			return r == '.' || unicode.IsDigit(r) || unicode.IsSpace(r)
		})
		rest := ""
		if end >= 0 {
			suffix, rest = suffix[:end], strings.TrimSpace(suffix[end:])
		}
		value, _ := strconv.ParseFloat(number, 64)
		ns, known := map[string]time.Duration{
			"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond,
			"ms": time.Millisecond,
			"s":  time.Second, "sec": time.Second, "m": time.Minute, "min": time.Minute,
			"h": time.Hour,
		}[suffix]
		if !known {
			break
		}
		if sum += value * float64(ns); rest == "" {
			return sum, nil
		}
		number, suffix, err = split(rest)
	}
	if err == nil && suffix == "" {
		err = errors.New("the unit is missing")
	} else if err == nil {
		err = fmt.Errorf("unknown unit %s", quote(suffix))
	}
	return 0, err
}

// split parts a quantity into its decimal number and its suffix, spaces removed.
func split(text string) (number, suffix string, err error) {
	if len(text) > maxText {
		return "", "", errors.New("too long")
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", "", errors.New("empty")
	}
	if text[0] == '-' {
		return "", "", errors.New("must not be negative")
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	number = text[:end]
	if strings.Trim(number, ".") == "" || strings.Count(number, ".") > 1 {
		return "", "", errors.New("not a number")
	}
	return number, strings.TrimSpace(text[end:]), nil
}

// sizeOf returns the number of bytes a suffix stands for; none means bytes.
func sizeOf(suffix string) (int64, error) {
	if suffix == "" {
		return 1, nil
	}
	if len(suffix) > 1 && suffix[len(suffix)-1] == 'b' && strings.ContainsAny(suffix, "KMGT") {
		return 0, fmt.Errorf("%s is bits, not bytes", quote(suffix))
	}
	sizes := map[string]int64{
		"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20,
		"gib": 1 << 30, "tib": 1 << 40,
	}
	if size, ok := sizes[strings.ToLower(suffix)]; ok {
		return size, nil
	}
	if len(suffix) == 1 && strings.ContainsAny(suffix, "kKmMgGtT") {
		return 0, fmt.Errorf("%s may mean powers of 1000 (%[2]sB) or of 1024 (%[2]siB)",
			quote(suffix),
			strings.ToUpper(suffix))
	}
	return 0, fmt.Errorf("unknown unit %s", quote(suffix))
}

// whole multiplies a plain decimal number (digits with at most one point) by factor, exactly.
func whole(number string, factor int64) (int64, error) {
	integer, fraction, _ := strings.Cut(number, ".")
	n, ok := new(big.Int).SetString(integer+fraction, 10)
	if !ok {
		return 0, errors.New("not a number")
	}
	n.Mul(n, big.NewInt(factor))
	places := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	n, rest := n.QuoRem(n, places, new(big.Int))
	if rest.Sign() != 0 {
		return 0, errors.New("not a whole number of bytes")
	}
	if !n.IsInt64() {
		return 0, errors.New("too large")
	}
	return n.Int64(), nil
}

// quote shows a piece of a hostile text on one line, cut if it is long.
func quote(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "..."
	}
	return strconv.Quote(text)
}

// What ParseBytes, ParseRate, ParseDuration and ParsePercent accept as regular expressions, for a
// schema: in the syntax that Go, JavaScript and Python share, which has no classes of Unicode. They
// say nothing of what is too large, nor of a size that is not a whole number of bytes.
const (
	SizePattern    = `^` + space + number + space + `(?:` + sizeUnit + `)?` + space + `$`
	RatePattern    = `^` + space + number + space + `(?:(?:` + sizeUnit + `)?` + space + `/s)?` + space + `$`
	PercentPattern = `^` + space + number + space + `%` + space + `$`
	TimePattern    = `^` + space + `(?:` + number + space + `(?:ns|us|µs|ms|s|sec|m|min|h)` + space + `)+$`
)

const (
	space    = `[\s\v\x85` + "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000" + `]*` // as unicode.IsSpace
	number   = `(?:[0-9]+\.?[0-9]*|\.[0-9]+)`
	sizeUnit = `[Bb]|[KMGTkmgt][Ii]?B|[kmgt][Ii]?b`
)
