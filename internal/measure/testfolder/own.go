package testfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// What is ours has a name of ours, and is a regular file with that name alone, of the folder's
// owner. A hard link to a file of the user's would be written to as if it were ours, and a pipe
// would be waited for.

// isMarker reports whether a file of that name is there to mark the folder.
func isMarker(name string) bool {
	name = untwinned(name)
	return name == MarkerName || name == neverIndex
}

// isOwn reports whether a test file can have the name.
func isOwn(name string) bool {
	name = untwinned(name)
	_, numbered := numberOf(name)
	return name == ProbeName || name == ListName || numbered
}

// twin begins the name of what macOS adds to every file on disks whose file system holds no
// extended attributes (exFAT, FAT): an AppleDouble file.
const twin = "._"

// untwinned returns the name of the file that the one of this name is the twin of, or its own.
func untwinned(name string) string { return strings.TrimPrefix(name, twin) }

// numberOf returns the number in a test file's name.
func numberOf(name string) (number int, ok bool) {
	kind, rest, _ := strings.Cut(name, "-")
	digits, binary := strings.CutSuffix(rest, ".bin")
	if !slices.Contains([]string{"data", "evidence", "fill"}, kind) || !binary ||
		len(digits) < 6 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	number, err := strconv.Atoi(digits)
	return number, err == nil
}

// foreign is why a file cannot be ours, whatever its name; nil if it can.
func foreign(info fs.FileInfo, id identity, owner int64) error {
	switch {
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case id.links > 1:
		return fmt.Errorf("it is one file with %d names (hard links)", id.links)
	case owner != nobody && id.owner != owner:
		return errors.New("it belongs to another user")
	}
	return nil
}

// identity is what tells files of several names or owners.
type identity struct {
	links uint64 // 0: the file system does not count them, or the file is removed
	owner int64
}

// nobody is the owner where the system knows none.
const nobody = -1

// foreign is why the file in the folder cannot be ours; nil if it can, or is gone.
func (f *Folder) foreign(name string) error {
	info, err := f.Root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	id, err := identityIn(f.Root, name, info)
	if err != nil {
		return err
	}
	return foreign(info, id, f.owner)
}

// openOwn opens a file that is ours, of that owner, and waits for none that is not.
func openOwn(root *os.Root, name string, flag int, owner int64) (*os.File, identity, error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = foreign(info, identity{}, owner)
	}
	if err != nil {
		return nil, identity{}, err
	}
	file, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, identity{}, err
	}
	info, err = file.Stat()
	var id identity
	if err == nil {
		id, err = identityOf(file, info)
	}
	if err == nil {
		err = foreign(info, id, owner)
	}
	if err != nil {
		return nil, id, errors.Join(err, file.Close())
	}
	return file, id, nil
}

// checkOwner holds the folder, which was there already, against a file that is made in it: what
// another user has prepared is not worked in. Who owns a new file is known by trying alone, as some
// volumes ignore owners and some servers choose them. The file has the name of those that the disk
// is tried with later, so one of somebody else's is told on every system.
func (f *Folder) checkOwner() error {
	if err := f.foreign(ProbeName); err != nil {
		return f.stays(ProbeName, err)
	}
	if f.owner == nobody {
		return nil
	}
	_ = f.Root.Remove(ProbeName) // An earlier process may have died before it did.
	made, err := f.Root.OpenFile(ProbeName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	info, err := made.Stat()
	var id identity
	if err == nil {
		id, err = identityOf(made, info)
	}
	if err == nil && id.owner != f.owner {
		err = errors.New("its marker belongs to another user")
	}
	return errors.Join(err, made.Close(), f.Root.Remove(ProbeName))
}

// stays says why the folder stays as it is.
func (f *Folder) stays(name string, why error) error {
	text := ""
	if why != nil {
		text = ": " + why.Error()
	}
	return fmt.Errorf("%s stays: it holds %q, which hubbench did not make%s", f.Path, name, text)
}

// checkPlace tells that somebody has renamed or moved the folder while it was held.
func (f *Folder) checkPlace() error {
	held, err := f.Root.Stat(".")
	if err != nil {
		return nil //nolint:nilerr // What follows fails for the same reason.
	}
	if _, err := f.Root.Lstat(MarkerName); err != nil {
		return nil //nolint:nilerr // It is gone, or about to be.
	}
	now, err := f.parent.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, now) {
		return movedError(f.Path)
	}
	return nil
}

func movedError(path string) error {
	return fmt.Errorf("the test folder %s was renamed or moved during the run, and is left where "+
		"it is now", path)
}
