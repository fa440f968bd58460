package text

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/render/fixture"
)

func TestWriteComparison(t *testing.T) {
	var out strings.Builder
	if err := WriteComparison(&out, fixture.Comparison()); err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.txt", out.String())
}

// TestHostileComparison: no name breaks a line or moves the cursor.
func TestHostileComparison(t *testing.T) {
	c := fixture.Comparison()
	for i, name := range fixture.HostileNames() {
		p := &c.Pairs[0]
		p.Label = name
		p.Phases[0].Phase = name
		p.Phases[0].Rates[0].Disk = name
		p.Method[0].Where = name
		p.OnlyBase = append(p.OnlyBase, name)
		var out strings.Builder
		if err := WriteComparison(&out, c); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			if got := columns(line); got > most || strings.ContainsAny(line, "\x1b\t\u202e") {
				t.Errorf("name %d: a line of %d columns, want at most %d and no control characters: %q", i, got, most, line)
			}
		}
	}
}
