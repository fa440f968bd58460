package diskio

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// rig is an engine with slots to move a transfer with.
type rig struct {
	ioEngine
	slots []slot
}

func (r rig) moveAll(ctx context.Context, t *transfer) error { return r.move(ctx, t, r.slots) }

// threadRig has threads with a buffer.
func threadRig(buf []byte, depth int) rig {
	return rig{newThreads(ioWork{depth: depth}, false), newSlots(buf, nil, depth)}
}

// newRigs are both engines over one buffer. The test's thread is theirs.
func newRigs(t testing.TB, block int64, depth int) map[string]rig {
	t.Helper()
	runtime.LockOSThread()
	buf, err := newBuffer(max(minNoise, block*int64(depth)))
	check.Must(t, err)
	rigs := map[string]rig{"threads": threadRig(buf, depth)}
	if ring, err := newRing(ioWork{buf: buf, depth: depth,
		timing: timing{now: clock.Start().Now}}); err == nil {
		rigs["io_uring"] = rig{ring, newSlots(buf, nil, depth)}
	}
	t.Cleanup(func() {
		for _, r := range rigs {
			check.Must(t, r.close())
		}
		freeBuffer(buf)
	})
	return rigs
}

// newTransfer writes size bytes in blocks to a file that takes them at once, so that what is left
// is the cost of hubbench itself: a sparse file's worth of pages in memory for the ring, nothing
// for threads.
func newTransfer(t testing.TB, how string, size, block int64) *transfer {
	t.Helper()
	tr := &transfer{
		op: trace.Write, size: size, want: size, padded: size, block: block, requests: size / block,
		stamps: stamper{unit: unitOf(block)}, sample: func(_, _, _ int64) {}, sampleNS: 1,
		now: clock.Start().Now,
	}
	tr.file = nullFile{}
	if how == "io_uring" {
		f, err := os.OpenFile(filepath.Join("/dev", "null"), os.O_RDWR, 0)
		check.Must(t, err)
		t.Cleanup(func() { f.Close() })
		tr.file = nullFile{fdNumber: f.Fd()}
	}
	return tr
}

// listened has the transfer's latencies counted, as those of jobs are.
func listened(t testing.TB, tr *transfer) {
	t.Helper()
	tr.latencies = newLatencies(func(trace.Event) {})
	t.Cleanup(tr.latencies.stop)
}

// nullFile takes every request and does nothing.
type nullFile struct {
	testFile
	fdNumber uintptr
}

func (nullFile) writeAt(_ int, p []byte, _ int64) (int, error) { return len(p), nil }
func (f nullFile) fd() uintptr                                 { return f.fdNumber }

// The transfer loop must not allocate: a garbage collection would show as a dip of the disk's.
func TestTransferLoopAllocatesNothing(t *testing.T) {
	for how, m := range newRigs(t, 64<<10, 4) {
		tr := newTransfer(t, how, 256<<20, 64<<10)
		listened(t, tr)
		// Another goroutine writes them down once a second and allocates, which is not the loop's
		// doing.
		tr.latencies.nextNS = math.MaxInt64
		check.Must(t, m.attach(0, tr.file))
		requests := float64(tr.size / tr.block)
		got := testing.AllocsPerRun(5, func() {
			tr.next.Store(0)
			tr.done.Store(0)
			check.Must(t, m.moveAll(t.Context(), tr))
		})
		// A handful for a whole file is the hand-off to the lanes; one a request would be
		// thousands.
		if got > requests/100 {
			t.Errorf("%s: %v allocations for %v requests, want none of the loop's", how, got,
				requests)
		}
	}
}

// One operation is one request, without the disk: what hubbench itself costs.
func BenchmarkTransferLoop(b *testing.B) {
	for _, bb := range []struct {
		name  string
		block int64
		depth int
	}{
		{"1MiB depth 8", 1 << 20, 8},
		{"4KiB depth 64", 4 << 10, 64},
		{"4KiB depth 1", 4 << 10, 1},
	} {
		for _, how := range []string{"threads", "io_uring"} {
			b.Run(bb.name+" "+how, func(b *testing.B) {
				m, ok := newRigs(b, bb.block, bb.depth)[how]
				if !ok {
					b.Skip("no io_uring here")
				}
				tr := newTransfer(b, how, int64(b.N)*bb.block, bb.block)
				tr.sampleNS = policy.SampleNS
				listened(b, tr)
				check.Must(b, m.attach(0, tr.file))
				b.SetBytes(bb.block)
				b.ReportAllocs()
				b.ResetTimer()
				check.Must(b, m.moveAll(b.Context(), tr))
			})
		}
	}
}
