//go:build unix

package catalogue

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
)

// foreign is the content of the files of others.
const foreign = "somebody else's"

// foreignFiles lists what is in a folder that holds the catalogue, with content, permissions and
// age: within the catalogue, only what is not hubbench's.
func foreignFiles(t *testing.T, home string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check.Must(t, filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			files[path] = "to " + target
			return err
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		inside, _ := filepath.Rel(filepath.Join(home, "catalogue"), path)
		isOwn := filepath.IsLocal(inside) && !strings.HasPrefix(inside, "notes")
		if !isOwn || strings.HasPrefix(string(text), foreign) {
			info, _ := entry.Info()
			files[path] = fmt.Sprint(string(text), info.Mode(), info.ModTime())
		}
		return err
	}))
	return files
}

// Whatever somebody has made of a catalogue, adding to it and compacting it changes no file of
// theirs: none in its folders, none beside them, and none that they are linked to.
func TestForeignCatalogue(t *testing.T) {
	const month = "month=2026-01"
	const anotherName = " is another name of a file"
	own := fileOf(id(1), "0001")
	// Each changes the catalogue in home/catalogue, whose runs 0 and 1 are not compacted. The file
	// home/theirs and the folder home/folder are another's.
	hostile := map[string]func(home, dir string) error{
		"nothing": func(string, string) error { return nil },
		"no catalogue": func(home, dir string) error {
			return os.RemoveAll(dir)
		},
		"old parts": func(home, dir string) error {
			for _, name := range []string{"film.mp4.part", ".film.mp4.0123abcd.part", "compact-x.part",
				"compact-01.parquet.part", "notes.parquet.part"} {
				name = filepath.Join(dir, stateFolder, name)
				err := os.WriteFile(name, []byte(foreign), 0o600)
				if err != nil {
					return err
				}
				old := time.Now().Add(-2 * abandoned)
				if err := os.Chtimes(name, old, old); err != nil {
					return err
				}
			}
			return nil
		},
		"a table of another": func(home, dir string) error {
			return os.WriteFile(filepath.Join(dir, "disk", month, "theirs.parquet"),
				[]byte(foreign), 0o600)
		},
		"a pipe as the month's table": func(home, dir string) error {
			return syscall.Mkfifo(filepath.Join(dir, "disk", month, "pipe.parquet"), 0o600)
		},
		"a pipe as the list": func(home, dir string) error {
			path := filepath.Join(dir, collected())
			_ = os.Remove(path)
			return syscall.Mkfifo(path, 0o600)
		},
		"a pipe as the compaction": func(home, dir string) error {
			return syscall.Mkfifo(filepath.Join(dir, state(pendingFile)), 0o600)
		},
	}
	links := map[string]string{
		"state": stateFolder, "list": collected(), "locks": state(filesLock),
		"lock of compactions": state(compactLock), "part": state("compact-1.parquet.part"),
		"compaction": state(pendingFile), "grain": "disk", "month": filepath.Join("disk", month),
		"table": filepath.Join("disk", month, own),
	}
	for what, name := range links {
		isFolder := filepath.Ext(name) == "" && !strings.Contains(name, "collected")
		replace := func(dir string, link func(path string) error) error {
			path := filepath.Join(dir, name)
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return link(path)
		}
		hostile[what+" is a link"] = func(home, dir string) error {
			target := filepath.Join(home, "theirs")
			if isFolder {
				target = filepath.Join(home, "folder")
			}
			return replace(dir, func(path string) error { return os.Symlink(target, path) })
		}
		if isFolder {
			// A folder of somebody's, within the catalogue.
			hostile[what+" is a link within"] = func(home, dir string) error {
				inside := filepath.Join(dir, "notes")
				err := os.Mkdir(inside, 0o700)
				if err == nil {
					err = os.WriteFile(filepath.Join(inside, own), []byte(foreign), 0o600)
				}
				if err != nil {
					return err
				}
				return replace(dir, func(path string) error { return os.Symlink(inside, path) })
			}
		} else {
			hostile[what+anotherName] = func(home, dir string) error {
				return replace(dir, func(path string) error {
					return os.Link(filepath.Join(home, "theirs"), path)
				})
			}
		}
	}
	from := func(folder, name string) compaction {
		return compaction{Folder: folder, Inputs: []input{{Name: name}}}
	}
	to := func(name string) compaction {
		return compaction{Folder: "disk/" + month, Outputs: []string{name}}
	}
	for what, done := range map[string]compaction{
		"of a folder outside":       from("..", "theirs"),
		"of a folder elsewhere":     from("notes", "theirs"),
		"of a month that is a path": from("disk/month=../..", "theirs"),
		"from outside":              from("disk/"+month, "../../../theirs"),
		"from files of another":     from("disk/"+month, "theirs"),
		"from tables of another":    from("disk/"+month, "theirs.parquet"),
		"to outside":                to("../../../folder/x"),
		"to a file elsewhere":       to("theirs"),
	} {
		hostile["a compaction "+what] = func(home, dir string) error {
			for _, place := range []string{".", "notes", stateFolder, "disk/" + month} {
				for _, name := range []string{"theirs", "theirs.part", "theirs.parquet"} {
					path := filepath.Join(dir, place, name)
					_ = os.Mkdir(filepath.Dir(path), 0o700)
					if err := os.WriteFile(path, []byte(foreign), 0o600); err != nil {
						return err
					}
				}
			}
			at := filepath.Join(dir, done.Folder)
			for i := range done.Inputs {
				in := &done.Inputs[i]
				if info, err := os.Stat(filepath.Join(at, in.Name)); err == nil {
					in.Size, in.Modified = info.Size(), info.ModTime()
				}
			}
			for _, name := range done.Outputs {
				part := filepath.Join(dir, state(name+partEnding))
				_ = os.WriteFile(part, []byte(foreign), 0o600)
			}
			text, err := json.Marshal(done)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, state(pendingFile)), text, 0o600)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(hostile)) {
		t.Run(what, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "catalogue")
			add(t, dir, farm()(0), farm()(1))
			for _, path := range []string{"theirs", "folder/theirs", "folder/" + own,
				"folder/theirs.parquet", "folder/" + month + "/theirs",
				"catalogue/theirs", "catalogue/disk/theirs",
				"catalogue/disk/" + month + "/theirs", "catalogue/_state/theirs"} {
				path = filepath.Join(home, path)
				check.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
				check.Must(t, os.WriteFile(path, []byte(foreign), 0o600))
			}
			check.Must(t, hostile[what](home, dir))
			before := foreignFiles(t, home)
			c, err := Open(dir)
			if err == nil {
				c.listing = 0
				err = c.Add(farm()(1), Stamp{})
				t.Log("add: ", err)
				err = c.Compact(after)
				c.Close()
			}
			t.Log("at last: ", err)
			if what == "nothing" {
				check.Must(t, err)
			}
			left := foreignFiles(t, home)
			// A name that hubbench gives may get another file; the other name keeps theirs.
			if link, isName := strings.CutSuffix(what, anotherName); isName {
				delete(before, filepath.Join(dir, links[link]))
				delete(left, filepath.Join(dir, links[link]))
			}
			if apart := diff.Diff(before, left); apart != "" || len(before) == 0 {
				t.Errorf("files of others (-before +after):\n%s", apart)
			}
		})
	}
}
