package unit

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FormatBytes writes a size in decimal units with at most three significant figures: "60.8 GB", "2
// MB", "4.1 KB". Zeros that say nothing are left out, for sizes are mostly chosen, not measured.
func FormatBytes(n int64) string {
	value, prefix := scale(float64(n))
	return trimZeros(value) + " " + prefix + "B"
}

// FormatBlock writes a size in the binary unit that divides it, for that is how blocks are chosen,
// or else as FormatBytes.
func FormatBlock(n int64) string {
	for _, u := range [...]struct {
		bytes int64
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n > 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + " " + u.name
		}
	}
	return FormatBytes(n)
}

// FormatRate writes a rate with exactly three significant figures from 1 KB/s up: "3.46 GB/s",
// "3.20 GB/s", "742 MB/s". Rates are measured, so their zeros count. What is not a number is "-
// B/s".
func FormatRate(bytesPerSecond float64) string {
	if math.IsNaN(bytesPerSecond) || math.IsInf(bytesPerSecond, 0) {
		return "- B/s"
	}
	value, prefix := scale(bytesPerSecond)
	return value + " " + prefix + "B/s"
}

// Scale is one unit for rates that are read together, so that they compare at a glance.
type Scale struct {
	Unit string  // "GB/s" or "MB/s"
	Size float64 // size of the unit in bytes per second
}

// ScaleFor picks the unit by the fastest of the rates.
func ScaleFor(top float64) Scale {
	if top < 999.5e6 {
		return Scale{"MB/s", 1e6}
	}
	return Scale{"GB/s", 1e9}
}

// Number writes a rate with three significant figures, without the unit: "3.46", "0.742".
func (s Scale) Number(rate float64) string { return FormatNumber(rate / s.Size) }

// Rate writes a rate with its unit: "0.742 GB/s".
func (s Scale) Rate(rate float64) string { return s.Number(rate) + " " + s.Unit }

// FormatNumber writes a number with three significant figures, but no more than five decimals.
func FormatNumber(x float64) string {
	places := 0
	if x != 0 {
		places = min(5, max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))))
	}
	text := strconv.FormatFloat(x, 'f', places, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil && places > 0 &&
		math.Abs(rounded) >= math.Pow10(3-places) {
		text = strconv.FormatFloat(x, 'f', places-1, 64) // 9.996 is 10.0, not 10.00
	}
	return text
}

// scale divides by the greatest power of 1000 that leaves at least 1 once rounded (999.6 MB is 1.00
// GB).
func scale(value float64) (text, prefix string) {
	prefixes := [...]string{"", "K", "M", "G", "T", "P", "E"}
	i := 0
	for math.Abs(value) >= 999.5 && i < len(prefixes)-1 {
		value /= 1000
		i++
	}
	if i == 0 {
		return strconv.FormatFloat(math.Round(value)+0, 'f', -1, 64), "" // +0: never "-0"
	}
	return FormatNumber(value), prefixes[i]
}

// FormatDuration writes a time as FormatSeconds does.
func FormatDuration(d time.Duration) string { return FormatSeconds(d.Seconds()) }

// FormatSeconds writes a time: "33.3 s", "40 ms", "85 µs", "2 min 5 s", "1 h 10 min". What is not a
// number is "- s".
func FormatSeconds(seconds float64) string {
	switch size := math.Abs(seconds); {
	case math.IsNaN(size) || math.IsInf(size, 0):
		return "- s"
	case size >= 3599.5:
		minutes := math.Round(seconds / 60)
		return pair(minutes, "h", "min")
	case size >= 59.95:
		return pair(math.Round(seconds), "min", "s")
	case size >= 0.9995:
		return trimZeros(FormatNumber(seconds)) + " s"
	case size >= 0.9995e-3:
		return trimZeros(FormatNumber(seconds*1e3)) + " ms"
	case size >= 0.9995e-6:
		return trimZeros(FormatNumber(seconds*1e6)) + " µs"
	case size == 0:
		return "0 s"
	default:
		return trimZeros(FormatNumber(seconds*1e9)) + " ns"
	}
}

// pair writes a count of small units as big ones of sixty and the rest: 125 is "2 min 5 s".
func pair(count float64, big, small string) string {
	whole := math.Trunc(count / 60)
	text := strconv.FormatFloat(whole, 'f', 0, 64) + " " + big
	if rest := math.Abs(count - whole*60); rest > 0 {
		text += " " + strconv.FormatFloat(rest, 'f', 0, 64) + " " + small
	}
	return text
}

// trimZeros cuts the zeros after a decimal point, and the point if nothing follows.
func trimZeros(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}

// FormatPercent writes a share of which 1 is all: "50%", "12.5%", "0.1%".
func FormatPercent(share float64) string {
	return trimZeros(FormatNumber(100*share)) + "%"
}

// List joins names as in a sentence: "A, B and C".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Capital begins a sentence.
func Capital(text string) string {
	_, first := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:first]) + text[first:]
}

// FormatCount writes a whole number with a comma at each thousand: "6,000".
func FormatCount(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Plural returns a number of things: "1 file", "3 files".
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return FormatCount(n) + " " + thing
}
