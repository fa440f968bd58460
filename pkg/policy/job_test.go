package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// files moves up to limit files at a byte a nanosecond, and returns a line for each: its number, bytes, and what it is.
func files(j *Job, limit int) (lines []string) {
	for range limit {
		size, ok := j.Next()
		if !ok {
			break
		}
		e := j.File(size, j.Moved(), j.Moved()+size)
		line := fmt.Sprint(e.Seq, " ", e.Bytes)
		if e.Filler {
			line += " filler"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestJob(t *testing.T) {
	discard := &scenario.Job{Sizes: []int64{4, 2}, IO: scenario.IO{Discard: 1}}
	plain := &scenario.Job{Sizes: []int64{4, 2}}
	streams := &scenario.Job{Sizes: []int64{3}, Streams: []stream.Spec{{Count: 1}}}
	probe := &scenario.Job{Sizes: []int64{3}, Probe: time.Second}
	accompany := []string{"0 3", "1 3", "2 3", "3 3"}
	for _, tt := range []struct {
		name   string
		phase  scenario.Phase
		job    *scenario.Job
		want   []string
		worked bool
	}{
		{"race", scenario.Phase{}, plain, []string{"0 4", "1 2"}, true},
		{"race by name", scenario.Phase{Stop: scenario.StopRace}, discard, []string{"0 4 filler", "1 2"}, true},
		{"hold", scenario.Phase{Stop: scenario.StopHold}, plain, []string{"0 4", "1 2", "2 4 filler", "3 2 filler"}, true},
		{"time", scenario.Phase{Stop: scenario.StopTime, Limit: 9}, plain, []string{"0 4", "1 2", "2 4", "3 2"}, false},
		{"target", scenario.Phase{Target: 10}, plain, []string{"0 4", "1 2", "2 4"}, true},
		{"target and hold", scenario.Phase{Target: 10, Stop: scenario.StopHold}, plain, []string{"0 4", "1 2", "2 4", "3 2 filler"}, true},
		{"streams in a race", scenario.Phase{}, streams, accompany, false},
		{"streams while others hold", scenario.Phase{Stop: scenario.StopHold}, streams, accompany, false},
		{"streams for a time", scenario.Phase{Stop: scenario.StopTime, Limit: 9}, streams, accompany, false},
		{"a probe beside a target", scenario.Phase{Target: 2}, probe, accompany, false},
	} {
		j := NewJob("p", Of(&tt.phase), tt.job)
		if diff := cmp.Diff(tt.want, files(j, 4)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if got := j.Worked(); got != tt.worked {
			t.Errorf("%s: worked %v, want %v", tt.name, got, tt.worked)
		}
	}
}

// Only of a filler is it said how far it came: the progress of any other file says so itself.
func TestCutShort(t *testing.T) {
	job := &scenario.Job{Disk: "A", Role: trace.Read, Sizes: []int64{4}}
	j := NewJob("p", Policy{Hold: true}, job)
	j.Progress(3, 30)
	if e, ok := j.CutShort(10); ok {
		t.Errorf("its own file: got %+v", e)
	}
	j.File(4, 10, 40)
	if e, ok := j.CutShort(40); ok {
		t.Errorf("a filler not begun: got %+v", e)
	}
	j.Progress(2, 60)
	want := trace.Event{Type: trace.FileType, Phase: "p", Disk: "A", Op: trace.Read, Seq: 1, Bytes: 2, StartNS: 40, EndNS: 60, Filler: true}
	if e, ok := j.CutShort(40); !ok || !cmp.Equal(e, want) {
		t.Errorf("a filler: got %+v, want %+v", e, want)
	}
}

// A quota is reported once, when it has been decided, and is that of whole files.
func TestQuota(t *testing.T) {
	j := NewJob("p", Policy{Target: 40 * time.Second}, &scenario.Job{Sizes: []int64{1e9, 3e9}})
	var quotas []int64
	for tNS := int64(1e9); tNS <= 3e9; tNS += 5e8 {
		j.Progress(tNS/4, tNS)
		if _, ok := j.Quota(); ok {
			t.Errorf("decided after %d ns, before a tenth of the target", tNS)
		}
	}
	for tNS := int64(4e9); tNS <= 8e9; tNS += 1e9 {
		j.Progress(tNS/4, tNS)
		if bytes, ok := j.Quota(); ok {
			quotas = append(quotas, bytes)
		}
		if bytes, ok := j.Quota(); ok {
			t.Errorf("told twice: %d", bytes)
		}
	}
	if !slices.Equal(quotas, []int64{9e9, 9e9, 9e9}) { // 10 GB are as near to 9 as to 12, and the earlier decides
		t.Errorf("got %v", quotas)
	}
}

func TestPhase(t *testing.T) {
	var p Phase
	if !p.Over() {
		t.Error("a phase without disks is not over")
	}
	p.Begin("A")
	p.Begin("B")
	p.End("A")
	p.End("A")
	p.End("nobody")
	if p.Over() {
		t.Error("over while B is at work")
	}
	if p.End("B"); !p.Over() {
		t.Error("not over when all have ended")
	}
}

func TestTransfer(t *testing.T) {
	tr := NewTransfer(&scenario.Job{}, 2*Stretch+5, 100)
	var samples []int64
	now := tr.StartNS
	for n := tr.Ask(); n > 0; n = tr.Ask() {
		now += n
		if tr.Granted(now) {
			samples = append(samples, tr.Bytes)
		}
	}
	if tr.Bytes != 2*Stretch+5 || tr.EndNS != now || !slices.Equal(samples, []int64{2 * Stretch}) {
		t.Errorf("got %+v with samples at %v", tr, samples)
	}
	if empty := NewTransfer(&scenario.Job{}, 0, 7); empty.Ask() != 0 {
		t.Errorf("an empty file asks for %d bytes", empty.Ask())
	}
	for _, tt := range []struct {
		job  scenario.Job
		want int64
	}{
		{scenario.Job{Pace: 200e6}, 5e6},
		{scenario.Job{Pace: 5e9}, Stretch},
		{scenario.Job{Streams: []stream.Spec{{Rate: 92e6, Count: 2}, {Rate: 8e6, Count: 2}}}, 5e6},
		{scenario.Job{Probe: 100 * time.Millisecond, IO: scenario.IO{Block: 4096}}, 1024},
	} {
		paced := NewTransfer(&tt.job, 1e9, 0)
		if got := paced.Ask(); got != tt.want {
			t.Errorf("%+v: asks for %d bytes, want %d", tt.job, got, tt.want)
		}
	}
	if Of(&scenario.Phase{Limit: time.Second}).Open() {
		t.Error("a limit counts though the phase does not stop by time")
	}
}
