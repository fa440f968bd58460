package diskio

import (
	"context"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// appBytes is the memory behind an application's calls: a file's content repeats after it. The whole
	// worker must stay under 128 MB.
	appBytes = 64 << 20
	// maxRequest is the most that one call moves: 2 GB and a bit, which is also the most that Linux and
	// macOS accept at once.
	maxRequest = 0x7ffff000
)

// app moves a file as a plain application does: from memory, in one call, through the cache. The call's
// memory is the same 64 MiB over and over, so that files of 2 GB need no memory of 2 GB.
type app struct {
	buf  []byte
	list [][]byte // the pieces of a call, for reuse
}

func appCall(sizes []int64) int64 { return min(slices.Max(sizes), maxRequest) }

func newApp(buf []byte, sizes []int64) *app {
	return &app{buf: buf[:appBytes], list: make([][]byte, 0, appCall(sizes)/appBytes+2)}
}

func (m *app) attach(testFile) error { return nil }
func (m *app) detach() error         { return nil }
func (m *app) close() error          { return nil }

func (m *app) move(ctx context.Context, t *transfer) error {
	limit := int64(maxRequest)
	if t.op == trace.Write {
		t.stamps.put(m.buf[:min((t.size+dataUnit-1)/dataUnit*dataUnit, appBytes)], 0, 0)
	} else if t.checking != checkNothing {
		limit = appBytes // what the next piece overwrites could not be looked at
	}
	if t.pacer != nil {
		limit = layoutBlock
	}
	list := m.call(0, min(t.size, limit))
	t.begin()
	for off := int64(0); off < t.size; {
		startNS := t.now()
		if t.pacer != nil {
			var ok bool
			if startNS, ok = t.await(ctx, min(t.size-off, limit), true); !ok {
				return ctx.Err()
			}
		}
		n, err := m.do(t, list, off)
		if err != nil {
			return err
		}
		endNS := t.now()
		t.latencies.record(t.op, startNS, endNS)
		t.latencies.tick(endNS - t.release)
		if t.checking != checkNothing && off+n < t.size {
			if cut := n % t.stamps.unit; cut < n {
				n -= cut // a unit that was cut off is read with the rest of it
			}
		}
		off += n
		t.done.Add(n)
		if err := ctx.Err(); err != nil && off < t.size {
			return err
		}
		list = m.call(off, min(t.size-off, limit))
	}
	return nil
}

func (m *app) do(t *transfer, list [][]byte, off int64) (int64, error) {
	if t.op == trace.Write {
		n, err := t.file.writeList(list, off)
		if n == 0 && err == nil {
			err = errNothingWritten
		}
		return n, err
	}
	n, err := t.file.readList(list, off)
	switch {
	case err != nil:
		return n, err
	case n == 0:
		return 0, errTruncated(off)
	case t.checking != checkNothing:
		whole := min(n, int64(len(list[0])))
		if off+n < t.size {
			whole -= whole % t.stamps.unit
		}
		if wrong := t.stamps.check(list[0][:whole], off, t.checking); wrong != nil {
			return n, wrong
		}
	}
	return n, nil
}

// call is the memory of a call for size bytes at off, in pieces of the buffer.
func (m *app) call(off, size int64) [][]byte {
	m.list = m.list[:0]
	for at := off % appBytes; size > 0; at = 0 {
		piece := m.buf[at:min(appBytes, at+size)]
		m.list = append(m.list, piece)
		size -= int64(len(piece))
	}
	return m.list
}
