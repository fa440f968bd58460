package testfolder

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/test/check"
)

// makeFolder makes the marked folder of run r1 in dir with the files given, and releases it.
func makeFolder(t *testing.T, dir string, files ...string) string {
	t.Helper()
	f, err := Open(dir, "r1")
	check.Must(t, err)
	for _, name := range files {
		content := "content"
		if name == ListName {
			content = `[{"number":0,"size":7,"unit":4096,"keep":true},{"number":1,"size":7,"unit":4096}]`
		}
		check.Must(t, f.Root.WriteFile(name, []byte(content), 0o600))
	}
	f.close()
	return f.Path
}

func TestRemoveRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		files   []string
		want    []string // what is left; nil: not even the folder
		wantErr string
	}{
		{name: "empty folder"},
		{name: "own files", files: []string{"data-000000.bin", "data-000001.bin", "probe.bin"}},
		{name: "twins made by macOS",
			files: []string{"data-000000.bin", "._data-000000.bin", "._hubbench.json"}},
		{
			name: "kept", files: []string{"data-000000.bin", "data-000001.bin", "data-000002.bin",
				"files.json"},
			want: []string{"data-000000.bin", "files.json", "hubbench.json"},
		},
		{name: "evidence", files: []string{"data-000000.bin", "evidence-000001.bin"},
			want: []string{"evidence-000001.bin", "hubbench.json"}},
		{
			name: "a foreign file", files: []string{"data-000000.bin", "thesis.doc"},
			want: []string{"hubbench.json", "thesis.doc"}, wantErr: `holds "thesis.doc", which hubbench did not make`,
		},
		{
			name: "nearly our name", files: []string{"data-000000.bin.bak"},
			want:    []string{"data-000000.bin.bak", "hubbench.json"},
			wantErr: "hubbench did not make",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := makeFolder(t, dir, tt.files...)
			err := RemoveRun(dir, "r1")
			if tt.wantErr == "" {
				check.Must(t, err)
			} else {
				check.Refused(t, "RemoveRun()", err, tt.wantErr)
			}
			check.Same(t, "left in the folder", tt.want, check.Names(t, path))
		})
	}
}

// TestSpotlightIsKeptOut: the file that does it goes with the folder, and another of its name is
// left.
func TestSpotlightIsKeptOut(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir, "r1")
	check.Must(t, err)
	for _, goos := range []string{"linux", "darwin", "darwin"} {
		check.Must(t, f.keepFromIndex(goos))
		_, err := os.Stat(filepath.Join(f.Path, neverIndex))
		check.Same(t, "the file is there on "+goos, goos == "darwin" || runtime.GOOS == "darwin",
			err == nil)
	}
	f.close()
	check.Must(t, RemoveRun(dir, "r1"))
	check.Empty(t, dir)
	path := makeFolder(t, dir)
	_ = os.Remove(filepath.Join(path, neverIndex))
	check.Must(t, os.Mkdir(filepath.Join(path, neverIndex), 0o700))
	check.Refused(t, "a folder of that name", RemoveRun(dir, "r1"), "which hubbench did not make")
}

func TestRemoveRunWithoutFolder(t *testing.T) {
	check.Must(t, RemoveRun(t.TempDir(), "r1"))
	for _, id := range []string{"", "..", "../x", "a/b", `a\b`, ".", strings.Repeat("x", 200)} {
		check.Refused(t, id, RemoveRun(t.TempDir(), id), "cannot name a folder")
	}
}

// Given the disk's folder or the run's own, it removes even what is kept.
func TestClean(t *testing.T) {
	for _, itself := range []bool{false, true} {
		dir := t.TempDir()
		path := makeFolder(t, dir, "data-000000.bin", "evidence-000001.bin", "files.json")
		what := dir
		if itself {
			what = path
		}
		got, err := Clean(what)
		check.Must(t, err)
		check.Same(t, "Clean()", []Cleaned{{Path: path, Files: 3, Bytes: 95}}, got)
		check.Empty(t, dir)
	}
}

// A process that was killed while it made its folder leaves it empty, or with the beginning of a
// marker: that is cleaned up, and a run can go on in it.
func TestUnfinishedFolder(t *testing.T) {
	path := makeFolder(t, t.TempDir())
	whole, err := os.ReadFile(filepath.Join(path, MarkerName))
	check.Must(t, err)
	for _, length := range []int{-1, 0, 1, len(whole) / 2, len(whole) - 1, len(whole)} {
		half := func() (dir string) {
			dir = t.TempDir()
			path := filepath.Join(dir, Prefix+"r1")
			check.Must(t, os.Mkdir(path, 0o700))
			if length >= 0 {
				check.Must(t, os.WriteFile(filepath.Join(path, MarkerName), whole[:length], 0o600))
			}
			return dir
		}
		for name, end := range map[string]func(dir string) error{
			"clean": func(dir string) error {
				cleaned, err := Clean(dir)
				if len(cleaned) != 1 || cleaned[0].Skipped != "" {
					t.Errorf("a marker of %d bytes: Clean() = %+v", length, cleaned)
				}
				return err
			},
			"remove": func(dir string) error { return RemoveRun(dir, "r1") },
			"resume": func(dir string) error {
				f, err := Open(dir, "r1")
				if err != nil {
					return err
				}
				got, err := f.Root.ReadFile(MarkerName)
				check.Same(t, fmt.Sprintf("a marker of %d bytes, completed", length), string(whole),
					string(got))
				_, _, removeErr := f.remove(nil, true)
				return errors.Join(err, removeErr)
			},
		} {
			dir := half()
			if err := end(dir); err != nil {
				t.Errorf("%s, a marker of %d bytes: %v", name, length, err)
			}
			check.Empty(t, dir)
		}
	}
}

