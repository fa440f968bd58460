//go:build !windows

package progress

import "os"

// Sequences reports whether a terminal obeys escape sequences: here all do.
func Sequences(*os.File) bool { return true }
