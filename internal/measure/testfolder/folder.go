package diskio

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

// A run's test files are in one folder on each disk, named for the run and holding a marker file. Nothing is ever
// removed except files named by us in such a folder, and the folder once it is empty: a folder of the right name
// without a valid marker may be someone else's, unless it holds nothing at all, or only the beginning of its marker:
// a process was killed, or the disk was full, while it was made. Those who use the folder share a lock on its marker,
// a worker for a phase and the coordinator for the run, and whoever removes it holds that alone, so that cleaning up
// after one run cannot reach into another that is alive.
const (
	folderPrefix = ".hubbench-"
	markerName   = "hubbench.json"
	// neverIndex is an empty file by which people keep macOS's Spotlight from a folder. Apple
	// documents it for volumes.
	neverIndex = ".metadata_never_index"
	markerWhat = "test files of hubbench; safe to remove with `hubbench clean`"
	// heldTimeout is how long another program may hold an empty folder open on Windows, as
	// scanners for malware do for a moment; Go's package testing waits as long.
	heldTimeout = 2 * time.Second
	heldRetry   = 10 * time.Millisecond
)

// isOwn reports whether a test file can have the name. macOS adds a twin, "._" and the name, on disks whose file
// system holds no extended attributes (exFAT).
func isOwn(name string) bool {
	name = strings.TrimPrefix(name, "._")
	kind, rest, _ := strings.Cut(name, "-")
	digits, binary := strings.CutSuffix(rest, ".bin")
	return name == probeName || name == listName ||
		slices.Contains([]string{"data", "evidence", "fill"}, kind) && binary && len(digits) >= 6 &&
			strings.Trim(digits, "0123456789") == ""
}

// validRunID reports whether a run's name can name a file on every system.
func validRunID(id string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return id != "" && len(id) <= 100 && strings.Contains(letters, id[:1]) && strings.Trim(id, letters+"._-") == ""
}

// marker is the content of the marker file.
type marker struct {
	What string `json:"what"`
	Run  string `json:"run"`
}

// folder is a marked folder held by this process.
type folder struct {
	path     string
	name     string   // the last element of path
	parent   *os.Root // the disk's folder
	root     *os.Root
	marker   *os.File // locked
	lock     func(*os.File) error
	unlocked bool // the file system locks no files
}

// openFolder makes the run's folder in dir, or reuses the one that an earlier phase of the run left.
func openFolder(dir, runID string) (*folder, error) {
	if !validRunID(runID) {
		return nil, fmt.Errorf("make the test folder: %q cannot name a folder", runID)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the disk's folder: %w", err)
	}
	name := folderPrefix + runID
	// A process that cleans up may remove the folder between our steps; then they are taken again.
	for range 10 {
		if err = parent.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("make the test folder: %w", err)
			break
		}
		fresh := err == nil
		var f *folder
		if f, err = holdFolder(parent, dir, name, fresh, filesystem.Share); err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !(fresh && errors.Is(err, fs.ErrExist)) {
			err = fmt.Errorf("use the test folder %s: %w", filepath.Join(dir, name), err)
			break
		}
		err = fmt.Errorf("use the test folder %s: it exists without hubbench's marker: check what is in it, "+
			"and remove it", filepath.Join(dir, name))
	}
	parent.Close()
	return nil, err
}

