package unit

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// The patterns hold every space that the parsers trim, in a syntax that Python's re has too.
func TestPatternsTakeEverySpace(t *testing.T) {
	for _, pattern := range []string{SizePattern, RatePattern, PercentPattern, TimePattern} {
		if strings.Contains(pattern, `\p{`) {
			t.Errorf("%s: Python knows no \\p", pattern)
		}
	}
	size := regexp.MustCompile(SizePattern)
	for r := range rune(unicode.MaxRune) {
		if got := size.MatchString(string(r) + "1 GB"); got != unicode.IsSpace(r) && !strings.ContainsRune("0123456789.", r) {
			t.Errorf("%U before a size: matches %v, want %v", r, got, !got)
		}
	}
}
