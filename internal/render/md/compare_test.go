package md

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/fixture"
)

func TestWriteComparison(t *testing.T) {
	c := fixture.Comparison()
	c.Base.Label = "before|after"
	var out strings.Builder
	if err := WriteComparison(&out, c); err != nil {
		t.Fatal(err)
	}
	want := `## results/after beside before\|after

Not alike (a fair comparison differs in the one thing it is about):

- connection, A in WWW: hub → direct
- flush: full → none

Of 5 rates, 1 fell, 1 rose, 2 show no difference, 1 cannot be judged.

**WWW**

| disk | rate | base, GB/s | new | change | 95 % interval | p (Holm) | difference |
|---|---|---:|---:|---:|---:|---:|---|
| A | writes, window | 0.742 | 0.705 | -5.0 % | -6.2 to -3.8 % | &lt; 0.001 | slower |
| A | writes, files | 0.750 | 0.773 | +3.1 % | +1.9 to +4.3 % | 0.012 | faster |
| C | writes, window | 2.10 | 2.10 | 0.0 % | -1.5 to +1.5 % | 1 | not shown |
| C | writes, files | 2.10 | 2.20 | +4.8 % |  |  | too little data |
| together | window | 2.84 | 2.80 | -1.2 % | -2.6 to +0.1 % | 0.31 | not shown |

- recovery of A after C: 4 s → 6.25 s
- recovery of A after B: not seen → 500 ms
- C (writes, files): 5 files lie wholly in the window, and it takes 8

**WRR**

- not compared: no disk has the same role in both runs

- only in the base: RRR
- not in the base: RWW, RWW-2

Findings that appeared:

- WWW: A fell from 0.742 GB/s to 0.500 GB/s after 23.9 GB.

Findings that went:

- WRR: the disks shared evenly.

To keep in mind:

- results/after: the run ended early: phases may be missing or incomplete

`
	tables, notes, _ := strings.Cut(out.String(), "window: bytes over time")
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"Holm's method", "repeated runs", "1 GB = 10^9 bytes"} {
		if !strings.Contains(notes, text) {
			t.Errorf("the notes lack %q: %s", text, notes)
		}
	}
}
