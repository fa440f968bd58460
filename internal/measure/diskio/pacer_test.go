package diskio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// logging is a file that does no more than note when each request came, and hold it up for a while.
type logging struct {
	hooked
	log *[]logged
}

func newLogging(now func() int64, hold func(atNS int64) time.Duration) logging {
	log, one := &[]logged{}, &sync.Mutex{}
	return logging{hooked{nullFile{}, func(op trace.Role, _ int, off, n int64) bool {
		at := now()
		one.Lock()
		*log = append(*log, logged{op, off, n, at})
		one.Unlock()
		if hold != nil {
			<-time.After(hold(at))
		}
		return true
	}}, log}
}

// newPaced is the transfer of a file in virtual time.
func newPaced(f testFile, vt timing, p *pacer, size, block int64) *transfer {
	p.timing = vt
	tr := &transfer{file: f, op: trace.Write, size: size, want: size, padded: size,
		stamps: stamper{unit: 4096},
		pacer:  p, now: vt.now, sampleNS: policy.SampleNS}
	tr.setBlock(block)
	return tr
}

// moveAll moves transfers and closes their mover. It returns the requests by their times.
func (f logging) moveAll(ctx context.Context, t *testing.T, m rig, list ...*transfer) (_ []logged,
	err error) {
	t.Helper()
	for _, tr := range list {
		err = errors.Join(err, m.moveAll(ctx, tr))
	}
	check.Must(t, m.close())
	slices.SortFunc(*f.log, func(a, b logged) int { return int(a.atNS - b.atNS) })
	return *f.log, err
}

// checkBursts checks that no tenth of a second has more requests than that.
func checkBursts(t *testing.T, requests []logged, most int) {
	t.Helper()
	for i, first := 0, 0; i < len(requests); i++ {
		for requests[i].atNS-requests[first].atNS >= 100e6 {
			first++
		}
		if n := i - first + 1; n > most {
			t.Fatalf("%d requests in the tenth of a second up to %d ns, want %d at most", n,
				requests[i].atNS, most)
		}
	}
}

// paced moves files through threads at a rate, in virtual time, and returns the requests by their
// times. With a depth of 0 an application moves them, and its calls are the requests.
func paced(t *testing.T, depth int, rate float64, files []int64, block int64,
	hold func(atNS int64) time.Duration) []logged {
	t.Helper()
	vt := virtualTime()
	buf, err := newBuffer(appBytes)
	check.Must(t, err)
	defer freeBuffer(buf)
	f, p := newLogging(vt.now, hold), &pacer{rate: rate}
	samples := 0
	var list []*transfer
	for _, size := range files {
		tr := newPaced(f, vt, p, size, block)
		tr.sample = func(_, _, _ int64) { samples++ }
		list = append(list, tr)
	}
	r := threadRig(buf, max(1, depth))
	if depth == 0 {
		r.slots[0].memory.calls = newCalls(buf, files)
	}
	requests, err := f.moveAll(t.Context(), t, r, list...)
	check.Must(t, err)
	if fewest := int(vt.now()/policy.SampleNS)/2 - len(files); samples < fewest {
		t.Errorf("%d samples of progress in %d ns, want %d at least", samples, vt.now(), fewest)
	}
	return requests
}

// Every request of a paced job begins at its time, to the nanosecond, across files and however long
// the disk takes for each, as long as it keeps up. An application's copy is paced in pieces.
func TestPace(t *testing.T) {
	const block = 64 << 10
	for _, tt := range []struct {
		name  string
		rate  float64
		depth int
		hold  time.Duration
		late  time.Duration // at most
	}{
		{"fast disk", 20e6, 4, time.Millisecond, 0},
		{"one request at a time", 33.3e6, 1, time.Millisecond, 0},
		{"slow", 1e5, 8, 0, 0},
		{"a disk that keeps up but between two files", 20e6, 4, 12 * time.Millisecond,
			12 * time.Millisecond},
		{"application", 100e6, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files, block := []int64{64 * block, 16 * block, 300 * block}, int64(block)
				if tt.depth == 0 {
					files, block = []int64{50e6, 30e6}, layoutBlock
				}
				requests := paced(t, tt.depth, tt.rate, files, block,
					func(int64) time.Duration { return tt.hold })
				var sum int64
				for i, r := range requests {
					sum += r.n
					want := float64(sum) / tt.rate * 1e9
					if off := float64(r.atNS) - want; off < -1 || off > 1000+float64(tt.late) {
						t.Fatalf("request %d began at %d ns, want %.0f", i, r.atNS, want)
					}
				}
			})
		})
	}
}

