package chart

import (
	"math"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// Scale is the one unit in which a whole page or table gives its rates, so that they compare at a glance.
type Scale struct {
	Unit string  // "GB/s" or "MB/s"
	Size float64 // of the unit in bytes per second
}

// ScaleOf picks the unit by the fastest rate in the analysis.
func ScaleOf(a *analysis.Analysis) Scale {
	top := 0.0
	for i := range a.Phases {
		if o := a.Phases[i].Overlap; o != nil {
			top = max(top, o.Rate)
		}
		for _, disk := range a.Phases[i].Disks {
			if disk.Rate != nil {
				top = max(top, *disk.Rate)
			}
		}
	}
	return ScaleFor(top)
}

// ScaleFor picks the unit by the fastest rate.
func ScaleFor(top float64) Scale {
	if top < 100e6 {
		return Scale{"MB/s", 1e6}
	}
	return Scale{"GB/s", 1e9}
}

// Number writes a rate with three significant figures, without the unit: "3.46", "0.742".
func (s Scale) Number(rate float64) string { return Figures(rate / s.Size) }

// Rate writes a rate with its unit: "0.742 GB/s".
func (s Scale) Rate(rate float64) string { return s.Number(rate) + " " + s.Unit }

// Figures writes a number with three significant figures, but no more than five decimals.
func Figures(x float64) string {
	places := 0
	if x != 0 {
		places = min(5, max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))))
	}
	text := strconv.FormatFloat(x, 'f', places, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && places > 0 && math.Abs(rounded) >= math.Pow10(3-places) {
		text = strconv.FormatFloat(x, 'f', places-1, 64) // 9.996 is 10.0, not 10.00
	}
	return text
}

// Clock writes an instant of a phase in seconds, as fine as a phase of the given length deserves: 45.8 µs
// into a phase of half a minute is "0".
func Clock(seconds, length float64) string {
	if length <= 0 {
		length = seconds
	}
	places := 0
	if length > 0 {
		places = min(9, max(0, 2-int(math.Floor(math.Log10(length)))))
	}
	text := strconv.FormatFloat(seconds, 'f', places, 64)
	if value, err := strconv.ParseFloat(text, 64); err == nil && value == 0 {
		return "0"
	}
	return text
}
