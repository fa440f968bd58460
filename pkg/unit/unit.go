// Package unit reads and writes quantities as people do: sizes, rates and times. It knows nothing of
// what they measure. Start at ParseBytes and FormatBytes.
//
// Written quantities are decimal (1 MB = 10^6 bytes, as on a disk's box); read ones may be binary too.
// Bits are refused rather than guessed at: a link's 40 Gb/s and a disk's 5 GB/s are too easily confused.
package unit

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// trySize ends the errors about sizes.
const trySize = "try a number with B, KB, MB, GB, KiB, MiB or GiB, such as 2 MB"

// tryRate ends the errors about rates.
const tryRate = "try a number with KB/s, MB/s or GB/s, such as 2.8 GB/s"

// maxText is the longest text taken for a quantity, in bytes; longer ones are mistakes or attacks.
const maxText = 64

// ParseBytes reads a size: "2 MB", "1.5GiB", "4096" (bytes). Letter case does not matter, except that
// the b of "Mb" means bits and is refused. A size below zero, above 2^63-1 bytes, or not a whole number of
// bytes is an error.
func ParseBytes(text string) (int64, error) {
	number, suffix, err := split(text)
	if err != nil {
		return 0, fmt.Errorf("size %s: %w; %s", quote(text), err, trySize)
	}
	factor, err := sizeOf(suffix)
	if err != nil {
		return 0, fmt.Errorf("size %s: %w; %s", quote(text), err, trySize)
	}
	n, err := whole(number, factor)
	if err != nil {
		return 0, fmt.Errorf("size %s: %w; %s", quote(text), err, trySize)
	}
	return n, nil
}

// ParseRate reads a rate in bytes per second: "2.8 GB/s", "742MB/s", "1000000" (B/s).
func ParseRate(text string) (float64, error) {
	number, suffix, err := split(text)
	if err != nil {
		return 0, fmt.Errorf("rate %s: %w; %s", quote(text), err, tryRate)
	}
	base, perSecond := strings.CutSuffix(suffix, "/s")
	if suffix != "" && !perSecond {
		return 0, fmt.Errorf("rate %s: %s is not per second; %s", quote(text), quote(suffix), tryRate)
	}
	factor, err := sizeOf(strings.TrimSpace(base))
	if err != nil {
		return 0, fmt.Errorf("rate %s: %w; %s", quote(text), err, tryRate)
	}
	value, err := strconv.ParseFloat(number, 64) // digits and a point only: finite
	if err != nil {
		return 0, fmt.Errorf("rate %s: not a number; %s", quote(text), tryRate)
	}
	return value * float64(factor), nil
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

// sizeOf is the number of bytes a suffix stands for; none means bytes.
func sizeOf(suffix string) (int64, error) {
	if suffix == "" {
		return 1, nil
	}
	if len(suffix) > 1 && suffix[len(suffix)-1] == 'b' && strings.ContainsAny(suffix, "KMGT") {
		return 0, fmt.Errorf("%s is bits, not bytes", quote(suffix))
	}
	sizes := map[string]int64{
		"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}
	if size, ok := sizes[strings.ToLower(suffix)]; ok {
		return size, nil
	}
	if len(suffix) == 1 && strings.ContainsAny(suffix, "kKmMgGtT") {
		return 0, fmt.Errorf("%s may mean powers of 1000 (%[2]sB) or of 1024 (%[2]siB)", quote(suffix), strings.ToUpper(suffix))
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