// holdFolder opens and locks the folder name of parent, which is no symbolic link. A fresh folder gets its marker; any
// other must have a valid one. The folder owns parent when there is no error.
func holdFolder(
	parent *os.Root, dir, name string, fresh bool, lock func(*os.File) error,
) (_ *folder, err error) {
	f := &folder{path: filepath.Join(dir, name), name: name, parent: parent, lock: lock}
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
	if f.root, err = parent.OpenRoot(name); err != nil {
		return nil, err
	}
	if opened, err := f.root.Stat("."); err != nil || !os.SameFile(info, opened) {
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

func (f *folder) writeMarker() (err error) {
	if f.marker, err = f.root.OpenFile(markerName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
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

func (f *folder) lockMarker(lock func(*os.File) error) error {
	err := lock(f.marker)
	if f.unlocked = errors.Is(err, errors.ErrUnsupported); f.unlocked {
		return nil
	}
	return err
}

func (f *folder) fillMarker() error {
	if _, err := f.marker.WriteAt(f.markerText(), 0); err != nil {
		return err
	}
	// Without its marker after a power cut, a folder with files in it could not be removed safely.
	if err := filesystem.Sync(f.marker); err != nil {
		return err
	}
	return f.keepFromIndex(runtime.GOOS)
}

func (f *folder) markerText() []byte {
	text, _ := json.Marshal(marker{What: markerWhat, Run: strings.TrimPrefix(f.name, folderPrefix)}) // two strings
	return append(text, '\n')
}

// unfinished reports whether the folder holds nothing except the beginning of its marker, which is text.
func (f *folder) unfinished(text []byte) (bool, error) {
	if !bytes.HasPrefix(f.markerText(), text) {
		return false, nil
	}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return strings.TrimPrefix(e.Name(), "._") != markerName && e.Name() != neverIndex || !e.Type().IsRegular()
	}), nil
}

// keepFromIndex asks Spotlight to leave out the folder, as it would read each test file while the
// next is measured.
func (f *folder) keepFromIndex(goos string) error {
	if goos != "darwin" {
		return nil
	}
	file, err := f.root.OpenFile(neverIndex, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// readMarker takes a folder that is marked already, or completes one that is unfinished.
func (f *folder) readMarker() error {
	info, err := f.root.Lstat(markerName)
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
	if f.marker, err = f.root.OpenFile(markerName, os.O_RDWR, 0); err != nil {
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
	if json.Unmarshal(text, &m) != nil || m.What != markerWhat || folderPrefix+m.Run != f.name {
		return errors.New("its marker is not hubbench's")
	}
	// Whoever held the lock before may have removed the marker just now; then this one marks nothing.
	opened, err := f.marker.Stat()
	if err != nil {
		return err
	}
	if now, err := f.root.Lstat(markerName); err != nil || !os.SameFile(opened, now) {
		return fs.ErrNotExist
	}
	return nil
}

// release closes the folder and leaves it as it is.
func (f *folder) release() {
	if f.marker != nil {
		_ = f.marker.Close() // unlocks
	}
	if f.root != nil {
		f.root.Close()
	}
}

// close closes the folder and the disk's folder.
func (f *folder) close() {
	f.release()
	f.parent.Close()
}

// remove deletes our own files in the folder and then the folder, and closes it. Those named in stay
// remain, and evidence of a failed verification unless all is true, and in any case what is not ours; the
// folder and its marker remain with them.
func (f *folder) remove(stay map[string]bool, all bool) (files int, bytes int64, err error) {
	defer f.close()
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return 0, 0, fmt.Errorf("list %s: %w", f.path, err)
	}
	var foreign []string
	var kept int
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.TrimPrefix(name, "._") == markerName, name == neverIndex && entry.Type().IsRegular():
		case !isOwn(name) || !entry.Type().IsRegular():
			foreign = append(foreign, name)
		case stay[name], !all && strings.HasPrefix(name, "evidence-"):
			kept++
		default:
			if info, err := entry.Info(); err == nil {
				bytes += info.Size()
			}
			if err := f.root.Remove(name); err != nil {
				return files, bytes, fmt.Errorf("remove %s: %w", filepath.Join(f.path, name), err)
			}
			files++
		}
	}
	if len(foreign) > 0 {
		return files, bytes, fmt.Errorf("%s stays: it holds %q, which hubbench did not make", f.path, foreign[0])
	}
	if kept > 0 {
		return files, bytes, nil
	}
	return files, bytes, f.removeEmpty()
}

// removeEmpty leaves the folder to whoever shares it: the last of them removes it.
func (f *folder) removeEmpty() error {
	if f.marker != nil && errors.Is(f.lockMarker(filesystem.Lock), filesystem.ErrBusy) {
		return nil
	}
	if err := f.root.Remove(neverIndex); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", filepath.Join(f.path, neverIndex), err)
	}
	// The lock is still held: no other process can claim the folder before its marker is gone.
	if err := f.root.Remove(markerName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the marker of %s: %w", f.path, err)
	}
	_ = f.root.Remove("._" + markerName)
	f.release() // Windows removes no folder that is open
	err := f.parent.Remove(f.name)
	for beganNS := clock.Now(); isHeld(err) && clock.Now()-beganNS < int64(heldTimeout); {
		time.Sleep(heldRetry)
		err = f.parent.Remove(f.name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", f.path, err)
	}
	return nil
}
