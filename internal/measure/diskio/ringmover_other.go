//go:build !linux

package diskio

// newRingMover exists on Linux only.
func newRingMover(_, _ []byte, _ int) (mover, error) { return nil, errNoRing }

func newStreamRing(pieceWork) (pieceMover, error) { return nil, errNoRing }
