//go:build !darwin

package worker

// foreground: no other system keeps a process on slow cores by how it was started.
func foreground() error { return nil }
