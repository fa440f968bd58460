package diskio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
)

// A run's test folder is locked while a worker uses it. Between two phases no worker does, though the files that the next
// one reads lie there: to protect them from clean-up, the run itself holds a lock from its beginning to its end, on a file
// among the system's temporary ones.

// lockFile is the path of a run's lock.
func lockFile(runID string) string {
	return filepath.Join(os.TempDir(), "hubbench-"+runID+".lock")
}

// HoldRun keeps Clean from the folders of a run until the process ends, or release is called.
func HoldRun(runID string) (release func(), err error) {
	if !validRunID(runID) {
		return nil, fmt.Errorf("hold the run: %q cannot name a file", runID)
	}
	ForgetRun(runID) // it resumes one that was killed
	f, err := os.OpenFile(lockFile(runID), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("hold the run: %w", err)
	}
	if err := filesystem.Lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("hold the run: %w", err), f.Close())
	}
	return func() {
		_ = f.Close() // Windows removes no file that is open
		ForgetRun(runID)
	}, nil
}

// ForgetRun removes the lock that a killed run left.
func ForgetRun(runID string) {
	if validRunID(runID) && !runs(runID) {
		_ = os.Remove(lockFile(runID))
	}
}

// runs reports whether a living process holds the run.
func runs(runID string) bool {
	f, err := os.Open(lockFile(runID))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
	}
	defer f.Close()
	return errors.Is(filesystem.Lock(f), filesystem.ErrBusy)
}
