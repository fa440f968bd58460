//go:build !linux && !darwin

package mount

// Mounted is never returned here.
type Mounted struct{}

// Mount fails: see ErrNoFUSE.
func Mount(Options) (*Mounted, error) { return nil, ErrNoFUSE }

// Unmount does nothing.
func (*Mounted) Unmount(<-chan struct{}) error { return nil }
