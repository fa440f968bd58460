//go:build !linux

package diskio

// newRingMover exists on Linux only.
func newRingMover([]byte, int) (mover, error) { return nil, errNoRing }
