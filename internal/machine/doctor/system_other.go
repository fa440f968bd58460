//go:build !linux

package doctor

// ioLimits are not available on this system.
func ioLimits(string) []string { return nil }

// volatileCache is not reported by this system.
func volatileCache(string) (volatile, known bool) { return false, false }

// virtualDisk is not reported by this system.
func virtualDisk(string) bool { return false }
