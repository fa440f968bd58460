package filesync

import "os"

// Unsupported is always false: Windows has one way of flushing.
func Unsupported(error) bool { return false }

func plainSync(f *os.File) error { return f.Sync() }
