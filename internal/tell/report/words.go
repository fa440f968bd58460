package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/bidi"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// NoNumber stands where there is no number.
const NoNumber = "–"

const none = NoNumber

// Scale is the unit of a document's rates, for cells that may be empty.
type Scale struct{ unit.Scale }

// rateInstead sets a rate beside what it was or could be: "6.70 instead of 3.51 GB/s".
func (s Scale) rateInstead(rate, before float64) string {
	return s.Number(rate) + " instead of " + s.Rate(before)
}

// margin is half the interval, rounded up to the last decimal of the rate that it stands beside; if
// that is more than the rate, the interval: no rate is less than nothing.
func (s Scale) margin(ci *stats.Interval, rate float64) string {
	if ci == nil {
		return ""
	}
	if ci[1]-ci[0] > 2*rate {
		return s.Number(ci[0]) + " to " + s.Number(ci[1])
	}
	_, decimals, _ := strings.Cut(s.Number(rate), ".")
	step := math.Pow10(-len(decimals))
	half := math.Ceil(ci.Half()/s.Size/step-roundingError)*step + 0 // +0: never -0
	return strconv.FormatFloat(half, 'f', len(decimals), 64)
}

// shortest writes a number without zeros at its end.
func shortest(x float64) string { return fmt.Sprintf("%.6g", x) }

// Write writes a value in the unit of its axis.
func Write(in Unit, x float64) string {
	switch in {
	case Seconds:
		return shortest(x) + " s"
	case Bytes:
		return unit.FormatBytes(int64(x))
	default:
		return unit.FormatNumber(x)
	}
}

// clock writes an instant of a phase in seconds, as fine as a phase of the given length deserves:
// 45.8 µs into a phase of half a minute is "0".
func clock(seconds, length float64) string {
	if length <= 0 {
		length = seconds
	}
	places := 0
	if length > 0 {
		places = min(9, max(0, 2-int(math.Floor(math.Log10(length)))))
	}
	text := strconv.FormatFloat(seconds, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return text
}

// bytesText writes a size that was computed.
func bytesText(bytes float64) string { return unit.FormatBytes(int64(bytes)) }

func percent(share float64) string { return fmt.Sprintf("%.0f%%", perCent*share) }

// perCent of a whole are all of it.
const perCent = 100

// roundingError is what computed numbers may be off by, as a share of a step.
const roundingError = 1e-9

// Steps are round numbers from low to high, at most so many of them.
func Steps(low, high float64, maxSteps int) []float64 {
	if !(high > low) || maxSteps < 1 {
		return nil
	}
	step := roundUp125((high - low) / float64(maxSteps))
	var out []float64
	for i := math.Ceil(low/step - roundingError); i*step <= high+step*roundingError; i++ {
		out = append(out, i*step+0) // +0: never -0
	}
	return out
}

// LogSteps are 1, 2 and 5 times the powers of ten from low to high, or the powers alone if that
// makes too many.
func LogSteps(low, high float64) []float64 {
	factors := []float64{1, 2, 5}
	if high/low > 1e3 {
		factors = factors[:1]
	}
	var out []float64
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high*1.001; power *= 10 {
		for _, factor := range factors {
			if at := factor * power; at >= low*0.999 && at <= high*1.001 {
				out = append(out, at)
			}
		}
	}
	return out
}

// roundUp125 rounds up to 1, 2 or 5 times a power of ten.
func roundUp125(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= x {
			return factor * power
		}
	}
	return 10 * power
}

// round125 widens an interval of positive numbers to ends that are 1, 2 or 5 times a power of ten.
func round125(low, high float64) (float64, float64) {
	power := math.Pow(10, math.Floor(math.Log10(low)))
	below := power
	for _, factor := range []float64{2, 5} {
		if factor*power <= low {
			below = factor * power
		}
	}
	return below, roundUp125(high)
}

// roundForChart rounds to as many figures as a screen shows.
func roundForChart(x float64) float64 {
	const figures = 4
	return Round(x, figures)
}

// Round rounds to a number of significant figures.
func Round(x float64, figures int) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	// These digits are always a number.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', figures, 64), 64)
	return rounded
}

// maxLabel is how many columns of a terminal a label takes at most.
const maxLabel = 22

// newKeys gives names their labels: cut in the middle where they are long, for their ends are what
// tells "Samsung T7 Shield 2TB" from "... 4TB"; numbered where that makes two of them alike.
func newKeys(names []string) []LegendKey {
	keys := make([]LegendKey, len(names))
	var taken []string
	for i, name := range names {
		label := shorten(name, maxLabel)
		for n := 2; slices.Contains(taken, label); n++ {
			label = shorten(name, maxLabel-4) + fmt.Sprintf(" (%d)", n)
		}
		taken = append(taken, label)
		keys[i] = LegendKey{Name: name, Label: label, Index: i}
	}
	return keys
}

func shorten(name string, limit int) string { return cells.CutMiddle(Clean(name), limit) }

// Clean is a name as it can be shown: on one line, and without what would turn the line around.
func Clean(text string) string { return cells.Clean(strings.ToValidUTF8(text, "·")) }

// RightToLeft reports whether the text has letters that are written from the right.
func RightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.R || p.Class() == bidi.AL
	})
}
