package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Pieces are of at least half a tenth of a second of active time, and hold what was moved in it: short files are put
// together, also over a pause, and what is left at the end is a piece of its own.
func TestPieces(t *testing.T) {
	file := func(fromS, toS float64, bytes int64) trace.File {
		return trace.File{StartNS: ns(fromS), EndNS: ns(toS), Bytes: bytes}
	}
	for _, tt := range []struct {
		name  string
		files []trace.File
		want  []piece
	}{
		{"long files", []trace.File{file(0, 1, 300), file(1, 3, 400)}, []piece{{span(0, 1), 300, 1}, {span(1, 3), 200, 2}}},
		{"short files", []trace.File{file(0, 0.02, 10), file(0.02, 0.06, 10), file(0.06, 0.12, 40), file(0.12, 0.4, 28)},
			[]piece{{span(0, 0.12), 500, 0.12}, {span(0.12, 0.4), 100, 0.28}}},
		{"a pause", []trace.File{file(0, 0.04, 10), file(2, 2.04, 30), file(5, 5.5, 100)}, []piece{{span(0, 2.04), 500, 0.08}, {span(5, 5.5), 200, 0.5}}},
		{"a short end", []trace.File{file(0, 1, 300), file(3, 3.04, 10)}, []piece{{span(0, 1), 300, 1}, {span(3, 3.04), 250, 0.04}}},
	} {
		d := &trace.DiskTrace{Files: tt.files}
		p := part{trace: d, active: overlap.Active(d, 5e8), curve: overlap.NewCurve(d)}
		if diff := cmp.Diff(tt.want, p.pieces(), cmp.AllowUnexported(piece{}), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
