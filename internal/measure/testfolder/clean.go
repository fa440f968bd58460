package testfolder

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
	Path    string // path of the folder
	Files   int    // test files removed
	Bytes   int64  // their sizes
	Skipped string // why the folder was left; empty when it is gone
}

// Mark makes the run's test folder in a disk's folder, and leaves it there. RemoveRun removes it.
func Mark(dir, runID string) error {
	f, err := Open(dir, runID)
	if err == nil {
		f.close()
	}
	return err
}

// Marked reports whether the run's test folder is in a folder.
func Marked(dir, runID string) bool {
	info, err := os.Lstat(filepath.Join(dir, Prefix+runID, MarkerName))
	return err == nil && info.Mode().IsRegular()
}

// Clean removes the test folders that killed runs left in the folder path, or path itself if it is
// such a folder. It leaves alone what is in use or not surely hubbench's, and says why.
func Clean(path string) ([]Cleaned, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	if name, ok := strings.CutPrefix(filepath.Base(path), Prefix); ok && name != "" {
		return []Cleaned{cleanOne(filepath.Dir(path), filepath.Base(path), filesystem.Lock)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	var done []Cleaned
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), Prefix) {
			done = append(done, cleanOne(path, entry.Name(), filesystem.Lock))
		}
	}
	return done, nil
}

func cleanOne(dir, name string, lock func(*os.File) error) Cleaned {
	result := Cleaned{Path: filepath.Join(dir, name)}
	f, err := take(dir, name, lock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("it has no hubbench marker")
	case err == nil && f.unlocked:
		f.close()
		err = errors.New("this file system does not lock files, so a running hubbench may be using it: " +
			"if none is, remove the folder")
	case err == nil:
		result.Files, result.Bytes, err = f.remove(nil, true)
	}
	if err != nil {
		result.Skipped = err.Error()
	}
	return result
}

// RemoveRun removes the folder of the run runID in dir: at the end of the run, or when the worker
// that should have done so was killed. Files that the scenario keeps and evidence of a failed
// verification stay. No such folder is no error.
func RemoveRun(dir, runID string) error {
	if !validRunID(runID) {
		return fmt.Errorf("remove the test folder: %q cannot name a folder", runID)
	}
	f, err := take(dir, Prefix+runID, filesystem.Lock)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove the test folder of run %s in %s: %w", runID, dir, err)
	}
	if err := f.list(); err != nil {
		f.close()
		return err
	}
	return f.CarryOver(nil)
}

// HoldRun keeps Clean from the folder that the run has in dir until the process ends, or release is
// called. Between two phases no worker uses it, though the files that the next one reads lie there.
func HoldRun(dir, runID string) (release func(), err error) {
	f, err := take(dir, Prefix+runID, filesystem.Share)
	if err != nil {
		return nil, err
	}
	defer f.close()
	// Only to be read: nobody is kept from making the volume read-only.
	marker, err := f.Root.Open(MarkerName)
	if err == nil {
		err = filesystem.Share(marker)
	}
	return func() { _ = marker.Close() }, err
}

// Try makes a marked folder, and returns the first thing wrong with it: a second process could
// take it, or it is still there after it was removed.
func Try(dir, runID string) error {
	f, err := Open(dir, runID)
	if err != nil {
		return err
	}
	if again, err := take(dir, f.name, filesystem.Lock); err == nil {
		again.close()
		f.close()
		return errors.New("a second process could take the test folder while it was in use: this file " +
			"system does not lock files")
	} else if !errors.Is(err, filesystem.ErrBusy) {
		f.close()
		return fmt.Errorf("lock the test folder: %w", err)
	}
	if err := f.Remove(); err != nil {
		return err
	}
	if _, err := os.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is still there after it was removed", f.Path)
	}
	return nil
}
