package unit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a time: "40ms", "30 s", "1.5 min", "2 min 5 s", "1h10m". A bare number is refused, as
// nothing says of what; so is a time below zero.
func ParseDuration(text string) (time.Duration, error) {
	const try = "try a number with ms, s, min or h, such as 30 s"
	fail := func(what string) (time.Duration, error) {
		return 0, fmt.Errorf("time %s: %s; %s", quote(text), what, try)
	}
	if len(text) > maxText {
		return fail("too long")
	}
	rest := strings.TrimSpace(text)
	if rest == "" {
		return fail("empty")
	}
	if rest[0] == '-' {
		return fail("must not be negative")
	}
	var sum float64 // nanoseconds
	for rest != "" {
		number, after := span(rest, "0123456789.")
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return fail("not a time")
		}
		suffix, next := span(strings.TrimSpace(after), "abcdefghijklmnopqrstuvwxyzµ")
		ns, err := durationOf(suffix)
		if err != nil {
			return fail(err.Error())
		}
		sum += value * float64(ns)
		rest = strings.TrimSpace(next)
	}
	if sum >= math.MaxInt64 {
		return fail("too long")
	}
	return time.Duration(math.Round(sum)), nil
}

// span cuts a text after its leading characters out of set.
func span(text, set string) (head, tail string) {
	end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(set, r) })
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

// durationOf is what a suffix of time stands for.
func durationOf(suffix string) (time.Duration, error) {
	times := map[string]time.Duration{
		"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond,
		"s": time.Second, "sec": time.Second, "m": time.Minute, "min": time.Minute, "h": time.Hour,
	}
	if size, ok := times[suffix]; ok {
		return size, nil
	}
	if suffix == "" {
		return 0, errors.New("the unit is missing")
	}
	return 0, fmt.Errorf("unknown unit %s", quote(suffix))
}
