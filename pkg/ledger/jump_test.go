package ledger

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A step at 20 s, which is bin 200 of 600, is a jump as far as the widest window reaches, and nowhere else.
func TestJumps(t *testing.T) {
	stepped := settled(60, tracetest.Steps(100, [2]float64{20, 50})).series
	level := settled(60, tracetest.Steps(100)).series
	for at, want := range map[int]bool{200: true, 190: true, 212: true, 175: false, 225: false, 400: false, 0: false, 600: false} {
		edges := []int{0, at, 600}
		check.Same(t, fmt.Sprintf("bin %d", at), want, stepped.jumps(at, edges))
		if level.jumps(at, edges) {
			t.Errorf("bin %d of a level: a jump", at)
		}
	}
	// Another as large does not make it common if it is an edge itself.
	twice := settled(60, tracetest.Steps(100, [2]float64{20, 50}, [2]float64{40, 100})).series
	if twice.jumps(200, []int{0, 200, 600}) || !twice.jumps(200, []int{0, 200, 400, 600}) {
		t.Error("a jump of two is reported though only one of them is known, or is not though both are")
	}
}

// oneFile is a file of 40 s at 100 bytes a second, that has progress 20 times a second and falls to 50 at 20.3 s.
func oneFile() *trace.DiskRecord {
	f := trace.File{StartNS: 0, EndNS: 40e9}
	for now := int64(0); now < f.EndNS; now += 5e7 {
		if now < 20.3e9 {
			f.Bytes += 500
		} else {
			f.Bytes += 250
		}
		f.AddSample(trace.Sample{TNS: now + 5e7, Bytes: f.Bytes})
	}
	return &trace.DiskRecord{Files: []trace.File{f}}
}

// A change is dated by the jump within a second and a half of where the levels put it.
func TestSharpest(t *testing.T) {
	cut := oneFile() // in two, just before the fall
	first, second := cut.Files[0], cut.Files[0]
	k := 404 // samples to 20.2 s
	first.EndNS, first.Bytes = 20.2e9, first.Samples()[k-1].Bytes
	first.Progress = &trace.Progress{Samples: first.Samples()[:k]}
	second.StartNS, second.Bytes, second.Progress = 20.2e9, second.Bytes-first.Bytes, nil
	for _, s := range cut.Files[0].Samples()[k:] {
		second.AddSample(trace.Sample{TNS: s.TNS, Bytes: s.Bytes - first.Bytes})
	}
	cut.Files = []trace.File{first, second}
	unsampled := oneFile()
	unsampled.Files[0].Progress = nil
	for _, tt := range []struct {
		name             string
		d                *trace.DiskRecord
		at, change, want float64
	}{
		{"there", oneFile(), 20.3, -5000, 20.3},
		{"a second before", oneFile(), 19, -5000, 20.3},
		{"a second later", oneFile(), 21.5, -5000, 20.3},
		{"two seconds later", oneFile(), 22.3, -5000, 22.3},
		{"most of the change", oneFile(), 21, -6500, 20.3},
		{"less than three quarters of it", oneFile(), 21, -6800, 21},
		{"the other way", oneFile(), 21, 5000, 21},
		{"nothing is known inside the file", unsampled, 21, -5000, 21},
		{"not where a file has just begun", cut, 21.5, -5000, 20.35},
		{"close to the end", oneFile(), 38.5, -5000, 38.5},
		{"close to the beginning", oneFile(), 1.5, -5000, 1.5},
	} {
		p := bare(tt.d)
		check.Near(t, tt.name, tt.want, seconds(p.Sharpest(ns(tt.at), tt.change)), 1e-6)
	}
}

// Two bins or more from both of its ends.
func TestInsideFile(t *testing.T) {
	p := Disk{Trace: tracetest.FilesOf([2]float64{1, 5}, [2]float64{1, 5})}
	for at, want := range map[float64]bool{0.5: true, 0.1: false, 0.101: true, 0.899: true, 0.9: false, 1: false, 1.05: false, 1.5: true, 1.9: false, 2: false, 3: false} {
		check.Same(t, fmt.Sprintf("at %v s", at), want, p.insideFile(ns(at)))
	}
}
