package diskio

import (
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/hubbench/hubbench/pkg/trace"
)

// transfer is the moving of one open file, shared by the slots that move it. An engine begins it
// immediately before the first request; the rest is set before.
type transfer struct {
	file     testFile
	op       trace.Role
	size     int64 // bytes that count
	padded   int64 // size in whole sectors: what is requested
	block    int64
	requests int64 // blocks of padded
	stamps   stamper
	checking checking // how data read is checked
	// Bytes from one write-back to the next if the cache is in the way; 0: it is not.
	settle   int64
	cap      int64   // nanoseconds after which no request begins; 0: no limit
	shuffled shuffle // order of the blocks; zero: as they come
	want     int64   // bytes to be moved: the size, except for a probe
	// Requests of the job before this transfer, if their order goes on from file to file.
	first  int64
	pacer  *pacer  // when requests begin; nil: at once
	reads  float64 // share of reading requests in a transfer that does both; op is then write
	mixKey uint64  // key of their order

	now       func() int64
	release   int64 // all times given out count from it
	sample    Sampler
	sampleNS  int64
	latencies *latencies // latencies of its requests; nil: nobody asks

	startNS, endNS int64        // just before the first request, and after the flush
	lastNS         int64        // time of the last sample
	next           atomic.Int64 // number of the next request
	done           atomic.Int64 // bytes moved
	read           atomic.Int64 // bytes read, if reads is set
	failure        atomic.Pointer[error]
}

// begin notes the instant before the first request.
func (t *transfer) begin() {
	t.startNS = max(t.now(), t.release) // a stopwatch may be a microsecond behind
	t.lastNS = t.startNS
	t.latencies.resume(t.startNS - t.release)
}

// setBlock has the file moved in requests of that many bytes.
func (t *transfer) setBlock(block int64) {
	t.block = block
	t.requests = (t.padded + block - 1) / block
}

// shuffle has the blocks moved in a random order, another for every key.
func (t *transfer) shuffle(key uint64) {
	t.shuffled = newShuffle(t.requests, key)
}

// part has that many bytes moved of a larger file, in a random order that goes on with the next
// such part.
func (t *transfer) part(bytes int64, key uint64) {
	t.shuffle(key)
	t.requests = max(bytes/t.block, 1)
	t.want = t.requests * t.block
}

// issue gives a slot the next request, and none when all are given, time is up, one failed or ctx
// has ended.
func (t *transfer) issue(done <-chan struct{}, s *slot) bool {
	select {
	case <-done:
		return false
	default:
	}
	if t.failure.Load() != nil || t.cap > 0 && t.expired(t.now()) {
		return false
	}
	i := t.next.Add(1) - 1
	if i >= t.requests {
		return false
	}
	op := t.opOf(i)
	if t.shuffled.n > 0 {
		i = t.shuffled.at((t.first + i) % int64(t.shuffled.n))
	}
	off := i * t.block
	n := min(t.block, t.padded-off)
	s.request = request{op: op, p: s.take(op, off, n, t.block, &t.stamps), off: off, want: n,
		number: s.number,
		calls:  s.memory.calls}
	if op == trace.Read {
		s.want = min(n, t.size-off)
	}
	return true
}

func (t *transfer) expired(now int64) bool {
	return t.cap > 0 && t.startNS > 0 && now-t.startNS >= t.cap
}

// ended checks and counts a request that is over, and reports whether all is well with it. What is
// padding of the file does not count.
func (t *transfer) ended(r *request) bool {
	counted := min(r.want, t.size-r.off)
	if r.err == nil {
		t.latencies.record(r.op, r.startNS, r.endNS)
		if r.op == trace.Read && t.checking != checkNothing {
			if m := t.stamps.check(r.p[:counted], r.off, t.checking); m != nil {
				r.err = m
			}
		}
	}
	if r.err != nil {
		t.fail(r.err)
		return false
	}
	if t.reads > 0 && r.op == trace.Read {
		t.read.Add(counted)
	}
	t.done.Add(counted)
	return true
}

// progress gives the caller's sampler a point when one is due; now is not before any of the
// requests counted as done has ended. Only one slot's thread calls it.
func (t *transfer) progress(now int64) {
	t.latencies.tick(now - t.release)
	if t.sample != nil && now-t.lastNS >= t.sampleNS {
		t.lastNS = now
		t.sample(t.done.Load(), t.read.Load(), now-t.release)
	}
}

func (t *transfer) fail(err error) { t.failure.CompareAndSwap(nil, &err) }

// run moves requests until there is none left. It neither allocates nor locks nor logs. A request's
// time counts from when it was due, if it had one.
func (t *transfer) run(ctx context.Context, s *slot) {
	for done := ctx.Done(); t.issue(done, s); {
		if t.pacer != nil {
			var ok bool
			if s.startNS, ok = t.await(ctx, s.want, s.number == 0); !ok {
				return
			}
		} else if t.latencies != nil {
			s.startNS = t.now()
		}
		if s.err = s.do(t.file); s.err == nil && t.latencies != nil {
			s.endNS = t.now()
		}
		if !t.ended(&s.request) {
			return
		}
		if t.settle > 0 {
			if err := t.settleAfter(&s.request); err != nil {
				t.fail(err)
				return
			}
		}
		if s.number == 0 {
			t.progress(t.now())
		}
	}
}

// settleAfter keeps the cache small: random requests are settled one by one, sequential ones a
// stretch at a time, as soon as all its requests have ended, or nearly all.
func (t *transfer) settleAfter(r *request) error {
	if t.shuffled.n > 0 {
		return t.file.settle(r.off, int64(len(r.p)), r.op)
	}
	start := (r.off/t.settle - 2) * t.settle
	if r.off%t.settle >= t.block || start < 0 {
		return nil
	}
	return t.file.settle(start, t.settle, t.op)
}

// err is how the transfer ended.
func (t *transfer) err(ctx context.Context) error {
	if failed := t.failure.Load(); failed != nil {
		return *failed
	}
	if t.done.Load() < t.want {
		return ctx.Err() // nil if the cap ended it
	}
	return nil
}

// shuffle is a random order of the numbers below n, each once, that takes no memory: a permutation
// of the smallest power of two that holds them, walked again wherever it leads outside (cycle
// walking; Black and Rogaway, CT-RSA 2002). Each step of mixing can be undone, so no two numbers
// meet.
type shuffle struct {
	n, mask, key uint64
	shift        uint
}

func newShuffle(n int64, key uint64) shuffle {
	width := max(bits.Len64(uint64(n-1)), 1)
	return shuffle{n: uint64(n), mask: 1<<width - 1, key: mix(key + gamma),
		shift: uint(width+1) / 2}
}

// at returns the place i in the order.
func (s *shuffle) at(i int64) int64 {
	x := uint64(i)
	for {
		for round := range 3 {
			x = (x + s.key>>(16*round)) & s.mask
			x ^= x >> s.shift
			x = x * 0xbf58476d1ce4e5b9 & s.mask
			x ^= x >> s.shift
		}
		if x < s.n {
			return int64(x)
		}
	}
}
