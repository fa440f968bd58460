package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// others are files that hubbench has no business with: in and beside the folders that it writes,
// and linked into them.
type others struct {
	elsewhere string            // a folder of which no run knows, with files that are linked
	files     map[string]string // what each is and says
}

// is tells what a file is and says.
func (*others) is(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	text, err := os.ReadFile(path)
	return fmt.Sprintf("%s, %q, %v", info.Mode(), text, err)
}

// plant puts a file into dir, and hard and symbolic links of those names to files elsewhere.
func (o *others) plant(dir, hard, symbolic string) error {
	err := errors.Join(os.MkdirAll(dir, 0o755), os.MkdirAll(o.elsewhere, 0o755))
	write := func(path string) string {
		err = errors.Join(err, os.WriteFile(path, []byte("the only copy, for "+dir), 0o600))
		o.files[path] = ""
		return path
	}
	write(filepath.Join(dir, "mine.txt"))
	for i, name := range []string{hard, symbolic} {
		target := write(filepath.Join(o.elsewhere, fmt.Sprintf("%d.txt", len(o.files))))
		path := filepath.Join(dir, name)
		if i == 0 {
			err = errors.Join(err, os.Link(target, path))
		} else if linkErr := symlink(target, path); linkErr != nil {
			if runtime.GOOS != "windows" { // which lets few users make one
				err = errors.Join(err, linkErr)
			}
			continue
		}
		o.files[path] = ""
	}
	for path, was := range o.files {
		if was == "" {
			o.files[path] = o.is(path)
		}
	}
	return err
}

// symlink makes a symbolic link. Wine makes none and says that it did.
func symlink(target, path string) error {
	if err := os.Symlink(target, path); err != nil {
		return err
	}
	_, err := os.Lstat(path)
	return err
}

// in are the names of those in dir, in order.
func (o *others) in(dir string) []string {
	var names []string
	for path := range o.files {
		if filepath.Dir(path) == dir {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names
}

// take takes those in dir away again.
func (o *others) take(dir string) error {
	var err error
	for _, name := range o.in(dir) {
		path := filepath.Join(dir, name)
		err = errors.Join(err, os.Remove(path))
		delete(o.files, path)
	}
	return err
}

// check looks whether each is still there as it was.
func (o *others) check() error {
	for path, was := range o.files {
		if is := o.is(path); is != was {
			return fmt.Errorf("%s is not hubbench's: it was %s, and is %s", path, was, is)
		}
	}
	return nil
}

// alone looks whether dir holds those and nothing else.
func (o *others) alone(dir string) error {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if want := o.in(dir); err == nil && !slices.Equal(want, names) {
		err = fmt.Errorf("%s holds %q, want %q", dir, names, want)
	}
	return err
}
