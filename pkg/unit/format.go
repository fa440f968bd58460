package unit

import (
	"math"
	"strconv"
	"strings"
)

// FormatBytes writes a size in decimal units with at most three significant figures: "60.8 GB", "2 MB",
// "4.1 KB". Zeros that say nothing are left out, for sizes are mostly chosen, not measured.
func FormatBytes(n int64) string {
	value, prefix := scale(float64(n))
	return trimZeros(value) + " " + prefix + "B"
}

// FormatBlock writes a size in the binary unit that divides it, for that is how blocks are chosen, or else as FormatBytes.
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

// FormatRate writes a rate with exactly three significant figures from 1 KB/s up: "3.46 GB/s", "3.20 GB/s", "742 MB/s".
// Rates are measured, so their zeros count. What is not a number is "- B/s".
func FormatRate(bytesPerSecond float64) string {
	if math.IsNaN(bytesPerSecond) || math.IsInf(bytesPerSecond, 0) {
		return "- B/s"
	}
	value, prefix := scale(bytesPerSecond)
	return value + " " + prefix + "B/s"
}

// scale divides by the greatest power of 1000 that leaves at least 1 once rounded (999.6 MB is 1.00 GB).
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
	return figures(value), prefixes[i]
}

// FormatSeconds writes a time: "33.3 s", "40 ms", "85 µs", "2 min 5 s", "1 h 10 min". What is not a number is "- s".
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
		return trimZeros(figures(seconds)) + " s"
	case size >= 0.9995e-3:
		return trimZeros(figures(seconds*1e3)) + " ms"
	case size >= 0.9995e-6:
		return trimZeros(figures(seconds*1e6)) + " µs"
	case size == 0:
		return "0 s"
	default:
		return trimZeros(figures(seconds*1e9)) + " ns"
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

// figures writes a value below 1000 with three significant figures, never as an exponent.
func figures(value float64) string {
	places := 2
	switch size := math.Abs(value); {
	case size >= 99.95:
		places = 0
	case size >= 9.995:
		places = 1
	}
	return strconv.FormatFloat(value, 'f', places, 64)
}

// trimZeros cuts the zeros after a decimal point, and the point where nothing follows.
func trimZeros(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}
