package unit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// reads checks what a parser makes of texts, and that it refuses others on one line that says why
// and what to try.
func reads[T comparable](
	t *testing.T, parse func(string) (T, error), good map[string]T, bad map[string]string,
	try string,
) {
	t.Helper()
	for text, want := range good {
		if got, err := parse(text); err != nil || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range bad {
		_, err := parse(text)
		check.Refused(t, strconv.Quote(text), err, want)
		if err != nil && (!strings.Contains(err.Error(), try) ||
			strings.ContainsAny(err.Error(), "\n\r")) {
			t.Errorf("%q: %q does not say on one line what to try", text, err)
		}
	}
}

func TestParse(t *testing.T) {
	reads(t, ParseBytes, map[string]int64{
		"0": 0, "4096": 4096, "1 B": 1, "2 MB": 2e6, "2mb": 2e6, " 2  MB ": 2e6, "1.5GiB": 3 << 29,
		"512 KiB": 512 << 10,
		"512 kib": 512 << 10, "50 kB": 50e3, "53.3 GB": 53_300_000_000, "0.000000001 GB": 1,
		"0.5 KiB": 512, ".5 KB": 500,
		"2. GB": 2e9, "2 TB": 2e12, "1 TiB": 1 << 40, "1.10 KB": 1100,
		"9223372036854775807": math.MaxInt64,
	}, map[string]string{
		"": "empty", "  ": "empty", "-1": "negative", "-2 MB": "negative", "MB": "not a number",
		".":        "not a number",
		"1.2.3 MB": "not a number", "1/2 MB": `unknown unit "/2 MB"`, "1e9": `unknown unit "e9"`,
		"2 M": `"M" may mean powers of 1000 (MB) or of 1024 (MiB)`, "2 Mb": `"Mb" is bits`, "2 XB": `unknown unit "XB"`,
		"0.0001 KB": "not a whole number of bytes", "1.5": "not a whole number of bytes",
		"9223372036854775808": "too large", "10000000 TB": "too large",
		strings.Repeat("9", 1000): "too long",
		"2 M\nB":                  `unknown unit "M\nB"`,
	}, "such as 2 MB")
	reads(t, ParseRate, map[string]float64{
		"2.8 GB/s": 2.8e9, "742MB/s": 742e6, "1 MiB/s": 1 << 20, "1000000": 1e6, "0.5": 0.5, "0": 0,
	}, map[string]string{
		"": "empty", "-1 GB/s": "negative", "40 Gb/s": `"Gb" is bits`, "2.8 GB": `"GB" is not per second`,
		"2.8 G/s": "may mean", "fast": "not a number", "2 GB/min": "not per second",
	}, "such as 2.8 GB/s")
	reads(t, ParseDuration, map[string]time.Duration{
		"40ms": 40 * time.Millisecond, "30 s": 30 * time.Second, "1.5 min": 90 * time.Second,
		"2 min 5 s": 125 * time.Second, "1h10m": 70 * time.Minute, "0s": 0,
	}, map[string]string{
		"": "empty", "30": "the unit is missing", "-5 s": "negative", "s": "not a number",
		"soon":         "not a number",
		"5 fortnights": `unknown unit "fortnights"`, "9999999999 h": "too long",
	}, "such as 30 s")
	reads(t, ParsePercent, map[string]float64{
		"50 %": 0.5, "12.5%": 0.125, " .5 % ": 0.005, "100 %": 1, "0%": 0,
	}, map[string]string{
		"0.5":    `share "0.5": the % is missing; try a number with %, such as 50%`,
		"-5 %":   `share "-5 %": must not be negative; try a number with %, such as 50%`,
		"50 %%":  `share "50 %%": unknown unit "%%"; try a number with %, such as 50%`,
		"":       `share "": empty; try a number with %, such as 50%`,
		"a half": `share "a half": not a number; try a number with %, such as 50%`,
	}, "such as 50%")
}

func writes[T comparable](t *testing.T, format func(T) string, cases map[T]string) {
	t.Helper()
	for v, want := range cases {
		check.Same(t, fmt.Sprint(v), want, format(v))
	}
}

func TestFormat(t *testing.T) {
	writes(t, FormatPercent, map[float64]string{0.5: "50%", 0.125: "12.5%", 0.005: "0.5%",
		1: "100%", 0: "0%"})
	writes(t, FormatBlock, map[int64]string{
		512: "512 B", 4096: "4 KiB", 8 << 20: "8 MiB", 1 << 30: "1 GiB", 1000: "1 KB", 0: "0 B",
		5 << 9: "2.56 KB",
	})
	writes(t, FormatBytes, map[int64]string{
		0: "0 B", 512: "512 B", 999: "999 B", 4096: "4.1 KB", 2e6: "2 MB", 20e6: "20 MB",
		999_499_999: "999 MB",
		999_500_000: "1 GB", 53_300_000_000: "53.3 GB", 60_800_000_000: "60.8 GB", 100e9: "100 GB",
		-2e6:          "-2 MB",
		math.MaxInt64: "9.22 EB",
	})
	writes(t, FormatRate, map[float64]string{
		0: "0 B/s", -0.2: "0 B/s", 3.4612e9: "3.46 GB/s", 3.2e9: "3.20 GB/s", 742.4e6: "742 MB/s",
		99.96e6: "100 MB/s",
		9.996e6: "10.0 MB/s", 999.6e6: "1.00 GB/s", -742e6: "-742 MB/s", math.NaN(): "- B/s",
		math.Inf(1): "- B/s",
	})
	writes(t, FormatSeconds, map[float64]string{
		0: "0 s", 33.3: "33.3 s", 20: "20 s", 59.94: "59.9 s", 59.96: "1 min", 0.04: "40 ms",
		0.9996:   "1 s",
		0.000085: "85 µs", 0.0009996: "1 ms", 1e-9: "1 ns", 125.4: "2 min 5 s",
		3599.4: "59 min 59 s", 3599.6: "1 h",
		4200: "1 h 10 min", -33.3: "-33.3 s", -125: "-2 min 5 s", math.NaN(): "- s",
	})
	writes(t, FormatNumber, map[float64]string{
		0: "0", 3.456: "3.46", 0.74249: "0.742", 9.996: "10.0", 99.96: "100", 2100: "2100",
		0.00012345: "0.00012",
		0.9996:     "1.00",
	})
	writes(t, FormatCount, map[int]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567",
	})
	writes(t, func(n int) string { return Plural(n, "file") }, map[int]string{
		0: "0 files", 1: "1 file", 2: "2 files", 1000: "1,000 files",
	})
	writes(t, func(names string) string { return List(strings.Fields(names)) }, map[string]string{
		"": "", "A": "A", "A B": "A and B", "A B C D": "A, B, C and D",
	})
}

