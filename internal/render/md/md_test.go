package md

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestWrite(t *testing.T) {
	a := &analysis.Analysis{
		Name: "triple", Order: []string{"A", "B|b"},
		Phases: []analysis.Phase{
			{Phase: "WR", Verdict: "A kept 2.1 GB/s.", Overlap: &analysis.Overlap{DurationS: 33.3, Rate: 2.8e9}},
			{Phase: "W-", Verdict: "A alone: no overlap.", Warnings: []analysis.Warning{{Text: "one file only"}}},
		},
		Matrix: []analysis.MatrixRow{
			{Phase: "WR", Roles: map[string]trace.Role{"A": trace.Write, "B|b": trace.Read}, Rates: map[string]float64{"A": 2.1e9, "B|b": 0.7e9}, Total: 2.8e9},
			{Phase: "W-", Roles: map[string]trace.Role{"A": trace.Write, "B|b": trace.Idle}},
		},
		Findings: []analysis.Finding{{Phase: "WR", Text: "A takes bandwidth from B."}},
	}
	var out strings.Builder
	if err := Write(&out, a); err != nil {
		t.Fatal(err)
	}
	want := `## triple

| phase, GB/s | A | B\|b | together | overlap |
|---|---:|---:|---:|---:|
| WR | W 2.10 | R 0.700 | 2.80 | 33.3 s |
| W- | W – | idle | – | – |

**WR.** A kept 2.1 GB/s.

- A takes bandwidth from B.

**W-.** A alone: no overlap.

To keep in mind:

- one file only

Rates are bytes over time while all working disks were active; 1 GB = 10^9 bytes. Measured with hubbench.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostileNames(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, say.Analyze(fixture.Hostile(), analysis.Options{})); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", " @ink", "__f__", "\x1b", "\u202e"} {
		if strings.Contains(out.String(), bad) {
			t.Errorf("%q stands unescaped in the text", bad)
		}
	}
	rows := 0
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "|") {
			rows++
			if bars := strings.Count(line, "|") - strings.Count(line, `\|`); bars != len(fixture.HostileNames())+4 {
				t.Errorf("%d bars in a row of the table: %s", bars, line)
			}
		}
	}
	if rows != 4 {
		t.Errorf("%d rows in the table, want 4", rows)
	}
}