// Between two phases no worker holds the folder, and the run is alive anyway, whatever clean takes
// for the system's folder of temporary files. Neither does a worker remove it that needs it no
// longer.
func TestCleanLeavesTheFolderOfARunBetweenPhases(t *testing.T) {
	dir := t.TempDir()
	makeFolder(t, dir, "data-000000.bin")
	release, err := HoldRun(dir, "r1")
	check.Must(t, err)
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, t.TempDir())
	}
	before := tree(t, dir)
	got, err := Clean(dir)
	if err != nil || len(got) != 1 || got[0].Skipped != filesystem.ErrBusy.Error() {
		t.Errorf("Clean() = %+v, %v, want it skipped", got, err)
	}
	check.Same(t, "the folder changed", before, tree(t, dir))
	f, err := Open(dir, "r1")
	check.Must(t, err)
	_, _, err = f.remove(nil, false)
	check.Must(t, err)
	check.Same(t, "left when a phase that needs no files has ended", []string{MarkerName},
		check.Names(t, f.Path))
	release()
	if got, err := Clean(dir); err != nil || len(got) != 1 || got[0].Skipped != "" {
		t.Errorf("after the run: Clean() = %+v, %v, want it removed", got, err)
	}
	check.Empty(t, dir)
}

// Of two processes that remove a folder, one may be killed when the marker is gone and the folder
// is not, while the other waits for the marker's lock. Nothing stays.
func TestKilledBetweenMarkerAndFolder(t *testing.T) {
	dir := t.TempDir()
	path := makeFolder(t, dir)
	killed := func(marker *os.File) error {
		check.Must(t, os.Remove(filepath.Join(path, MarkerName)))
		return filesystem.Lock(marker)
	}
	// Windows goes on with a marker that was removed while it is open, and removes the folder.
	if err := removeRun(dir, "r1", killed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removeRun() = %v, want %v", err, fs.ErrNotExist)
	}
	check.Must(t, RemoveRun(dir, "r1"))
	check.Empty(t, dir)
}

// Whoever keeps a folder for a run makes no marker in one that is being removed.
func TestHoldRunMarksNothing(t *testing.T) {
	dir := t.TempDir()
	path := makeFolder(t, dir)
	check.Must(t, os.Remove(filepath.Join(path, MarkerName)))
	if _, err := HoldRun(dir, "r1"); err == nil {
		t.Error("HoldRun() held a folder without a marker")
	}
	check.Empty(t, path)
}

// Where files cannot be locked, a run removes its own folder, and clean none: it may be a living
// run's.
func TestFolderWithoutLocks(t *testing.T) {
	dir := t.TempDir()
	path := makeFolder(t, dir, "data-000000.bin")
	before := tree(t, dir)
	got := cleanOne(dir, filepath.Base(path), func(*os.File) error { return errors.ErrUnsupported })
	if !strings.Contains(got.Skipped, "does not lock files") {
		t.Errorf("clean: %+v, want it skipped", got)
	}
	check.Same(t, "the folder changed", before, tree(t, dir))
	f, err := openMarked(dir, filepath.Base(path), false, func(*os.File) error {
		return errors.ErrUnsupported
	})
	check.Must(t, err)
	_, _, err = f.remove(nil, true)
	check.Must(t, err)
	check.Empty(t, dir)
}

