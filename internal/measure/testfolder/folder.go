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
//     for the run, and whoever removes it holds that alone, so that cleaning up after one run cannot
//     reach into another that is alive.
//   - No symbolic link is followed, and no path is looked up twice: a folder is worked in as it was
//     opened.
//
// Start at Open, which a worker does, and Clean. What the files hold is the engines' business (see
// diskio).
package testfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/clock"
)

const (
	// Prefix begins the names of test folders.
	Prefix = ".hubbench-"
	// MarkerName is the file that marks a folder as hubbench's.
	MarkerName = "hubbench.json"
	// ProbeName is a file to try the disk with.
	ProbeName = "probe.bin"
	// neverIndex is an empty file by which people keep macOS's Spotlight from a folder. Apple
	// documents it for volumes.
	neverIndex = ".metadata_never_index"
	markerWhat = "test files of hubbench; safe to remove with `hubbench clean`"
	// attempts bounds how often a folder is made anew that somebody removes at the same time.
	attempts = 10
	// heldTimeout is how long another program may hold an empty folder open on Windows, as
	// scanners for malware do for a moment; Go's package testing waits as long.
	heldTimeout = 2 * time.Second
	heldRetry   = 10 * time.Millisecond
)

// isOwn reports whether a test file can have the name. macOS adds a twin, "._" and the name, on
// disks whose file system holds no extended attributes (exFAT).
func isOwn(name string) bool {
	name = strings.TrimPrefix(name, "._")
	kind, rest, _ := strings.Cut(name, "-")
	digits, binary := strings.CutSuffix(rest, ".bin")
	return name == ProbeName || name == ListName ||
		slices.Contains([]string{"data", "evidence", "fill"}, kind) && binary && len(digits) >= 6 &&
			strings.Trim(digits, "0123456789") == ""
}

// validRunID reports whether a run's name can name a file on every system.
func validRunID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return id != "" && len(id) <= 100 && strings.Contains(letters, id[:1]) &&
		strings.Trim(id, letters+"._-") == ""
}

// marker is the content of the marker file.
type marker struct {
	What string `json:"what"`
	Run  string `json:"run"`
}

// Folder is a marked folder held by this process, and the list of the test files in it.
type Folder struct {
	Path string
	Root *os.Root

	name     string   // the last element of Path
	parent   *os.Root // the disk's folder
	marker   *os.File // locked
	lock     func(*os.File) error
	unlocked bool // the file system locks no files

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
		if f, err = hold(parent, dir, name, fresh, filesystem.Share); err == nil {
			if err = f.list(); err == nil {
				return f, nil
			}
			f.release()
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !(fresh && errors.Is(err, fs.ErrExist)) {
			err = fmt.Errorf("use the test folder %s: %w", filepath.Join(dir, name), err)
			break
		}
		err = fmt.Errorf("use the test folder %s: it exists without hubbench's marker: check what is "+
			"in it, and remove it", filepath.Join(dir, name))
	}
	parent.Close()
	return nil, err
}

// take holds a folder that exists.
func take(dir, name string, lock func(*os.File) error) (f *Folder, err error) {
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if f, err = hold(parent, dir, name, false, lock); err != nil {
		parent.Close()
	}
	return f, err
}

// hold opens and locks the folder name of parent, which is no symbolic link. A fresh folder gets
// its marker; any other must have a valid one. The folder owns parent when there is no error.
func hold(
	parent *os.Root, dir, name string, fresh bool, lock func(*os.File) error,
) (_ *Folder, err error) {
	f := &Folder{Path: filepath.Join(dir, name), name: name, parent: parent, lock: lock}
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
		return f, f.readMarker()
	}
	if err = f.writeMarker(); err != nil {
		_ = f.removeEmpty()
	}
	return f, err
}

func (f *Folder) writeMarker() (err error) {
	const fresh = os.O_RDWR | os.O_CREATE | os.O_EXCL
	if f.marker, err = f.Root.OpenFile(MarkerName, fresh, 0o600); err != nil {
		return err
	}
	// Through a lock that is shared some network file systems write nothing.
	if err := f.lockMarker(filesystem.Lock); err != nil {
		return err
	}
	if err := f.fillMarker(); err != nil {
		return err
	}
	return f.lockMarker(f.lock)
}

func (f *Folder) lockMarker(lock func(*os.File) error) error {
	err := lock(f.marker)
	if f.unlocked = errors.Is(err, errors.ErrUnsupported); f.unlocked {
		return nil
	}
	return err
}

func (f *Folder) fillMarker() error {
	if _, err := f.marker.WriteAt(f.markerText(), 0); err != nil {
		return err
	}
	// Without its marker after a power cut, a folder with files in it could not be removed safely.
	if err := filesystem.Sync(f.marker); err != nil {
		return err
	}
	return f.keepFromIndex(runtime.GOOS)
}