// What FormatBytes writes, ParseBytes reads back, to the three figures that were written.
func FuzzFormatBytes(f *testing.F) {
	for _, n := range []int64{0, 1, 999, 4096, 2e6, 999_500_000, math.MaxInt64} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		text := FormatBytes(n)
		if n < 0 || strings.HasSuffix(text, "PB") || strings.HasSuffix(text, "EB") {
			return
		}
		got, err := ParseBytes(text)
		if err != nil {
			t.Fatalf("ParseBytes(FormatBytes(%d)): %v", n, err)
		}
		if diff := math.Abs(float64(got - n)); diff > 0.00501*float64(n) {
			t.Errorf("FormatBytes(%d) = %q reads back as %d", n, text, got)
		}
	})
}

// A pattern and its parser agree on every text made of the pieces of quantities, except for what a
// pattern cannot say.
func TestPatterns(t *testing.T) {
	numbers := []string{"", "0", "2", "2.", ".5", "1.5", "1.2.3", ".", "-1", "1e3", " 7 ",
		"\u00a03"}
	units := []string{"", "B", "b", "KB", "kb", "kB", "Kb", "MiB", "mib", "Mib", "iB", "M", "GB/s",
		"GB /s", "/s", "s", "ms", "µs", "sec", "min", "h", "d", " MB ", "MB/", "S", "%", " % "}
	for _, number := range numbers {
		for _, unit := range units {
			for _, text := range []string{number + unit, number + " " + unit, number + unit +
				number + unit} {
				for name, try := range map[string]struct {
					pattern string
					parse   func(string) error
				}{
					"size": {SizePattern,
						func(s string) error { _, err := ParseBytes(s); return err }},
					"rate": {RatePattern,
						func(s string) error { _, err := ParseRate(s); return err }},
					"time": {TimePattern,
						func(s string) error { _, err := ParseDuration(s); return err }},
					"percent": {PercentPattern,
						func(s string) error { _, err := ParsePercent(s); return err }},
				} {
					err := try.parse(text)
					if err != nil && strings.Contains(err.Error(), "not a whole number of bytes") {
						continue
					}
					if matches := regexp.MustCompile(try.pattern).MatchString(text); matches != (err == nil) {
						t.Errorf("%s %q: the pattern says %t, the parser %v", name, text, matches,
							err)
					}
				}
			}
		}
	}
}

// One unit for rates that are read together, whatever each would take alone.
func TestScale(t *testing.T) {
	for _, test := range []struct {
		top, rate float64
		want      string
	}{
		{2.15e9, 2.15e9, "2.15 GB/s"}, {2.15e9, 682e6, "0.682 GB/s"},
		{2.15e9, 54.3e6, "0.0543 GB/s"},
		{742e6, 742e6, "742 MB/s"}, {742e6, 54.3e6, "54.3 MB/s"}, {999.4e6, 999.4e6, "999 MB/s"},
		{999.6e6, 999.6e6, "1.00 GB/s"}, {0, 0, "0 MB/s"},
	} {
		check.Same(t, fmt.Sprint(test.top, test.rate), test.want,
			ScaleFor(test.top).Rate(test.rate))
	}
}