// What is in doubt stays exactly as it is.
func TestCleanLeavesWhatIsInDoubt(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		check.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"no hubbench marker", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".hubbench-r1/data-000000.bin"), "x")
		}, "no hubbench marker"},
		{"an empty marker", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".hubbench-r1/hubbench.json"), "")
			write(t, filepath.Join(dir, ".hubbench-r1/data-000000.bin"), "x")
		}, "marker is not hubbench's"},
		{"another program's marker", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".hubbench-r1/hubbench.json"), `{"what":"x","run":"r1"}`)
			write(t, filepath.Join(dir, ".hubbench-r1/data-000000.bin"), "x")
		}, "marker is not hubbench's"},
		{"a marker that is a link", func(t *testing.T, dir string) {
			path := makeFolder(t, dir, "data-000000.bin")
			check.Must(t, os.Rename(filepath.Join(path, MarkerName),
				filepath.Join(path, "elsewhere")))
			check.Must(t, os.Symlink("elsewhere", filepath.Join(path, MarkerName)))
		}, "marker: it is not a regular file"},
		{"a link to a marked folder", func(t *testing.T, dir string) {
			path := makeFolder(t, dir, "data-000000.bin")
			moved := filepath.Join(dir, "deeper", "moved")
			check.Must(t, os.Mkdir(filepath.Dir(moved), 0o700))
			check.Must(t, os.Rename(path, moved))
			check.Must(t, os.Symlink(moved, path))
		}, "not a hubbench test folder"},
		{"a file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".hubbench-r1"), "x")
		}, "not a hubbench test folder"},
		{"a live run", func(t *testing.T, dir string) {
			f, err := Open(dir, "r1")
			check.Must(t, err)
			t.Cleanup(f.close)
		}, "a running hubbench is using it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.make(t, dir)
			before := tree(t, dir)
			got, err := Clean(dir)
			check.Must(t, err)
			if len(got) != 1 {
				t.Fatalf("Clean() = %+v, want one folder", got)
			}
			check.Refused(t, "Clean()", errors.New(got[0].Skipped), tt.want)
			check.Same(t, "the folder changed", before, tree(t, dir))
		})
	}
}

// tree lists every path under dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		list = append(list, path)
		return err
	})
	check.Must(t, err)
	return list
}

// A link among the test files is foreign: neither it nor its target is touched.
func TestRemoveRunFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	path := makeFolder(t, dir)
	target := filepath.Join(dir, "data-000000.bin")
	check.Must(t, os.WriteFile(target, []byte("the user's"), 0o600))
	check.Must(t, os.Symlink(target, filepath.Join(path, "data-000000.bin")))
	check.Refused(t, "RemoveRun()", RemoveRun(dir, "r1"), "data-000000.bin")
	got, err := os.ReadFile(target)
	check.Must(t, err)
	check.Same(t, "the link's target", "the user's", string(got))
}

func TestPhasesShareTheFolder(t *testing.T) {
	dir := t.TempDir()
	makeFolder(t, dir, "data-000006.bin", "data-000000.bin", "files.json")
	f, err := Open(dir, "r1")
	check.Must(t, err)
	defer f.close()
	// Of the two files listed one is gone; the third is not listed, but its number is taken.
	check.Same(t, "records", []Record{{Number: 0, Size: 7, Unit: 4096, Keep: true}}, f.Records)
	check.Same(t, "the next number", 7, f.Number())
	if err := RemoveRun(dir, "r1"); !errors.Is(err, filesystem.ErrBusy) {
		t.Errorf("RemoveRun() while it is held = %v, want %v", err, filesystem.ErrBusy)
	}
}

func TestTry(t *testing.T) {
	dir := t.TempDir()
	check.Must(t, Try(dir, "r"))
	check.Empty(t, dir)
	check.Must(t, os.MkdirAll(filepath.Join(dir, Prefix+"r", "somebody's"), 0o700))
	check.Refused(t, "a folder without a marker", Try(dir, "r"), "without hubbench's marker")
	check.Refused(t, "no folder", Try(filepath.Join(dir, "none"), "r"), "open the disk's folder")
}

// The list against a plain one: files made, removed for room, kept, forgotten.
func TestTestFiles(t *testing.T) {
	dir := t.TempDir()
	makeFolder(t, dir)
	f, err := Open(dir, "r1")
	check.Must(t, err)
	defer f.close()
	rng := rand.New(rand.NewPCG(1, 2))
	var want []Record
	for range 2000 {
		r := Record{Number: f.Number(), Size: 1 + rng.Int64N(9), Keep: rng.IntN(50) == 0}
		check.Must(t, f.MakeRoom(r.Size, 200))
		sum := r.Size
		for _, have := range want {
			sum += have.Size
		}
		want = slices.DeleteFunc(want, func(have Record) bool {
			over := sum > 200 && !have.Keep
			if over {
				sum -= have.Size
			}
			return over
		})
		check.Must(t, os.WriteFile(filepath.Join(f.Path, r.Name()), make([]byte, r.Size), 0o600))
		f.Add(r)
		want = append(want, r)
		if victim := want[rng.IntN(len(want))]; rng.IntN(10) == 0 {
			check.Must(t, f.RemoveFile(victim.Number))
			if !victim.Keep {
				want = slices.DeleteFunc(want, func(have Record) bool {
					return have.Number == victim.Number
				})
			}
		}
		check.Same(t, "records", want, f.Records)
	}
	entries, err := os.ReadDir(f.Path)
	check.Must(t, err)
	files := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !isOwn(e.Name()) })
	check.Same(t, "files", len(want), len(files))
}
