package diskio

import (
	"errors"
	"io"
	"os"
)

// Reach reads a disk's folder, as a job does first, however long that takes: a disk at rest spins up, and
// macOS asks the person whether the terminal may use the volume, and holds the call back until there is an answer. Done
// before a job, neither is mistaken for a disk that hangs.
func Reach(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return hinted(err)
	}
	_, err = f.ReadDir(1)
	if errors.Is(err, io.EOF) {
		err = nil // it is empty
	}
	return hinted(errors.Join(err, f.Close()))
}