// What a stall costs is caught up as far as a second's bytes go, and no further; and in no tenth of
// a second is the disk given twice as much as the rate asks for.
func TestPaceAfterAStall(t *testing.T) {
	const (
		block = 64 << 10
		rate  = 100 * block // bytes per second
	)
	for _, stall := range []time.Duration{500 * time.Millisecond, time.Second, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			stalls := func(atNS int64) time.Duration {
				return max(0, 2*time.Second+stall-
					time.Duration(atNS)) * time.Duration(min(1, atNS/2e9))
			}
			requests := paced(t, 1, rate, []int64{1000 * block}, block, stalls)
			last := requests[len(requests)-1].atNS
			lost := max(0, stall-time.Second) / 10e6 * 10e6
			// The request that stood still belongs to the time before.
			want := 10*time.Second + lost
			if off := time.Duration(last) - want; off < -10*time.Millisecond ||
				off > 10*time.Millisecond {
				t.Errorf("stall of %s: the last of 1000 requests began at %s, want %s", stall,
					time.Duration(last), want)
			}
			checkBursts(t, requests, 20)
			// Never more than its due and a second's beside it.
			for i, r := range requests {
				if atLeast := float64(i+1)*block/rate*1e9 - 1; float64(r.atNS) < atLeast {
					t.Fatalf("request %d began at %d, before its time %.0f", i, r.atNS, atLeast)
				}
			}
		})
	}
}

// When this computer stands still, the lanes whose time came meanwhile do not all begin at once.
func TestPaceAfterOversleeping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const block = 64 << 10
		vt := virtualTime()
		slept := vt
		slept.sleepUntil = func(ns int64) {
			if still := int64(1300e6); ns >= 1e9 && ns < still {
				ns = still
			}
			vt.sleepUntil(ns)
		}
		f := newLogging(vt.now, func(int64) time.Duration { return 15 * time.Millisecond })
		tr := newPaced(f, slept, &pacer{rate: 100 * block}, 300*block, block)
		requests, err := f.moveAll(t.Context(), t, threadRig(make([]byte, 64*block), 64), tr)
		check.Must(t, err)
		checkBursts(t, requests, 20)
		if last := time.Duration(requests[len(requests)-1].atNS); last > 3100*time.Millisecond {
			t.Errorf("the last of 300 began at %s, want at 3 s", last)
		}
	})
}

// A paced transfer that waits ends with its context.
func TestPaceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vt := virtualTime()
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		f := newLogging(vt.now, nil)
		tr := newPaced(f, vt, &pacer{rate: 4096}, 1<<20, 4096)
		requests, err := f.moveAll(ctx, t, threadRig(make([]byte, 64<<10), 4), tr)
		if got := time.Duration(vt.now()); err == nil || got > 1600*time.Millisecond ||
			len(requests) != 1 {
			t.Errorf("it ended after %s with %v and %d requests, want 1.5 s, an error and one", got,
				err, len(requests))
		}
	})
}

// A probe's requests are due at multiples of its step. While one stands still, those that are due
// wait for it and follow at once, and their time counts from when they were due: the quantiles are
// those of arithmetic.
func TestProbeOverAStall(t *testing.T) {
	const (
		step    = 10 * time.Millisecond
		service = time.Millisecond
		n       = 1400
		at      = 5 * time.Second
	)
	for _, stall := range []time.Duration{0, 123 * time.Millisecond, time.Second,
		2500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			vt := virtualTime()
			f := newLogging(vt.now, func(atNS int64) time.Duration {
				if atNS == at.Nanoseconds() {
					return stall + service
				}
				return service
			})
			var heard emitted
			tr := newPaced(f, vt, &pacer{stepNS: step.Nanoseconds()}, 1<<30, 4096)
			tr.op, tr.latencies = trace.Read, newLatencies(heard.emit)
			tr.part(n*4096, 7)
			_, err := f.moveAll(t.Context(), t, threadRig(make([]byte, 1<<20), 1), tr)
			check.Must(t, err)
			tr.latencies.stop()
			var want []int64
			var free time.Duration
			for k := range n {
				due := time.Duration(k) * step
				free = max(free, due) + service
				if due == at {
					free += stall
				}
				want = append(want, (free - due).Nanoseconds())
			}
			slices.Sort(want)
			places := map[int64]bool{}
			for _, r := range *f.log {
				places[r.off] = true
			}
			got := heard.sum(t, trace.Read)
			if len(*f.log) != n || len(places) != n || got.TotalCount() != n {
				t.Errorf("stall of %s: %d requests at %d places, %d counted; want %d", stall,
					len(*f.log), len(places), got.TotalCount(), n)
			}
			for _, q := range []float64{0.5, 0.9, 0.95, 0.99, 0.999, 1} {
				if got, want := float64(got.ValueAtQuantile(100*q)),
					float64(want[max(0, int(math.Ceil(q*n))-1)]); math.Abs(got/want-1) > 0.01 {
					t.Errorf("stall of %s: quantile %g is %.1f ms, want %.1f", stall, q, got/1e6,
						want/1e6)
				}
			}
			check.Same(t, fmt.Sprintf("left out by a stall of %s", stall), int64(0),
				tr.pacer.leftOut(4096, vt.now()))
		})
	}
}

