package testfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
)

// A folder is hubbench's if its marker says so: a regular file, no link, that names the run as the
// folder's own name does. Whoever uses the folder holds a lock on the marker.

const (
	// MarkerName is the file that marks a folder as hubbench's.
	MarkerName = "hubbench.json"
	// neverIndex is an empty file by which people keep macOS's Spotlight from a folder. Apple
	// documents it for volumes.
	neverIndex = ".metadata_never_index"
	markerWhat = "test files of hubbench; safe to remove with `hubbench clean`"
)

// marker is the content of the marker file.
type marker struct {
	What string `json:"what"`
	Run  string `json:"run"`
}

// maxMarker is more than any marker has.
const maxMarker = 4096

// runOf returns the run that a marker is of; empty if the text is none.
func runOf(text []byte) string {
	var m marker
	if json.Unmarshal(text, &m) != nil || m.What != markerWhat || !validRunID(m.Run) {
		return ""
	}
	return m.Run
}

// isMarked reports whether the folder has a marker, whatever it is called itself.
func isMarked(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	file, _, err := openOwn(root, MarkerName, os.O_RDONLY, nobody)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxMarker))
	return err == nil && runOf(text) != ""
}

func (f *Folder) markerText() []byte {
	run := strings.TrimPrefix(f.name, Prefix)
	text, _ := json.Marshal(marker{What: markerWhat, Run: run}) // two strings
	return append(text, '\n')
}

// makeMarker marks a folder that has no marker, and locks it.
func (f *Folder) makeMarker() (err error) {
	const fresh = os.O_RDWR | os.O_CREATE | os.O_EXCL
	if f.marker, err = f.Root.OpenFile(MarkerName, fresh, 0o600); err != nil {
		return err
	}
	info, err := f.marker.Stat()
	if err != nil {
		return err
	}
	id, err := identityOf(f.marker, info)
	if err != nil {
		return err
	}
	f.owner = id.owner
	// Through a lock that is shared some network file systems write nothing.
	if err := f.lockMarker(filesystem.Lock); err != nil {
		return err
	}
	if err := f.writeMarker(); err != nil {
		return err
	}
	return f.lockMarker(f.lock)
}

// writeMarker writes the locked marker to the disk. Without it after a power cut, a folder with
// files in it could not be removed safely.
func (f *Folder) writeMarker() error {
	if _, err := f.marker.WriteAt(f.markerText(), 0); err != nil {
		return err
	}
	if err := filesystem.Sync(f.marker); err != nil {
		return err
	}
	return f.keepFromIndex(runtime.GOOS)
}

// keepFromIndex asks Spotlight to leave out the folder, as it would read each test file while the
// next is measured.
func (f *Folder) keepFromIndex(goos string) error {
	if goos != "darwin" {
		return nil
	}
	file, err := f.Root.OpenFile(neverIndex, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

func (f *Folder) lockMarker(lock func(*os.File) error) error {
	err := lock(f.marker)
	if f.unlocked = errors.Is(err, errors.ErrUnsupported); f.unlocked {
		return nil
	}
	return err
}

// checkMarker locks the marker of a folder that is there already, and checks it. An unfinished
// folder gets the rest of its marker.
func (f *Folder) checkMarker() error {
	file, id, err := openOwn(f.Root, MarkerName, os.O_RDWR, nobody)
	if errors.Is(err, fs.ErrNotExist) {
		if f.isUnfinished(nil) {
			return f.makeMarker()
		}
		return err
	}
	if err != nil {
		return fmt.Errorf("check its marker: %w", err)
	}
	f.marker, f.owner = file, id.owner
	if err := f.lockMarker(f.lock); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(f.marker, maxMarker))
	if err != nil {
		return err
	}
	if len(text) < len(f.markerText()) && f.isUnfinished(text) {
		return f.writeMarker()
	}
	if run := runOf(text); run == "" || !f.anyName && Prefix+run != f.name {
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

// isUnfinished reports whether the folder holds nothing except text, which is the beginning of its
// marker: whoever made it was killed, or the disk was full.
func (f *Folder) isUnfinished(text []byte) bool {
	entries, err := fs.ReadDir(f.Root.FS(), ".")
	if err != nil || !bytes.HasPrefix(f.markerText(), text) {
		return false
	}
	for _, entry := range entries {
		if name := entry.Name(); !isMarker(name) || f.foreign(name) != nil {
			return false
		}
	}
	return true
}
