package diskio

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// appBytes is the memory behind an application's calls: a file's content repeats after it. The
	// whole worker must stay under 128 MB.
	appBytes = 64 << 20
	// maxRequest is the most that one call moves: 2 GB and a bit, which is also the most that Linux
	// and macOS accept at once.
	maxRequest = 0x7ffff000
)

// newCalls are for a job that moves each file as a plain application does: from memory, in one
// call, through the cache.
func newCalls(buf []byte, sizes []int64) *calls {
	pieces := appCall(sizes)/appBytes + 2
	return &calls{buf: buf[:appBytes], list: make([][]byte, 0, pieces)}
}

// appCall returns how many bytes the largest call moves.
func appCall(sizes []int64) int64 { return min(slices.Max(sizes), maxRequest) }

// calls are requests larger than their memory: it is the same 64 MiB over and over, so that files
// of 2 GB need no memory of 2 GB.
type calls struct {
	buf  []byte
	list [][]byte // the pieces of a call, for reuse
}

// do moves what is left of a request, or less.
func (c *calls) do(f testFile, r *request) (int, error) {
	off := r.off + r.got
	var n int64
	var err error
	if r.op == trace.Write {
		n, err = f.writeList(c.pieces(off, r.want-r.got), off)
	} else {
		n, err = f.readList(c.pieces(off, r.want-r.got), off)
	}
	return int(n), err
}

// pieces returns the memory for size bytes at off, in pieces of the buffer.
func (c *calls) pieces(off, size int64) [][]byte {
	c.list = c.list[:0]
	for at := off % appBytes; size > 0; at = 0 {
		piece := c.buf[at:min(appBytes, at+size)]
		c.list = append(c.list, piece)
		size -= int64(len(piece))
	}
	return c.list
}
