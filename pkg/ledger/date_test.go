package ledger

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// oneFile is a file of 40 s at 100 bytes a second, that has progress 20 times a second and falls to
// 50 at 20.3 s.
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

// unsampled are files of 700 MB without progress, at 798 MB/s and from 14.265 s on at 1.5 GB/s: one
// that had begun at 14.042 s shows both.
func unsampled() *trace.DiskRecord {
	const size, slow, fast, at = 7e8, 0.798, 1.5, 14.265e9 // bytes, bytes a nanosecond, ns
	d := &trace.DiskRecord{}
	for now := 14.042e9 - 16*size/slow; len(d.Files) < 32; {
		end := now + size/slow
		if end > at {
			before := max(at-now, 0)
			end = now + before + (size-before*slow)/fast
		}
		d.Files = append(d.Files,
			trace.File{StartNS: int64(now), EndNS: int64(end), Bytes: size})
		now = end
	}
	return d
}

// A change is dated where the rate jumps inside a file, between bins too.
func TestDates(t *testing.T) {
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
	between := oneFile()
	for i := range between.Files[0].Samples() {
		between.Files[0].Samples()[i].TNS += 3e7
	}
	between.Files[0].EndNS += 3e7
	for _, tt := range []struct {
		name string
		d    *trace.DiskRecord
		want float64
	}{
		{"one file", oneFile(), 20.3},
		{"a file that has just begun", cut, 20.3},
		{"between two bins", between, 20.33},
		{"files without progress", unsampled(), 14.265},
	} {
		p := New(tt.d, work.Work{}, SampleNS)
		p.Settle(1)
		if len(p.Levels) != 2 {
			t.Fatalf("%s: %d levels, want 2", tt.name, len(p.Levels))
		}
		check.Near(t, tt.name, tt.want, seconds(p.Levels[1].StartNS), 0.02)
	}
}
