// Package fusetest mounts a file system for tests that keeps its files in memory and lets a test hold up single requests: a
// device that is slow, or stands still, when the test says so. It needs Linux and FUSE. For a whole hub see internal/machine/mount.
package fusetest
