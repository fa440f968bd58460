//go:build !linux

package diskio

import "errors"

// newRingMover exists on Linux only.
func newRingMover([]byte, int) (mover, error) { return nil, errors.ErrUnsupported }
