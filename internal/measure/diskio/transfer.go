package diskio

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/trace"
)

// mover keeps the requests of a transfer in flight. One is made for a job and used for file after file.
type mover interface {
	// attach makes the file ready to be moved, and detach undoes that; both lie outside the timing.
	attach(f testFile) error
	detach() error
	// move does the requests of t and returns when none is in flight any more.
	move(ctx context.Context, t *transfer) error
	close() error
}

// transfer is the moving of one open file, shared by the lanes that move it. A mover begins it
// immediately before the first request; the rest is set before.
type transfer struct {
	file     testFile
	op       trace.Role
	size     int64 // bytes that count
	padded   int64 // size in whole sectors: what is requested
	block    int64
	requests int64 // blocks of padded
	stamps   stamper
	checking checking // of what is read
	settle   int64    // bytes from one write-back to the next if the cache is in the way; 0: it is not
	cap      int64    // nanoseconds after which no request begins; 0: no limit
	random   bool     // blocks in the order of shuffled
	shuffled shuffle
	want     int64   // bytes to be moved: the size, except for a probe
	first    int64   // requests of the job before this transfer, if their order goes on from file to file
	pacer    *pacer  // when requests begin; nil: at once
	reads    float64 // of a transfer that does both, the share of requests that read; op is then write
	mixKey   uint64  // of their order

	release  int64 // all times given out count from it
	sample   Sampler
	sampleNS int64

	latencies *latencies   // of its requests; nil: nobody asks
	clock     func() int64 // of a test; nil: the machine's

	watch   clock.Stopwatch // started just before the first request
	endNS   int64
	lastNS  int64        // of the last sample
	next    atomic.Int64 // number of the next request
	done    atomic.Int64 // bytes moved
	read    atomic.Int64 // of these read, if reads is set
	failure atomic.Pointer[error]
}

// begin notes the instant before the first request.
func (t *transfer) begin() {
	t.watch = clock.Start()
	t.lastNS = t.now()
	t.latencies.resume(t.now() - t.release)
}

// now is clock.Now for the transfer loop.
func (t *transfer) now() int64 {
	if t.clock != nil {
		return t.clock()
	}
	return t.watch.Now()
}

// setBlock has the file moved in requests of that many bytes.
func (t *transfer) setBlock(block int64) {
	t.block, t.requests = block, (t.padded+block-1)/block
}

// shuffle has the blocks moved in a random order, another for every key.
func (t *transfer) shuffle(key uint64) {
	t.random, t.shuffled = true, newShuffle(t.requests, key)
}

// part has that many bytes moved of a larger file, in a random order that goes on with the next such part.
func (t *transfer) part(bytes int64, key uint64) {
	t.shuffle(key)
	t.requests = max(bytes/t.block, 1)
	t.want = t.requests * t.block
}

// take gives a lane its next request, and none when all are taken, time is up, one failed or ctx has ended.
func (t *transfer) take(done <-chan struct{}) (r request, ok bool) {
	select {
	case <-done:
		return r, false
	default:
	}
	if t.failure.Load() != nil || t.cap > 0 && t.expired(t.now()) {
		return r, false
	}
	i := t.next.Add(1) - 1
	if i >= t.requests {
		return r, false
	}
	r.op = t.opOf(i)
	if t.random {
		i = t.shuffled.at((t.first + i) % int64(t.shuffled.n))
	}
	r.off = i * t.block
	r.n = min(t.block, t.padded-r.off)
	return r, true
}

type request struct {
	op     trace.Role
	off, n int64
}

func (t *transfer) expired(now int64) bool {
	start := t.watch.StartNS()
	return t.cap > 0 && start > 0 && now-start >= t.cap
}

// count notes that a request has been done.
func (t *transfer) count(r request) {
	n := t.counted(r.off, r.n)
	if t.reads > 0 && r.op == trace.Read {
		t.read.Add(n)
	}
	t.done.Add(n)
}

// counted is how many of the n bytes at off belong to the file and not to its padding.
func (t *transfer) counted(off, n int64) int64 { return min(n, t.size-off) }

// progress gives the caller's sampler a point when one is due; now is not before any of the requests counted as done
// has ended. Only one lane calls it.
func (t *transfer) progress(now int64) {
	t.latencies.tick(now - t.release)
	if t.sample != nil && now-t.lastNS >= t.sampleNS {
		t.lastNS = now
		t.sample(t.done.Load(), t.read.Load(), now-t.release)
	}
}

// moved passes to the latencies when the last request ended, in whichever lane.
func (t *transfer) moved() {
	if t.watch.StartNS() > 0 {
		t.latencies.tick(t.now() - t.release)
	}
}

// verify checks what was read into p from off, padding excepted.
func (t *transfer) verify(p []byte, off int64) error {
	if m := t.stamps.check(p[:t.counted(off, int64(len(p)))], off, t.checking); m != nil {
		return m
	}
	return nil
}

func (t *transfer) fail(err error) { t.failure.CompareAndSwap(nil, &err) }

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

func errTruncated(at int64) error {
	return fmt.Errorf("the file ends at byte %d: it was truncated during the run", at)
}

var errNothingWritten = errors.New("the system wrote nothing and reported no error")

// shuffle is a random order of the numbers below n, each once, that takes no memory: a permutation of the
// smallest power of two that holds them, walked again wherever it leads outside (cycle walking; Black and
// Rogaway, CT-RSA 2002). Each step of mixing can be undone, so no two numbers meet.
type shuffle struct {
	n, mask, key uint64
	shift        uint
}

func newShuffle(n int64, key uint64) shuffle {
	width := max(bits.Len64(uint64(n-1)), 1)
	return shuffle{n: uint64(n), mask: 1<<width - 1, key: mix(key + gamma), shift: uint(width+1) / 2}
}

// at is the place i in the order.
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
