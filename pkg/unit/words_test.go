package unit

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for names, want := range map[string]string{"": "", "A": "A", "A B": "A and B", "A B C D": "A, B, C and D"} {
		if got := List(strings.Fields(names)); got != want {
			t.Errorf("a list of %q: %q, want %q", names, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		if got := FormatCount(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", 1000: "1,000 files"} {
		if got := Plural(n, "file"); got != want {
			t.Errorf("%d files: %q, want %q", n, got, want)
		}
	}
}
