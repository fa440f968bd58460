package scenario

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestCarryOver(t *testing.T) {
	job := func(disk string, role trace.Role, sizes ...int64) Job {
		return Job{Disk: disk, Role: role, Sizes: sizes}
	}
	pass := job("A", trace.Write, 5, 5)
	pass.IO.OneFile = true
	plan := &Plan{Phases: []Phase{
		{Jobs: []Job{job("A", trace.Write, 1, 2), job("B", trace.Read, 9)}},
		{Jobs: []Job{job("B", trace.Read, 7)}},
		{Jobs: []Job{job("A", trace.Write, 3)}},
		{Jobs: []Job{job("A", trace.Read, 1, 2, 2)}},
		{Jobs: []Job{pass}},
	}}
	for _, tt := range []struct {
		phase int
		disk  string
		want  []int64
	}{
		{0, "A", []int64{1, 2, 2}},
		{0, "B", []int64{7}},
		{1, "B", nil},
		{3, "A", []int64{5}},
		{4, "A", nil},
		{0, "C", nil},
	} {
		check.Same(t, fmt.Sprintf("CarryOver(%d, %s)", tt.phase, tt.disk), tt.want,
			plan.CarryOver(tt.phase, tt.disk))
	}
}

func TestStock(t *testing.T) {
	job := func(role trace.Role, io IO, sizes ...int64) Job {
		return Job{Disk: "A", Role: role, Sizes: sizes, IO: io}
	}
	var plain IO
	passes := IO{OneFile: true}
	const w, r = trace.Write, trace.Read
	for _, tt := range []struct {
		name string
		jobs []Job
		want []Stock
	}{
		{"nothing shared", []Job{job(w, plain, 1, 2), job(r, plain, 4, 8)},
			[]Stock{{Space: 3}, {12, 12}}},
		{"written and read", []Job{job(w, plain, 4, 8), job(r, plain, 8, 4)},
			[]Stock{{Space: 12}, {Space: 12}}},
		{"written in part", []Job{job(w, plain, 4, 8), job(r, plain, 8, 8)},
			[]Stock{{Space: 12}, {16, 8}}},
		{"a read set waits while others are written",
			[]Job{job(r, plain, 4, 8), job(w, plain, 4, 100), job(r, plain, 4, 8)},
			[]Stock{{12, 12}, {Space: 112}, {Space: 12}}},
		{"kept", []Job{job(w, IO{Keep: true}, 5), job(w, plain, 7)},
			[]Stock{{Space: 5}, {Space: 12}}},
		{"kept, and read before more is kept",
			[]Job{job(w, IO{Keep: true}, 5), job(r, IO{Keep: true}, 5), job(w, IO{Keep: true}, 7)},
			[]Stock{{Space: 5}, {Space: 5}, {Space: 12}}},
		{"a footprint", []Job{job(w, IO{Footprint: 10}, 6, 6, 6)}, []Stock{{Space: 10}}},
		{"a footprint below a file", []Job{job(w, IO{Footprint: 4}, 6, 6, 6)}, []Stock{{Space: 6}}},
		{"passes", []Job{job(w, passes, 6, 6, 6), job(r, passes, 6, 6), job(r, plain, 6)},
			[]Stock{{6, 6}, {Space: 6}, {Space: 6}}},
	} {
		plan := &Plan{}
		for _, j := range tt.jobs {
			other := j
			other.Disk = "B"
			plan.Phases = append(plan.Phases, Phase{Jobs: []Job{other, j}})
		}
		check.Same(t, tt.name, tt.want, plan.Stock("A"))
	}
}

