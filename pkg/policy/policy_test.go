package policy

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// files moves up to limit files at a byte a nanosecond, and returns a line for each: its number,
// bytes, and what it is.
func files(j *JobState, limit int) (lines []string) {
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
		{"race by name", scenario.Phase{Stop: scenario.StopRace}, discard,
			[]string{"0 4 filler", "1 2"}, true},
		{"hold", scenario.Phase{Stop: scenario.StopHold}, plain,
			[]string{"0 4", "1 2", "2 4 filler", "3 2 filler"}, true},
		{"time", scenario.Phase{Stop: scenario.StopTime, Limit: 9}, plain,
			[]string{"0 4", "1 2", "2 4", "3 2"}, false},
		{"target", scenario.Phase{Target: 10}, plain, []string{"0 4", "1 2", "2 4"}, true},
		{"target and hold", scenario.Phase{Target: 10, Stop: scenario.StopHold}, plain,
			[]string{"0 4", "1 2", "2 4", "3 2 filler"}, true},
		{"streams in a race", scenario.Phase{}, streams, accompany, false},
		{"streams while others hold", scenario.Phase{Stop: scenario.StopHold}, streams, accompany,
			false},
		{"streams for a time", scenario.Phase{Stop: scenario.StopTime, Limit: 9}, streams,
			accompany, false},
		{"a probe beside a target", scenario.Phase{Target: 2}, probe, accompany, false},
	} {
		j := NewJobState("p", Of(&tt.phase), tt.job)
		check.Same(t, tt.name, tt.want, files(j, 4))
		check.Same(t, tt.name+": worked", tt.worked, j.Worked())
	}
}

// Only of a filler is it said how far it came: the progress of any other file says so itself.
func TestCutShort(t *testing.T) {
	job := &scenario.Job{Disk: "A", Role: trace.Read, Sizes: []int64{4}}
	j := NewJobState("p", Policy{Hold: true}, job)
	j.Progress(3, 30)
	if e, ok := j.CutShort(10); ok {
		t.Errorf("its own file: got %+v", e)
	}
	j.File(4, 10, 40)
	if e, ok := j.CutShort(40); ok {
		t.Errorf("a filler not begun: got %+v", e)
	}
	j.Progress(2, 60)
	want := trace.Event{
		Type: trace.FileType, Phase: "p", Disk: "A", Op: trace.Read, Seq: 1, Bytes: 2, StartNS: 40,
		EndNS: 60, Filler: true,
	}
	if e, ok := j.CutShort(40); !ok || !cmp.Equal(e, want) {
		t.Errorf("a filler: got %+v, want %+v", e, want)
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
		check.Same(t, fmt.Sprintf("%+v: asks for", tt.job), tt.want, paced.Ask())
	}
	if Of(&scenario.Phase{Limit: time.Second}).Open() {
		t.Error("a limit counts though the phase does not stop by time")
	}
}

// settledAt is the windows at whose ends a job was steady that moves at rates (bytes per
// nanosecond, by window of 10 ns) and is heard of every so often.
func settledAt(p Policy, role trace.Role, rates []int64, every int64) (windows []int) {
	p.Steady = 10
	j := NewJobState("p", p, &scenario.Job{Role: role, Sizes: []int64{1e9}})
	var moved int64
	for ns := range int64(len(rates)) * 10 {
		moved += rates[ns/10]
		if (ns+1)%every == 0 {
			j.Progress(moved, ns+1)
		}
		for w, ok := j.Settled(); ok; w, ok = j.Settled() {
			windows = append(windows, w)
		}
	}
	return windows
}

func TestSettled(t *testing.T) {
	flat := slices.Repeat([]int64{100}, 7)
	fall := slices.Concat(slices.Repeat([]int64{300}, 6), slices.Repeat([]int64{100}, 6))
	for _, tt := range []struct {
		name   string
		policy Policy
		role   trace.Role
		rates  []int64
		want   []int
	}{
		{"flat", Policy{}, trace.Write, flat, []int{5, 6, 7}},
		{"across a fall", Policy{}, trace.Write, fall, []int{5, 6, 11, 12}},
		{"only after a fall", Policy{AfterFall: true}, trace.Write, fall, []int{11, 12}},
		{"it never falls", Policy{AfterFall: true}, trace.Write, flat, nil},
		{"reading has no cache to fill", Policy{AfterFall: true}, trace.Read, flat, []int{5, 6, 7}},
	} {
		for _, every := range []int64{1, 5, 10, 30} { // it does not matter when it is heard of
			got := settledAt(tt.policy, tt.role, tt.rates, every)
			check.Same(t, fmt.Sprintf("%s, heard of every %d ns: steady at the ends of windows",
				tt.name, every), slices.DeleteFunc(slices.Clone(tt.want), func(w int) bool {
				return int64(w)*10 > int64(len(tt.rates))*10/every*every
			}), got)
		}
	}
}

