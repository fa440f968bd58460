package text

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/fixture"
)

func TestWriteComparison(t *testing.T) {
	var out strings.Builder
	if err := WriteComparison(&out, fixture.Comparison()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "comparison.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("tables changed (-want +got); -update accepts:\n%s", diff)
	}
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
