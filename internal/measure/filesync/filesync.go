// Package filesync brings files to the medium as far as their file system can. Start at Sync.
package filesync

import "os"

// Sync brings what was written to the file to the medium. Go's own way, which on macOS is F_FULLFSYNC, is not known to
// every file system: exFAT on macOS 12 and 13 answers ENOTTY, and then fsync has to do.
func Sync(f *os.File) error {
	err := f.Sync()
	if Unsupported(err) {
		return plainSync(f)
	}
	return err
}