func TestLastingFiles(t *testing.T) {
	const mib = 1 << 20
	play := stream.Spec{Rate: 92e6, Count: 2}
	slow := stream.Spec{Rate: 1e6, Count: 1}
	many := stream.Spec{Rate: 100e6, Count: 40, Record: true} // 4 GB/s, of which 8 GB are 2 s
	record := stream.Spec{Rate: 10e6, Count: 2, Record: true}
	for _, tt := range []struct {
		name         string
		job          Job
		needs, holds []int64
	}{
		{"played", Job{Role: trace.Read, Streams: []stream.Spec{play, slow}},
			[]int64{1754 * mib, 1754 * mib, 19 * mib}, []int64{1754 * mib, 1754 * mib, 19 * mib}},
		{"many", Job{Role: trace.Write, Streams: []stream.Spec{many}}, nil,
			slices.Repeat([]int64{190 * mib}, 40)},
		{"recorded", Job{Role: trace.Write, Streams: []stream.Spec{record}}, nil,
			[]int64{190 * mib, 190 * mib}},
		{"both", Job{Role: trace.Read, Streams: []stream.Spec{slow, record}}, []int64{19 * mib},
			[]int64{19 * mib, 190 * mib, 190 * mib}},
		{"within a footprint", Job{Role: trace.Read, Streams: []stream.Spec{play},
			IO: IO{Footprint: 640 * mib}}, []int64{319 * mib, 319 * mib},
			[]int64{319 * mib, 319 * mib}},
		{"a second at least", Job{Role: trace.Read, Streams: []stream.Spec{play},
			IO: IO{Footprint: 64 * mib}}, []int64{87 * mib, 87 * mib}, []int64{87 * mib, 87 * mib}},
		{"as in the plan", Job{Role: trace.Read, Streams: []stream.Spec{play},
			Stretch: 2 * time.Second}, []int64{175 * mib, 175 * mib},
			[]int64{175 * mib, 175 * mib}},
		{"probe", Job{Role: trace.Read, Probe: time.Second, IO: IO{Block: 4096}}, []int64{1 << 30},
			[]int64{1 << 30}},
		{"probe within a footprint",
			Job{Role: trace.Read, Probe: time.Second, IO: IO{Footprint: 64 * mib}},
			[]int64{64 * mib}, []int64{64 * mib}},
		{"reads and writes", Job{Role: trace.Write, Reads: 0.3, Sizes: []int64{5, 7}},
			[]int64{5, 7}, []int64{5, 7}},
	} {
		check.Same(t, tt.name+": needs", tt.needs, tt.job.Needs())
		check.Same(t, tt.name+": holds", tt.holds, tt.job.holds())
	}
}

// A search needs room for the most streams that it may try, and its tries the same files for each.
func TestStockOfSearch(t *testing.T) {
	plan := mustPlan(t, twoDisks("{}",
		"[{streams: {A: {rate: 10 MB/s}}, search: {streams: A, most: 50}}]"))
	job := plan.Phases[0].Jobs[0]
	one := job.StreamFiles()[0]
	check.Same(t, "stock", Stock{Space: 50 * one, Before: 50 * one}, plan.Stock("A")[0])
	if got := plan.CarryOver(0, "A"); len(got) != 50 || got[0] != one {
		t.Errorf("between two tries %d files stay, want those of all streams", len(got))
	}
	if try := plan.Phases[0].WithStreams("A", 7).Jobs[0].StreamFiles(); len(try) != 7 ||
		try[0] != one || 50*one > stretchBytes {
		t.Errorf("a try of 7 streams has files of %d, and the first of a search for 50 has %d", try,
			one)
	}
}

// A search that does not say how far to go stops at what the links of the time, a worker's memory
// and the footprint allow.
func TestSearchMax(t *testing.T) {
	for _, tt := range []struct {
		phase string
		want  float64
	}{
		{"{streams: {A: {rate: 100 MB/s}}, search: streams}", 100},
		{"{streams: {A: {rate: 1 MB/s}}, search: streams}", maxStreams},
		{"{streams: {A: {rate: 400 MB/s, frame: 40 ms}}, search: streams}", 25},
		// 1 GiB of frames.
		{"{streams: {A: {rate: 10 MB/s, frame: 800 ms}}, search: streams, block: 64 MiB}", 134},
		{"{streams: {A: {rate: 100 MB/s}}, search: streams, footprint: 1 GB}", 10},
		{"{streams: {A: {rate: 100 MB/s}}, search: streams, footprint: 150 MB}", 1},
		{"{streams: {A: {rate: 100 MB/s}}, search: {streams: A, most: 7}}", 7},
		{"{streams: {A: {rate: 100 MB/s}}, pattern: -W, search: pace}", 0},
		{"{streams: {A: {rate: 100 MB/s}}, pattern: -W, search: {pace: B, most: 1 GB/s}}", 1e9},
	} {
		plan := mustPlan(t, twoDisks("{}", "["+tt.phase+"]"))
		check.Same(t, tt.phase, tt.want, plan.Phases[0].Search.Max)
	}
}

