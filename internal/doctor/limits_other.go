//go:build !linux

package doctor

// ioLimits are not to be had from this system.
func ioLimits(string) []string { return nil }

// volatileCache is not told by this system.
func volatileCache(string) (volatile, known bool) { return false, false }

// virtualDisk is not told by this system either.
func virtualDisk(string) bool { return false }
