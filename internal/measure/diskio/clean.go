package diskio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
)

// Cleaned is what Clean did with one folder named like hubbench's own.
type Cleaned struct {
	Path    string // of the folder
	Files   int    // test files removed
	Bytes   int64  // their sizes
	Skipped string // why the folder was left; empty when it is gone
}

// Clean removes the test folders that killed runs left in the folder path, or path itself if it is such
// a folder. It leaves alone what is in use or not surely hubbench's, and says why.
func Clean(path string) ([]Cleaned, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	if name, ok := strings.CutPrefix(filepath.Base(path), folderPrefix); ok && name != "" {
		return []Cleaned{cleanOne(filepath.Dir(path), filepath.Base(path))}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, hinted(fmt.Errorf("clean: %w", err))
	}
	var done []Cleaned
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), folderPrefix) {
			done = append(done, cleanOne(path, entry.Name()))
		}
	}
	return done, nil
}

func cleanOne(dir, name string) Cleaned {
	result := Cleaned{Path: filepath.Join(dir, name)}
	runID := strings.TrimPrefix(name, folderPrefix)
	if runs(runID) {
		result.Skipped = filesystem.ErrBusy.Error()
		return result
	}
	defer ForgetRun(runID)
	f, err := takeFolder(dir, name)
	if err == nil {
		result.Files, result.Bytes, err = f.remove(nil, true)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it has no hubbench marker")
	}
	if err != nil {
		result.Skipped = err.Error()
	}
	return result
}

// RemoveRun removes the folder of the run runID in dir: at the end of the run, or when the worker that
// should have done so was killed. Files that the scenario keeps and evidence of a failed verification
// stay. No such folder is no error.
func RemoveRun(dir, runID string) error {
	if !validRunID(runID) {
		return fmt.Errorf("remove the test folder: %q cannot name a folder", runID)
	}
	f, err := takeFolder(dir, folderPrefix+runID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove the test folder of run %s in %s: %w", runID, dir, err)
	}
	s, err := listTestFiles(f)
	if err != nil {
		f.close()
		return err
	}
	return s.carryOver(nil)
}

// takeFolder holds a folder that exists.
func takeFolder(dir, name string) (f *folder, err error) {
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if f, err = holdFolder(parent, dir, name, false); err != nil {
		parent.Close()
	}
	return f, err
}

// A run's test folder is locked while a worker uses it. Between two phases no worker does, though the files that the
// next one reads lie there: to protect them from clean-up, the run itself holds a lock from its beginning to its
// end, on a file among the system's temporary ones.

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
