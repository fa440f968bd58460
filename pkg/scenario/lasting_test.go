package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

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
		{"played", Job{Role: trace.Read, Streams: []stream.Spec{play, slow}}, []int64{1754 * mib, 1754 * mib, 19 * mib}, []int64{1754 * mib, 1754 * mib, 19 * mib}},
		{"many", Job{Role: trace.Write, Streams: []stream.Spec{many}}, nil, slices.Repeat([]int64{190 * mib}, 40)},
		{"recorded", Job{Role: trace.Write, Streams: []stream.Spec{record}}, nil, []int64{190 * mib, 190 * mib}},
		{"both", Job{Role: trace.Read, Streams: []stream.Spec{slow, record}}, []int64{19 * mib}, []int64{19 * mib, 190 * mib, 190 * mib}},
		{"within a footprint", Job{Role: trace.Read, Streams: []stream.Spec{play}, IO: IO{Footprint: 640 * mib}}, []int64{319 * mib, 319 * mib}, []int64{319 * mib, 319 * mib}},
		{"a second at least", Job{Role: trace.Read, Streams: []stream.Spec{play}, IO: IO{Footprint: 64 * mib}}, []int64{87 * mib, 87 * mib}, []int64{87 * mib, 87 * mib}},
		{"as in the plan", Job{Role: trace.Read, Streams: []stream.Spec{play}, Stretch: 2 * time.Second}, []int64{175 * mib, 175 * mib}, []int64{175 * mib, 175 * mib}},
		{"probe", Job{Role: trace.Read, Probe: time.Second, IO: IO{Block: 4096}}, []int64{1 << 30}, []int64{1 << 30}},
		{"probe within a footprint", Job{Role: trace.Read, Probe: time.Second, IO: IO{Footprint: 64 * mib}}, []int64{64 * mib}, []int64{64 * mib}},
		{"reads and writes", Job{Role: trace.Write, Reads: 0.3, Sizes: []int64{5, 7}}, []int64{5, 7}, []int64{5, 7}},
	} {
		if diff := cmp.Diff(tt.needs, tt.job.Needs()); diff != "" {
			t.Errorf("%s: needs (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.holds, tt.job.holds()); diff != "" {
			t.Errorf("%s: holds (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A search needs room for the most streams that it may try, and its tries the same files for each.
func TestStockOfSearch(t *testing.T) {
	plan := mustPlan(t, twoDisks("{}", "[{streams: {A: {rate: 10 MB/s}}, search: {streams: A, most: 50}}]"))
	job := plan.Phases[0].Jobs[0]
	one := job.StreamFiles()[0]
	if want := (Stock{Space: 50 * one, Before: 50 * one}); plan.Stock("A")[0] != want {
		t.Errorf("%+v, want %+v", plan.Stock("A")[0], want)
	}
	if got := plan.CarryOver(0, "A"); len(got) != 50 || got[0] != one {
		t.Errorf("between two tries %d files stay, want those of all streams", len(got))
	}
	if try := plan.Phases[0].WithStreams("A", 7).Jobs[0].StreamFiles(); len(try) != 7 || try[0] != one || 50*one > stretchBytes {
		t.Errorf("a try of 7 streams has files of %d, and the first of a search for 50 has %d", try, one)
	}
}

// A search that does not say how far to go stops at what the links of the time, a worker's memory and the footprint allow.
func TestSearchMax(t *testing.T) {
	for _, tt := range []struct {
		phase string
		want  float64
	}{
		{"{streams: {A: {rate: 100 MB/s}}, search: streams}", 100},
		{"{streams: {A: {rate: 1 MB/s}}, search: streams}", maxStreams},
		{"{streams: {A: {rate: 400 MB/s, frame: 40 ms}}, search: streams}", 25},
		{"{streams: {A: {rate: 10 MB/s, frame: 800 ms}}, search: streams, block: 64 MiB}", 134}, // 1 GiB of frames
		{"{streams: {A: {rate: 100 MB/s}}, search: streams, footprint: 1 GB}", 10},
		{"{streams: {A: {rate: 100 MB/s}}, search: streams, footprint: 150 MB}", 1},
		{"{streams: {A: {rate: 100 MB/s}}, search: {streams: A, most: 7}}", 7},
		{"{streams: {A: {rate: 100 MB/s}}, pattern: -W, search: pace}", 0},
		{"{streams: {A: {rate: 100 MB/s}}, pattern: -W, search: {pace: B, most: 1 GB/s}}", 1e9},
	} {
		if got := mustPlan(t, twoDisks("{}", "["+tt.phase+"]")).Phases[0].Search.Max; got != tt.want {
			t.Errorf("%s tries %v at most, want %v", tt.phase, got, tt.want)
		}
	}
}

// What was recorded may have gaps, so it does not stand for what a later phase plays.
func TestStockOfStreams(t *testing.T) {
	spec := stream.Spec{Rate: 1 << 20, Count: 1}
	recorded := spec
	recorded.Record = true
	plan := &Plan{Disks: []Disk{{Name: "A"}}, Phases: []Phase{
		{Jobs: []Job{{Disk: "A", Role: trace.Write, Streams: []stream.Spec{recorded}, Sizes: []int64{1 << 20}}}},
		{Jobs: []Job{{Disk: "A", Role: trace.Read, Streams: []stream.Spec{spec}, Sizes: []int64{1 << 20}}}},
		{Jobs: []Job{{Disk: "A", Role: trace.Read, Streams: []stream.Spec{spec}, Sizes: []int64{1 << 20}}}},
	}}
	want := []Stock{{Space: 20 << 20}, {Space: 20 << 20, Before: 20 << 20}, {Space: 20 << 20}}
	if diff := cmp.Diff(want, plan.Stock("A")); diff != "" {
		t.Errorf("stock (-want +got):\n%s", diff)
	}
}

// The letter of a disk that has streams may be -, even if no other disk works: its streams do. They last for twice their
// buffer at the least, as no frame is due before it is full.
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
