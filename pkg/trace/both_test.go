package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Files are of the direction that they name, however another tool numbers them.
func TestBothNumberedApart(t *testing.T) {
	disk := mustLoad(t, strings.Split(`{"type":"phase","phase":"p","roles":{"A":"read"},"work":{"A":{"reads":0.7}}}
{"type":"file","phase":"p","disk":"A","op":"read","seq":0,"bytes":70,"start_ns":0,"end_ns":100}
{"type":"file","phase":"p","disk":"A","op":"write","seq":0,"bytes":30,"start_ns":0,"end_ns":100}
{"type":"file","phase":"p","disk":"A","op":"read","seq":1,"bytes":70,"start_ns":100,"end_ns":200}
{"type":"file","phase":"p","disk":"A","op":"write","seq":1,"bytes":30,"start_ns":100,"end_ns":200}`, "\n")...).Phases[0].Disks[0]
	for op, want := range map[Role]int64{Read: 140, Write: 60} {
		got := int64(0)
		for _, f := range disk.Direction(op).Files {
			got += f.Bytes
		}
		check.Same(t, string(op), want, got)
	}
}

// A disk that reads and writes at once has one file for each pass, whose two directions are known
// apart: in any order of the lines, with one of the two missing, and if the last pass did not end.
func TestBoth(t *testing.T) {
	lines := []string{
		`{"type":"phase","phase":"p","roles":{"A":"write"},"work":{"A":{"op":"write","reads":0.4}}}`,
		`{"type":"progress","phase":"p","disk":"A","seq":0,"bytes":20,"t_ns":50}`,
		`{"type":"progress","phase":"p","disk":"A","seq":1,"bytes":30,"t_ns":50}`,
		`{"type":"file","phase":"p","disk":"A","op":"read","seq":0,"bytes":40,"start_ns":0,"end_ns":100}`,
		`{"type":"file","phase":"p","disk":"A","op":"write","seq":1,"bytes":60,"start_ns":0,"end_ns":100}`,
		`{"type":"file","phase":"p","disk":"A","op":"write","seq":3,"bytes":100,"start_ns":100,"end_ns":200}`,
		`{"type":"progress","phase":"p","disk":"A","seq":5,"bytes":7,"t_ns":230}`,
		`{"type":"progress","phase":"p","disk":"A","seq":4,"bytes":3,"t_ns":240}`,
		`{"type":"progress","phase":"p","disk":"A","seq":5,"bytes":9,"t_ns":240}`,
	}
	wantReads := &DiskRecord{
		Name: "A", Op: Read,
		Files: []File{{Seq: 0, Bytes: 40, EndNS: 100,
			Progress: &Progress{Samples: []Sample{{50, 20}}}}},
		Open: []Sample{{240, 3}},
	}
	wantWrites := &DiskRecord{
		Name: "A", Op: Write,
		Files: []File{
			{Seq: 1, Bytes: 60, EndNS: 100, Progress: &Progress{Samples: []Sample{{50, 30}}}},
			{Seq: 3, Bytes: 100, StartNS: 100, EndNS: 200},
		},
		Open: []Sample{{230, 7}, {240, 9}},
	}
	want := &DiskRecord{
		Name: "A", Op: Write, Both: true, Reads: wantReads, Writes: wantWrites,
		Files: []File{
			{Seq: 0, Bytes: 100, EndNS: 100, Progress: &Progress{[]Sample{{50, 50}}}},
			{Seq: 1, Bytes: 100, StartNS: 100, EndNS: 200},
		},
		Open: []Sample{{230, 7}, {240, 12}},
	}
	for range len(lines) - 1 {
		// The phase's line stays.
		lines = append(append(lines[:1:1], lines[len(lines)-1]), lines[1:len(lines)-1]...)
		run := mustLoad(t, lines...)
		if len(run.Warnings) > 1 { // no run line
			t.Errorf("warnings: %q", run.Warnings)
		}
		disk := run.Phases[0].Disks[0]
		for i, pair := range [][2]*DiskRecord{{want, disk}, {wantReads, disk.Direction(Read)},
			{wantWrites, disk.Direction(Write)}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Fatalf("%d (-want +got):\n%s", i, diff)
			}
		}
	}
	plain := &DiskRecord{Name: "B", Op: Read, Files: []File{{Bytes: 5, EndNS: 9}}}
	if got := plain.Direction(Read); len(got.Files) != 1 {
		t.Errorf("a disk that only reads: got %+v", got)
	}
	if got := plain.Direction(Write); len(got.Files) != 0 {
		t.Errorf("a disk that only reads wrote %+v", got)
	}
}