// What was due when a job ends and was never made is counted: of a probe, and of a pace beyond the
// second that it catches up.
func TestLeftOut(t *testing.T) {
	probe := &pacer{stepNS: 10e6}
	for range 5 {
		probe.reserve(4096, 0)
	}
	for ns, want := range map[int64]int64{0: 0, 49e6: 0, 50e6: 1, 59e6: 1, 60e6: 2, 1040e6: 100} {
		check.Same(t, fmt.Sprintf("probes left out at %d ns", ns), want, probe.leftOut(4096, ns))
	}
	paced := &pacer{rate: 100 * 4096}
	paced.reserve(4096, 0)
	paced.reserve(4096, 3010e6)
	check.Same(t, "left out at a pace, 3 s behind", int64(200), paced.leftOut(4096, 3020e6))
}

// A probe's files are that many requests each, all over its one large file and nowhere twice before
// it has been everywhere.
func TestProbe(t *testing.T) {
	sys, log := noting()
	job := newJob(t.TempDir(), trace.Read, 64*4096)
	job.Probe = time.Microsecond
	job.IO.Block, job.IO.Footprint, job.IO.Verify = 4096, 1<<20, scenario.VerifyStamps
	engine, eff := prepared(t, job, sys)
	if eff.Depth != 1 || eff.Block != 4096 || eff.Engine != "threads" {
		t.Errorf("Prepare() = %+v", eff)
	}
	started(engine)
	*log = nil
	for seq := range 4 {
		span, err := engine.Transfer(t.Context(), seq, nil)
		if err != nil || span.Bytes != 64*4096 {
			t.Fatalf("Transfer(%d) = %+v, %v", seq, span, err)
		}
	}
	places := map[int64]int{}
	for _, r := range *log {
		places[r.off]++
	}
	if len(*log) != 256 || len(places) != 256 {
		t.Errorf("%d requests at %d places, want each of the 256 blocks once", len(*log),
			len(places))
	}
}

// A job that reads and writes at once does so in the proportion asked for, in an order that its
// seed decides, and leaves its files whole.
func TestMix(t *testing.T) {
	const size, block = 7<<20 + 1000, 16 << 10
	order := func(seed uint64, reads float64, access string) []logged {
		sys, log := noting()
		job := newJob(t.TempDir(), trace.Write, size, size)
		job.Seed, job.Reads = seed, reads
		job.IO.Block, job.IO.Depth, job.IO.Verify, job.IO.Access = block, 1, scenario.VerifyFull,
			access
		engine, _ := prepared(t, job, sys)
		var heard emitted
		engine.Start(engine.timing.now(), heard.emit)
		var requests []logged
		for seq := range 4 { // twice over
			*log = nil
			span, err := engine.Transfer(t.Context(), seq, func(bytes, read, _ int64) {
				if read > bytes {
					t.Errorf("%d bytes read of %d", read, bytes)
				}
			})
			check.Must(t, err)
			var read int64
			for _, r := range (*log)[:(size+block-1)/block] { // what follows reads all of it back
				if r.op == trace.Read {
					read += min(r.n, size-r.off)
				}
			}
			requests = append(requests, (*log)[:(size+block-1)/block]...)
			if span.Bytes != size || span.Read != read {
				t.Errorf("Transfer(%d) = %+v, want %d bytes, %d of them read", seq, span, size,
					read)
			}
			if got := float64(read) / size; math.Abs(got-reads) > 0.04 {
				t.Errorf("file %d: %.3f of it was read, want %.2f", seq, got, reads)
			}
		}
		closeEngine(t, engine)
		if heard.sum(t, trace.Read).TotalCount()+
			heard.sum(t, trace.Write).TotalCount() != int64(len(requests)) {
			t.Errorf("%d requests are counted, want %d", heard.sum(t, trace.Read).TotalCount()+
				heard.sum(t, trace.Write).TotalCount(), len(requests))
		}
		return requests
	}
	all := order(1, 0.7, "")
	reads := 0
	for _, r := range all[:1700] {
		if r.op == trace.Read {
			reads++
		}
	}
	check.Same(t, "reads among the first 1700 requests", 1190, reads)
	if !slices.Equal(all, order(1, 0.7, "")) {
		t.Error("the same seed gives another order")
	}
	if slices.Equal(all, order(2, 0.7, "")) {
		t.Error("another seed gives the same order")
	}
	order(3, 1.0/3, scenario.AccessRandom)
}