// What was recorded may have gaps, so it does not stand for what a later phase plays.
func TestStockOfStreams(t *testing.T) {
	spec := stream.Spec{Rate: 1 << 20, Count: 1}
	recorded := spec
	recorded.Record = true
	plan := &Plan{Disks: []Disk{{Name: "A"}}, Phases: []Phase{
		{Jobs: []Job{{Disk: "A", Role: trace.Write, Streams: []stream.Spec{recorded},
			Sizes: []int64{1 << 20}}}},
		{Jobs: []Job{{Disk: "A", Role: trace.Read, Streams: []stream.Spec{spec},
			Sizes: []int64{1 << 20}}}},
		{Jobs: []Job{{Disk: "A", Role: trace.Read, Streams: []stream.Spec{spec},
			Sizes: []int64{1 << 20}}}},
	}}
	want := []Stock{{Space: 20 << 20}, {Space: 20 << 20, Before: 20 << 20}, {Space: 20 << 20}}
	check.Same(t, "stock", want, plan.Stock("A"))
}

// The letter of a disk that has streams may be -, even if no other disk works: its streams do. They
// last for twice their buffer at the least, as no frame is due before it is full.
func TestStreamsOfAnIdleLetter(t *testing.T) {
	for _, tt := range []struct {
		phase string
		want  time.Duration
	}{
		{"{pattern: --, streams: {A: {rate: 10 MB/s}}}", 30 * time.Second},
		{"{roles: {A: idle}, streams: {A: {rate: 10 MB/s}}}", 30 * time.Second},
		{"{streams: {A: {rate: 10 MB/s, buffer: 20 s}}}", 40 * time.Second},
		{"{streams: {A: {rate: 10 MB/s, buffer: 20 s}}, stop: 21 s}", 21 * time.Second},
	} {
		plan := mustPlan(t, twoDisks("{}", "["+tt.phase+"]"))
		p := plan.Phases[0]
		if len(p.Jobs) != 1 || p.Roles["A"] != trace.Read || p.Limit != tt.want {
			t.Errorf("%s: %d jobs, A %s, %v", tt.phase, len(p.Jobs), p.Roles["A"], p.Limit)
		}
	}
}

func TestFilling(t *testing.T) {
	const gb = int64(1e9)
	for _, tt := range []struct {
		name   string
		volume Volume
		share  float64
		needed int64
		want   int64
		whole  bool
	}{
		{"an empty volume", Volume{Size: 1000 * gb, Free: 1000 * gb}, 0.5, 100 * gb, 500 * gb,
			true},
		{"what is there counts", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.5, 0,
			200 * gb, true},
		{"fuller already", Volume{Size: 1000 * gb, Used: 600 * gb, Free: 400 * gb}, 0.5, 0, 0,
			true},
		{"room for the test files", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.9,
			100 * gb, 580*gb - 64<<20, false},
		{"no room at all", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.9, 800 * gb,
			0, false},
		{"full, and that is enough", Volume{Size: 1000 * gb, Used: 990 * gb, Free: 10 * gb}, 0.5,
			800 * gb, 0, true},
	} {
		if got, whole := tt.volume.Filling(tt.share, tt.needed); got != tt.want ||
			whole != tt.whole {
			t.Errorf("%s: %d bytes, whole %v; want %d, %v", tt.name, got, whole, tt.want, tt.whole)
		}
	}
}

func TestFillings(t *testing.T) {
	phase := func(share float64, disks ...string) Phase {
		p := Phase{Precondition: share}
		for _, d := range disks {
			p.Jobs = append(p.Jobs, Job{Disk: d, Role: trace.Write, Sizes: []int64{1e9}})
		}
		return p
	}
	plan := &Plan{Phases: []Phase{phase(0, "A"), phase(0.5, "A"), phase(0.5, "B"), phase(0.5, "A"),
		phase(0.6, "A"), phase(0.6, "B")}}
	v := Volume{Size: 100e9, Used: 10e9, Free: 90e9}
	for disk, want := range map[string][]int64{
		"A": {0, 40e9, 0, 0, 50e9, 0},
		"B": {0, 0, 40e9, 0, 0, 50e9},
	} {
		check.Same(t, disk, want, plan.Fillings(disk, v))
	}
	for i, want := range []bool{false, true, true, false, true, false} {
		check.Same(t, fmt.Sprintf("phase %d keeps what it was filled with", i), want,
			plan.KeepsFilling(i))
	}
}
