package analysis

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Capital begins a sentence, unless that begins with the name of a disk.
func Capital(disks []string, text string) string {
	for _, name := range disks {
		after, begins := strings.CutPrefix(text, name)
		next, _ := utf8.DecodeRuneInString(after)
		if begins && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return text
		}
	}
	return unit.Capital(text)
}

// Each lists what one gives for each item of a list.
func Each[T, U any](list []T, one func(T) U) []U {
	var out []U
	for _, item := range list {
		out = append(out, one(item))
	}
	return out
}

// Grouped puts those of a list together that have the same key, in the order in which the keys
// first come.
func Grouped[T any, K comparable](list []T, key func(T) K) [][]T {
	return grouped(list, func(a, b T) bool { return key(a) == key(b) })
}

// only returns the items for which holds is true.
func only[T any](list []T, holds func(one T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(one T) bool { return !holds(one) })
}

// present returns those disks of the run that something is known of, in the run's order.
func present[T any](order []string, known map[string]T) []string {
	return only(order, func(name string) bool { _, ok := known[name]; return ok })
}

// Seconds returns how long something took. Progress is sampled every 50 ms, so no time is shorter.
func Seconds(s float64) string {
	if s < 0.05 {
		return "under 0.05 s"
	}
	return unit.FormatSeconds(s)
}

// secondsRange is one time, or two if they lie apart.
func secondsRange(low, high float64) string {
	if high < 0.05 || low >= 0.8*high {
		return Seconds(high)
	}
	return unit.FormatSeconds(low) + " to " + unit.FormatSeconds(high)
}

// Count returns a small number as a word.
func Count(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
		"ten",
		"eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// writer writes the sentences of an analysis, with all of its rates in one unit.
type writer struct {
	*Analysis
	unit.Scale
}

func in(a *Analysis) writer { return writer{a, a.Scale} }

// each returns a rate of several disks: "0.702 GB/s each".
func (w writer) each(v float64, disks int) string {
	return w.Rate(v) + pick(disks > 1, " each", "")
}

func byteSize(bytes float64) string { return unit.FormatBytes(int64(bytes)) }

func square(x float64) float64 { return x * x }
