package html

import (
	"bytes"
	"io"
	"testing"

	"github.com/hubbench/hubbench/internal/render/fixture"
)

// A page of a million files must stay under 4 MB.
func TestManyFilesMakeASmallPage(t *testing.T) {
	files := 1_000_000
	if testing.Short() {
		files = 50_000
	}
	var page bytes.Buffer
	if err := write(&page, input(fixture.Many(files)), make([]byte, 600_000)); err != nil {
		t.Fatal(err)
	}
	if got := page.Len(); got > 4_000_000 {
		t.Errorf("a page of %d files takes %d bytes, want at most 4 MB", files, got)
	}
	t.Logf("%d files: %d bytes", files, page.Len())
}

func BenchmarkWriteMillionFiles(b *testing.B) {
	in := input(fixture.Many(1_000_000))
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteTriple(b *testing.B) {
	in := input(fixture.Triple())
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(io.Discard, in); err != nil {
			b.Fatal(err)
		}
	}
}
