//go:build unix

package diskio

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// newBuffer maps n bytes outside the garbage collector's heap, aligned to a page and, if the system
// offers it, in huge pages: a large request is then a few long segments instead of hundreds of short ones.
func newBuffer(n int64) ([]byte, error) {
	p, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of buffers: %w", n, err)
	}
	adviseHuge(p)
	return p, nil
}

func freeBuffer(p []byte) {
	// It can fail only for memory that is not ours.
	_ = unix.Munmap(p)
}
