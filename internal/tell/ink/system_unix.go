//go:build unix

package ink

import "os"

// obeys reports whether a terminal obeys escape sequences: here all do that are not dumb.
func obeys(*os.File) bool { return true }
