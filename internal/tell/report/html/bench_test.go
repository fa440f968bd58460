package html

import (
	"fmt"
	"io"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A page of a million files must stay under 4 MB. From some 50,000 of a disk on it grows no more:
// the bands are as many as a screen can show.
func TestManyFilesMakeASmallPage(t *testing.T) {
	t.Parallel()
	const files = 200_000
	page := pageOf(t, reportOf(fixture.Many(files)), nil, make([]byte, 600_000))
	if got := len(page); got > 2_000_000 {
		t.Errorf("a page of %d files takes %d bytes, want at most 2 MB", files, got)
	}
}

func BenchmarkWriteMillionFiles(b *testing.B) { writing(b, fixture.Many(1_000_000)) }

func BenchmarkWriteTriple(b *testing.B) { writing(b, fixture.Triple()) }

func writing(b *testing.B, run *trace.Run) {
	b.ReportAllocs()
	for b.Loop() {
		check.Must(b, Write(io.Discard, reportOf(run), nil))
	}
}

// A study of hundreds of phases must load at once: past a hundred a phase takes 16 kB at most.
func TestManyPhasesMakeASmallPage(t *testing.T) {
	t.Parallel()
	const phases, library = 110, 600_000
	parts, order := map[string][]fixture.Part{}, []string{}
	for i := range phases {
		name := fmt.Sprintf("WW-%d", i+1)
		order = append(order, name)
		parts[name] = []fixture.Part{{Disk: "A", Op: "write", Files: 20,
			Pace: []fixture.Pace{{Rate: 0.7e9}}},
			{Disk: "C", Op: "write", Files: 20, Pace: []fixture.Pace{{Rate: 2e9}}}}
	}
	doc := reportOf(fixture.Run("study", []string{"A", "C"}, parts, order...))
	if got := (len(pageOf(t, doc, nil, make([]byte, library))) - library) / phases; got > 16_000 {
		t.Errorf("%d bytes for each of %d phases, want at most 16000", got, phases)
	}
}
