//go:build !linux && !darwin

package mount

// Mounted stands for a mount that cannot be.
type Mounted struct{}

// Mount fails: see ErrNoFUSE.
func Mount(Options) (*Mounted, error) { return nil, ErrNoFUSE }

// Unmount does nothing.
func (*Mounted) Unmount(<-chan struct{}) error { return nil }
