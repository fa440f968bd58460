//go:build !linux

package device

// Traffic is what the disk behind a folder has moved; it is not known here.
func Traffic(string) (sectors int64, ok bool) { return 0, false }