// A phase is settled when all its jobs but those that accompany them are steady at the end of one
// and the same window.
func TestSettling(t *testing.T) {
	s := NewSettling(&scenario.Phase{
		Steady: 10 * time.Second,
		Jobs:   []scenario.Job{{Disk: "A"}, {Disk: "B"}, {Disk: "C", Probe: time.Second}},
	})
	for _, tt := range []struct {
		window int
		all    bool
	}{{5, false}, {6, false}, {7, false}, {6, true}} {
		endNS, all := s.Add(tt.window)
		check.Same(t, fmt.Sprintf("window %d: all steady", tt.window), tt.all, all)
		check.Same(t, fmt.Sprintf("end of window %d", tt.window), int64(tt.window)*10e9+5e9, endNS)
	}
	check.Same(t, "policy", Policy{Limit: 9, Steady: 1},
		Of(&scenario.Phase{Stop: scenario.StopTime, Limit: 9, Steady: 1}))
}

func TestBoth(t *testing.T) {
	file := trace.Event{
		Type: trace.FileType, Disk: "A", Op: trace.Write, Seq: 3, Bytes: 100, StartNS: 1, EndNS: 9,
	}
	reads, writes := Both(file, 70)
	wantReads := trace.Event{
		Type: trace.FileType, Disk: "A", Op: trace.Read, Seq: 6, Bytes: 70, StartNS: 1, EndNS: 9,
	}
	wantWrites := trace.Event{
		Type: trace.FileType, Disk: "A", Op: trace.Write, Seq: 7, Bytes: 30, StartNS: 1, EndNS: 9,
	}
	check.Same(t, "file", []trace.Event{wantReads, wantWrites}, []trace.Event{reads, writes})
	progress := trace.Event{Type: trace.ProgressType, Disk: "A", Seq: 0, Bytes: 10, TNS: 5}
	reads, writes = Both(progress, 4)
	if reads.Bytes != 4 || reads.Seq != 0 || writes.Bytes != 6 || writes.Seq != 1 ||
		reads.Op != "" {
		t.Errorf("progress: got %+v and %+v", reads, writes)
	}
}

// work runs an aimed job at a rate (bytes per second, by time) and returns when it ends.
func work(job *scenario.Job, target time.Duration, rate func(s float64) float64) float64 {
	const step = 0.05
	aim := newAim(job, target)
	files := math.MaxInt
	var s, bytes float64
	for {
		if files < math.MaxInt {
			if left := float64(bytesOf(job, files)) - bytes; left <= 0 {
				return s
			}
		}
		s += step
		bytes += step * rate(s)
		if n, ok := aim.moved(int64(bytes), int64(s*1e9)); ok {
			files = n
		}
	}
}

func TestAim(t *testing.T) {
	job := &scenario.Job{Sizes: []int64{1e9, 3e8, 2e9, 5e8, 7e8}}
	for _, tt := range []struct {
		name string
		rate func(s float64) float64
		off  float64 // of the target, at most
	}{
		{"slow", func(float64) float64 { return 0.7e9 }, 0.05},
		{"fast", func(float64) float64 { return 2.1e9 }, 0.02},
		{"a slow start", func(s float64) float64 { return 2e9 * min(1, s/8) }, 0.05},
		{"throttled in the middle", func(s float64) float64 {
			if s > 22 {
				return 0.65e9
			}
			return 2.3e9
		}, 0.05},
		{"wavy", func(s float64) float64 { return 1e9 * (1 + 0.2*math.Sin(s)) }, 0.05},
	} {
		got := work(job, 40*time.Second, tt.rate)
		if math.Abs(got-40)/40 > tt.off {
			t.Errorf("%s: ended after %.1f s, want 40 s within %.0f %%", tt.name, got, 100*tt.off)
		}
	}
}

// A job that has moved more than it should have keeps the file it is in.
func TestAimNeverTakesBack(t *testing.T) {
	aim := newAim(&scenario.Job{Sizes: []int64{1e9}}, time.Second)
	if n, ok := aim.moved(5_500_000_000, 3e9); !ok || n < 6 {
		t.Errorf("got %d files, %v; want at least the 6 that it is in", n, ok)
	}
}

// What a job's own work comes to is told once each time that its progress decides it.
func TestQuota(t *testing.T) {
	policy := Policy{Target: 40 * time.Second}
	j := NewJobState("p", policy, &scenario.Job{Sizes: []int64{1e9, 3e9}})
	var quotas []int64
	for tNS := int64(1e9); tNS <= 8e9; tNS += 1e9 {
		j.Progress(tNS/4, tNS)
		if bytes, ok := j.Quota(); ok {
			quotas = append(quotas, bytes)
		}
		if bytes, ok := j.Quota(); ok {
			t.Errorf("told twice: %d", bytes)
		}
	}
	// 10 GB are as near to 9 as to 12, and the earlier decides: from a tenth of the target on.
	check.Same(t, "quotas", []int64{9e9, 9e9, 9e9}, quotas)
}
