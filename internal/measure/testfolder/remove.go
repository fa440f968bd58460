package testfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/clock"
)

// What is removed is in a folder that this process holds the lock of: regular files with the names
// of ours, then the markers, then the empty folder. Anything else stays, and its folder with it.

const (
	// heldTimeout is how long another program may hold an empty folder open on Windows, as
	// scanners for malware do for a moment; Go's package testing waits as long.
	heldTimeout = 2 * time.Second
	heldRetry   = 10 * time.Millisecond
)

// Remove deletes what a job of its own has left, and closes the folder.
func (f *Folder) Remove() error {
	_, _, err := f.remove(nil, false)
	return err
}

// remove deletes our own files in the folder and then the folder, and closes it. Files named in
// stay remain, evidence of a failed verification does unless all is true, and what is not ours does
// in any case; then the folder and its marker remain too.
func (f *Folder) remove(stay map[string]bool, all bool) (files int, bytes int64, err error) {
	defer f.close()
	entries, err := fs.ReadDir(f.Root.FS(), ".")
	if err != nil {
		return 0, 0, fmt.Errorf("list %s: %w", f.Path, err)
	}
	// It is told even where something remains for the next phase.
	err = f.checkPlace()
	kept := err != nil
	for _, entry := range entries {
		name := entry.Name()
		why := error(nil)
		if isMarker(name) || isOwn(name) {
			why = f.foreign(name)
		}
		switch {
		case why != nil, !isMarker(name) && !isOwn(name):
			if err == nil {
				err = f.stays(name, why)
			}
			kept = true
		case isMarker(name):
		case stay[untwinned(name)], !all && strings.HasPrefix(untwinned(name), "evidence-"):
			kept = true
		default:
			if info, err := f.Root.Lstat(name); err == nil {
				bytes += info.Size()
			}
			// macOS removes a file's twin with it.
			if err := f.Root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return files, bytes, fmt.Errorf("remove %s: %w", filepath.Join(f.Path, name), err)
			}
			files++
		}
	}
	if !kept {
		err = f.removeEmpty()
	}
	return files, bytes, err
}

// removeEmpty removes the markers and the folder, unless somebody shares it: the last of them does.
func (f *Folder) removeEmpty() error {
	if f.marker != nil && errors.Is(f.lockMarker(filesystem.Lock), filesystem.ErrBusy) {
		return nil
	}
	// The lock is still held: no other process can claim the folder before its marker is gone.
	for _, name := range []string{neverIndex, twin + neverIndex, MarkerName, twin + MarkerName} {
		if err := f.Root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", filepath.Join(f.Path, name), err)
		}
	}
	f.release() // Windows removes no folder that is open
	for beganNS := clock.Now(); ; time.Sleep(heldRetry) {
		err := f.parent.Remove(f.name)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			if info, err := f.parent.Lstat(twin + f.name); err == nil && info.Mode().IsRegular() {
				_ = f.parent.Remove(twin + f.name)
			}
			return nil
		}
		if runtime.GOOS != "windows" || clock.Now()-beganNS >= int64(heldTimeout) {
			return fmt.Errorf("remove %s: %w", f.Path, err)
		}
	}
}

// RemoveRun removes the folder of the run runID in dir: at the end of the run, or when the worker
// that should have done so was killed. Files that the scenario keeps and evidence of a failed
// verification stay. No such folder is no error.
func RemoveRun(dir, runID string) error {
	if !validRunID(runID) {
		return fmt.Errorf("remove the test folder: %q cannot name a folder", runID)
	}
	var err error
	for range attempts {
		err = removeRun(dir, runID, filesystem.Lock)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return err
		}
		// Another process that removes it may be killed when its marker is gone, and it is not.
		_, statErr := os.Lstat(filepath.Join(dir, Prefix+runID))
		if errors.Is(statErr, fs.ErrNotExist) {
			return nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // It has no marker, and holds something else.
	}
	return err
}

func removeRun(dir, runID string, lock func(*os.File) error) error {
	f, err := openMarked(dir, Prefix+runID, false, lock)
	if err != nil {
		return fmt.Errorf("remove the test folder of run %s in %s: %w", runID, dir, err)
	}
	if err := f.list(); err != nil {
		f.close()
		return err
	}
	return f.CarryOver(nil)
}

const (
	// busyTimeout is how long RemoveRuns waits for workers that are still ending.
	busyTimeout = 30 * time.Second
	busyRetry   = 20 * time.Millisecond
)

// RemoveRuns is RemoveRun in many folders, once the last workers have released them. It reports on
// each in turn: a disk that hangs holds up no other.
func RemoveRuns(folders []string, runID string, report func(folder string, err error)) {
	type result struct {
		folder string
		err    error
	}
	each := make(chan result)
	for _, folder := range folders {
		go func() {
			deadline := time.Now().Add(busyTimeout)
			err := RemoveRun(folder, runID)
			for errors.Is(err, filesystem.ErrBusy) && time.Now().Before(deadline) {
				time.Sleep(busyRetry)
				err = RemoveRun(folder, runID)
			}
			each <- result{folder, err}
		}()
	}
	for range folders {
		r := <-each
		report(r.folder, r.err)
	}
}

// Cleaned is what Clean did with one folder named like hubbench's own.
type Cleaned struct {
	Path    string // path of the folder
	Files   int    // test files removed
	Bytes   int64  // their sizes
	Skipped string // why the folder was left; empty when it is gone
}

// Clean removes the test folders that killed runs left in the folder path, or path itself if it is
// such a folder, also where somebody has renamed one since. It leaves alone what is in use or not surely hubbench's, and says why.
func Clean(path string) ([]Cleaned, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	name, ok := strings.CutPrefix(filepath.Base(path), Prefix)
	if ok && name != "" || isMarked(path) {
		return []Cleaned{cleanOne(filepath.Dir(path), filepath.Base(path), filesystem.Lock)}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("clean: %w", err)
	}
	var done []Cleaned
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, Prefix) || entry.IsDir() && isMarked(filepath.Join(path, name)) {
			done = append(done, cleanOne(path, entry.Name(), filesystem.Lock))
		}
	}
	return done, nil
}

func cleanOne(dir, name string, lock func(*os.File) error) Cleaned {
	result := Cleaned{Path: filepath.Join(dir, name)}
	f, err := openMarked(dir, name, true, lock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("it has no hubbench marker")
	case err == nil && f.unlocked:
		f.close()
		err = errors.New("this file system does not lock files, so a running hubbench may be " +
			"using it: if none is, remove the folder")
	case err == nil:
		result.Files, result.Bytes, err = f.remove(nil, true)
	}
	if err != nil {
		result.Skipped = err.Error()
	}
	return result
}