func (f *Folder) markerText() []byte {
	run := strings.TrimPrefix(f.name, Prefix)
	text, _ := json.Marshal(marker{What: markerWhat, Run: run}) // two strings
	return append(text, '\n')
}

// unfinished reports whether the folder holds nothing except the beginning of its marker, which is
// text.
func (f *Folder) unfinished(text []byte) (bool, error) {
	if !bytes.HasPrefix(f.markerText(), text) {
		return false, nil
	}
	entries, err := fs.ReadDir(f.Root.FS(), ".")
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !marks(e) }), nil
}

// marks reports whether the entry is there to mark the folder.
func marks(entry fs.DirEntry) bool {
	name := entry.Name()
	return entry.Type().IsRegular() &&
		(strings.TrimPrefix(name, "._") == MarkerName || name == neverIndex)
}

// keepFromIndex asks Spotlight to leave out the folder, as it would read each test file while the
// next is measured.
func (f *Folder) keepFromIndex(goos string) error {
	if goos != "darwin" {
		return nil
	}
	file, err := f.Root.OpenFile(neverIndex, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// readMarker takes a folder that is marked already, or completes one that is unfinished.
func (f *Folder) readMarker() error {
	info, err := f.Root.Lstat(MarkerName)
	if errors.Is(err, fs.ErrNotExist) {
		if half, halfErr := f.unfinished(nil); halfErr != nil || !half {
			return errors.Join(err, halfErr)
		}
		return f.writeMarker()
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("its marker is not a file")
	}
	if f.marker, err = f.Root.OpenFile(MarkerName, os.O_RDWR, 0); err != nil {
		return err
	}
	if err := f.lockMarker(f.lock); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f.marker, 4096))
	if err != nil {
		return err
	}
	if len(text) < len(f.markerText()) { // else it is complete: only the marker need be checked
		if half, err := f.unfinished(text); err != nil {
			return err
		} else if half {
			return f.fillMarker()
		}
	}
	var m marker
	if json.Unmarshal(text, &m) != nil || m.What != markerWhat || Prefix+m.Run != f.name {
		return errors.New("its marker is not hubbench's")
	}
	// Whoever held the lock before may have removed the marker just now; then this one marks
	// nothing.
	opened, err := f.marker.Stat()
	if err != nil {
		return err
	}
	if now, err := f.Root.Lstat(MarkerName); err != nil || !os.SameFile(opened, now) {
		return fs.ErrNotExist
	}
	return nil
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

// Remove deletes what a job of its own has left, and closes the folder.
func (f *Folder) Remove() error {
	_, _, err := f.remove(nil, false)
	return err
}

// remove deletes our own files in the folder and then the folder, and closes it. Those named in
// stay remain, and evidence of a failed verification unless all is true, and in any case what is
// not ours; the folder and its marker remain with them.
func (f *Folder) remove(stay map[string]bool, all bool) (files int, bytes int64, err error) {
	defer f.close()
	entries, err := fs.ReadDir(f.Root.FS(), ".")
	if err != nil {
		return 0, 0, fmt.Errorf("list %s: %w", f.Path, err)
	}
	var foreign []string
	var kept int
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case marks(entry):
		case !isOwn(name) || !entry.Type().IsRegular():
			foreign = append(foreign, name)
		case stay[name], !all && strings.HasPrefix(name, "evidence-"):
			kept++
		default:
			if info, err := entry.Info(); err == nil {
				bytes += info.Size()
			}
			if err := f.Root.Remove(name); err != nil {
				return files, bytes, fmt.Errorf("remove %s: %w", filepath.Join(f.Path, name), err)
			}
			files++
		}
	}
	if len(foreign) > 0 {
		return files, bytes, fmt.Errorf("%s stays: it holds %q, which hubbench did not make",
			f.Path,
			foreign[0])
	}
	if kept > 0 {
		return files, bytes, nil
	}
	return files, bytes, f.removeEmpty()
}

// removeEmpty leaves the folder to whoever shares it: the last of them removes it.
func (f *Folder) removeEmpty() error {
	if f.marker != nil && errors.Is(f.lockMarker(filesystem.Lock), filesystem.ErrBusy) {
		return nil
	}
	// The lock is still held: no other process can claim the folder before its marker is gone.
	for _, name := range []string{neverIndex, MarkerName} {
		if err := f.Root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", filepath.Join(f.Path, name), err)
		}
	}
	_ = f.Root.Remove("._" + MarkerName)
	f.release() // Windows removes no folder that is open
	err := f.parent.Remove(f.name)
	for beganNS := clock.Now(); held(err) && clock.Now()-beganNS < int64(heldTimeout); {
		time.Sleep(heldRetry)
		err = f.parent.Remove(f.name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", f.Path, err)
	}
	return nil
}

// held reports whether another program may have the folder open for a moment, which matters on
// Windows alone.
func held(err error) bool {
	return runtime.GOOS == "windows" && err != nil && !errors.Is(err, fs.ErrNotExist)
}
