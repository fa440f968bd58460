package diskio

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// emitted gathers the latency events of a job.
type emitted struct {
	mu     sync.Mutex
	events []trace.Event
}

func (l *emitted) emit(e trace.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// sum adds up the histograms of an operation.
func (l *emitted) sum(t *testing.T, op trace.Role) *latency.Sum {
	t.Helper()
	sum := latency.NewSum()
	for _, e := range l.events {
		if e.Type != trace.LatencyType || e.Op != op {
			continue
		}
		h, err := latency.Decode(e.Hist)
		check.Must(t, err)
		h.MergeInto(sum)
	}
	return sum
}

// Each second is reported separately, by operation; a stretch that ended before a pause ends there;
// the rest is reported in the end.
func TestLatenciesBySecond(t *testing.T) {
	type line struct {
		Op       trace.Role
		TNS, N   int64
		P50, Max int64
	}
	const s = 1_000_000_000
	var heard emitted
	synctest.Test(t, func(*testing.T) {
		l := newLatencies(heard.emit)
		wait := synctest.Wait // until the last stretch is written down
		wait()
		l.record(trace.Write, 5, 105)
		l.tick(0.5 * s)
		l.record(trace.Write, 5, 505)
		l.tick(1.25 * s)
		wait()
		l.record(trace.Read, s, s+7)
		l.record(trace.Write, s, s+9)
		l.tick(1.5 * s)
		// The pause of 3 s.
		l.resume(4.5 * s)
		wait()
		l.record(trace.Read, s, s+8)
		l.tick(4.7 * s)
		l.stop()
	})
	want := []line{
		{trace.Write, 1.25 * s, 2, 100, 500}, {trace.Read, 1.5 * s, 1, 7, 7},
		{trace.Write, 1.5 * s, 1, 9, 9}, {trace.Read, 4.7 * s, 1, 8, 8},
	}
	var got []line
	for _, e := range heard.events {
		h, err := latency.Decode(e.Hist)
		check.Must(t, err)
		got = append(got, line{e.Op, e.TNS, h.TotalCount(), h.ValueAtPercentile(50), h.Max()})
	}
	check.Same(t, "lines", want, got)
}

// While a stretch cannot be reported, the next goes on, and nothing is lost.
func TestLatenciesOfASlowReader(t *testing.T) {
	var heard emitted
	var reader sync.Mutex
	reader.Lock()
	l := newLatencies(func(e trace.Event) {
		reader.Lock()
		defer reader.Unlock()
		heard.emit(e)
	})
	var lanes sync.WaitGroup
	for lane := range 4 {
		lanes.Go(func() {
			for i := range int64(10_000) {
				l.record(trace.Read, 0, 1000+i)
				if lane == 0 {
					l.tick(i * 1_000_000)
				}
			}
		})
	}
	lanes.Wait()
	reader.Unlock()
	l.stop()
	got := heard.sum(t, trace.Read)
	check.Same(t, "requests", int64(40_000), got.TotalCount())
	check.Same(t, "the longest", int64(10_999), got.Max())
	if n := len(heard.events); n > 2 {
		t.Errorf("%d events, though the first was not taken", n)
	}
}

// Of requests that take 10 us each, a delay of 10 ms in 2 % of the requests is in p99, in full, and
// not in p97; the rest is as it was. Each second has an event.
func TestDelayAppearsInP99(t *testing.T) {
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		synctest.Test(t, func(t *testing.T) {
			r := threadRig(make([]byte, 4096), 1)
			tr := newTransfer(t, "threads", 20_000*4096, 4096)
			now, requests := int64(1), int64(0)
			tr.op = op
			tr.file = hooked{nullFile{}, func(trace.Role, int, int64, int64) bool {
				now += 10_000
				if requests++; requests%50 == 0 {
					now += 10_000_000
					synctest.Wait() // for the last event to be written down
				}
				return true
			}}
			tr.now = func() int64 { return now }
			var heard emitted
			tr.latencies = newLatencies(heard.emit)
			check.Must(t, r.moveAll(t.Context(), tr))
			tr.latencies.stop()
			check.Must(t, r.close())
			check.Same(t, "events of 4.2 s", 5, len(heard.events))
			got := heard.sum(t, op)
			for q, want := range map[float64]int64{0.5: 10_000, 0.97: 10_000, 0.985: 10_010_000,
				0.99: 10_010_000, 1: 10_010_000} {
				if v := got.ValueAtQuantile(100 * q); v < want || v > want+want/1000 {
					t.Errorf("%s: quantile %g is %d ns, want %d", op, q, v, want)
				}
			}
			check.Same(t, string(op)+"s", int64(20_000), got.TotalCount())
		})
	}
}
