// Package testfolder keeps hubbench's test files apart from everything else on a disk. Its rules:
//
//   - A run's test files are in one folder on each disk, named for the run and holding a marker
//     file.
//   - Nothing is ever removed except files named by us in such a folder, and the folder once it is
//     empty.
//   - A folder of the right name without a valid marker may be someone else's, unless it holds
//     nothing at all, or only the beginning of its marker: a process was killed, or the disk was
//     full, while it was made.
//   - Those who use the folder share a lock on its marker, a worker for a phase and the coordinator
//     for the run, and whoever removes it holds that alone, so that cleaning up after one run
//     cannot reach into another that is alive.
//   - No symbolic link is followed, and no path is looked up twice: a folder is worked in as it was
//     opened.
//
// Start at Open, which a worker does, and Clean. The rules of the marker are in marker.go, those of
// removing in remove.go, the list of test files in files.go; what the files hold is the engines'
// business (see diskio).
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

const (
	// Prefix begins the names of test folders.
	Prefix = ".hubbench-"
	// ProbeName is a file to try the disk with.
	ProbeName = "probe.bin"
	// attempts bounds how often a folder is made anew that somebody removes at the same time.
	attempts = 10
)

// validRunID reports whether a run's name can name a file on every system.
func validRunID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return id != "" && len(id) <= 100 && strings.Contains(letters, id[:1]) &&
		strings.Trim(id, letters+"._-") == ""
}

// Folder is a marked folder held by this process, and the list of the test files in it.
type Folder struct {
	Path string
	Root *os.Root

	name     string   // the last element of Path
	parent   *os.Root // the disk's folder
	marker   *os.File // locked
	lock     func(*os.File) error
	anyName  bool  // somebody may have renamed it
	owner    int64 // whom the marker belongs to
	unlocked bool  // the file system locks no files

	files
}

// Open makes the run's folder in dir, or reuses the one that an earlier phase of the run left.
func Open(dir, runID string) (*Folder, error) {
	if !validRunID(runID) {
		return nil, fmt.Errorf("make the test folder: %q cannot name a folder", runID)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the disk's folder: %w", err)
	}
	name := Prefix + runID
	// A process that cleans up may remove the folder between our steps; then they are taken again.
	for range attempts {
		if err = parent.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("make the test folder: %w", err)
			break
		}
		fresh := err == nil
		var f *Folder
		if f, err = openIn(parent, dir, name, fresh, false, filesystem.Share); err == nil {
			if !fresh {
				err = f.checkOwner()
			}
			if err == nil {
				err = f.list()
			}
			if err == nil {
				return f, nil
			}
			f.release()
			err = fmt.Errorf("use the test folder %s: %w", filepath.Join(dir, name), err)
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !(fresh && errors.Is(err, fs.ErrExist)) {
			err = fmt.Errorf("use the test folder %s: %w", filepath.Join(dir, name), err)
			break
		}
		err = fmt.Errorf("use the test folder %s: it exists without hubbench's marker: check "+
			"what is in it, and remove it", filepath.Join(dir, name))
	}
	parent.Close()
	return nil, err
}

// openMarked opens a folder that exists and is hubbench's, whatever its name is now if that is any.
func openMarked(
	dir, name string, anyName bool, lock func(*os.File) error,
) (f *Folder, err error) {
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if f, err = openIn(parent, dir, name, false, anyName, lock); err != nil {
		parent.Close()
	}
	return f, err
}

// openIn opens and locks the folder name of parent, which is no symbolic link. A fresh folder gets
// its marker; any other must have a valid one. The folder owns parent when there is no error.
func openIn(
	parent *os.Root, dir, name string, fresh, anyName bool, lock func(*os.File) error,
) (_ *Folder, err error) {
	f := &Folder{Path: filepath.Join(dir, name), name: name, parent: parent, lock: lock,
		owner: nobody, anyName: anyName}
	defer func() {
		if err != nil {
			f.release()
		}
	}()
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("it is not a hubbench test folder")
	}
	if f.Root, err = parent.OpenRoot(name); err != nil {
		return nil, err
	}
	if opened, err := f.Root.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errors.New("it changed while it was opened"), err)
	}
	if !fresh {
		return f, f.checkMarker()
	}
	if err = f.makeMarker(); err != nil && !errors.Is(err, fs.ErrExist) { // Else it is another's.
		_ = f.removeEmpty()
	}
	return f, err
}

// release closes the folder and leaves it as it is.
func (f *Folder) release() {
	if f.marker != nil {
		_ = f.marker.Close() // unlocks
	}
	if f.Root != nil {
		f.Root.Close()
	}
}

// close closes the folder and the disk's folder.
func (f *Folder) close() {
	f.release()
	f.parent.Close()
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

// HoldRun keeps Clean from the folder that the run has in dir until the process ends, or release is
// called, which tells whether somebody has renamed it meanwhile. Between two phases no worker uses
// it, though the files that the next one reads lie there.
func HoldRun(dir, runID string) (release func() error, err error) {
	disk, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(Prefix+runID, MarkerName)
	// Only to be read: nobody is kept from making the volume read-only. A folder that is being
	// removed just now gets no marker again.
	marker, _, err := openOwn(disk, path, os.O_RDONLY, nobody)
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	if err := filesystem.Share(marker); err != nil {
		return nil, errors.Join(err, marker.Close(), disk.Close())
	}
	return func() error {
		defer disk.Close()
		defer marker.Close()
		held, err := marker.Stat()
		if err != nil {
			return nil // the disk is gone
		}
		now, err := disk.Lstat(path)
		if err == nil && os.SameFile(held, now) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if id, err := identityOf(marker, held); err != nil || id.links == 0 {
			return nil // somebody has removed it
		}
		return movedError(filepath.Join(dir, Prefix+runID))
	}, nil
}

// Try makes a marked folder, and returns the first thing wrong with it: a second process could
// take it, or it is still there after it was removed.
func Try(dir, runID string) error {
	f, err := Open(dir, runID)
	if err != nil {
		return err
	}
	if again, err := openMarked(dir, f.name, false, filesystem.Lock); err == nil {
		again.close()
		f.close()
		return errors.New("a second process could take the test folder while it was in use: " +
			"this file system does not lock files")
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
