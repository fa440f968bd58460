package unit

import (
	"fmt"
	"strconv"
)

// ParsePercent reads a share of something: "50 %" and "50%" are 0.5. A bare number is refused, as 0.5 may mean a half
// or half a percent; so is a share below zero.
func ParsePercent(text string) (float64, error) {
	const try = "try a number with %, such as 50 %"
	fail := func(what string) (float64, error) {
		return 0, fmt.Errorf("share %s: %s; %s", quote(text), what, try)
	}
	number, suffix, err := split(text)
	switch {
	case err != nil:
		return fail(err.Error())
	case suffix == "":
		return fail("the % is missing")
	case suffix != "%":
		return fail("unknown unit " + quote(suffix))
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fail("not a number")
	}
	return value / 100, nil
}

// FormatPercent writes a share of which 1 is all: "50 %", "12.5 %", "0.1 %".
func FormatPercent(share float64) string {
	return trimZeros(FormatNumber(100*share)) + " %"
}
