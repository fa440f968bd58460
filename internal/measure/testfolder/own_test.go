package testfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// What has a name of ours and may be somebody else's stops the run, and is neither written to nor
// removed, by clean either.
func TestStrangersWithOurNames(t *testing.T) {
	const theirs = "the only copy"
	for _, name := range []string{MarkerName, neverIndex, ListName, ProbeName, "data-000000.bin"} {
		dir := t.TempDir()
		path := makeFolder(t, dir, "data-000001.bin", ListName)
		at, target := filepath.Join(path, name), filepath.Join(dir, "thesis.doc")
		text := theirs
		if name == MarkerName || name == neverIndex {
			text = "" // as a folder looks that was killed while it was made
		}
		check.Must(t, os.WriteFile(target, []byte(text), 0o600))
		if text == "" {
			for _, other := range []string{"data-000001.bin", ListName} {
				check.Must(t, os.Remove(filepath.Join(path, other)))
			}
		}
		if name == "data-000000.bin" { // as the list has it
			check.Must(t, os.WriteFile(target, []byte(text[:7]), 0o600))
		}
		_ = os.Remove(at)
		check.Must(t, os.Link(target, at))
		before, err := os.ReadFile(target)
		check.Must(t, err)
		if name == neverIndex {
			check.Must(t, os.WriteFile(filepath.Join(path, MarkerName), nil, 0o600))
		}
		_, err = Open(dir, "r1")
		check.Refused(t, "Open() beside a link "+name, err, "")
		if strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v: want one line", name, err)
		}
		for _, end := range []func() error{
			func() error { return RemoveRun(dir, "r1") },
			func() error {
				cleaned, err := Clean(dir)
				if len(cleaned) != 1 || cleaned[0].Skipped == "" {
					t.Errorf("%s: Clean() = %+v, want it skipped", name, cleaned)
				}
				return errors.Join(err, errors.New("skipped"))
			},
		} {
			check.Refused(t, name, end(), "")
			after, err := os.ReadFile(at)
			check.Must(t, err)
			check.Same(t, name, string(before), string(after))
			after, err = os.ReadFile(target)
			check.Must(t, err)
			check.Same(t, name+", where it is linked from", string(before), string(after))
		}
	}
}

// Twins of every file of ours go with it, whether the system removes them or not.
func TestTwins(t *testing.T) {
	dir := t.TempDir()
	path := makeFolder(t, dir, "data-000000.bin", neverIndex, ProbeName)
	check.Must(t, os.WriteFile(filepath.Join(dir, twin+filepath.Base(path)), nil, 0o600))
	for _, name := range append(check.Names(t, path), neverIndex) {
		check.Must(t, os.WriteFile(filepath.Join(path, twin+name), nil, 0o600))
	}
	f, err := Open(dir, "r1")
	check.Must(t, err)
	check.Must(t, f.Remove())
	check.Empty(t, dir)
}

// Numbers have no more than six digits for most of a run.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	makeFolder(t, dir, "data-1000000.bin", "data-0999999.bin", "fill-000007.bin", "data-12345.bin",
		"thesis-9000000.bin", "data-9000000.doc")
	f, err := Open(dir, "r1")
	check.Must(t, err)
	defer f.close()
	check.Same(t, "the next number", 1000001, f.Number())
}

// A folder that somebody renames during a run is told when it is over, and clean finds it.
func TestRenamedFolder(t *testing.T) {
	for name, end := range map[string]func(dir string, rename func()) error{
		"during a phase": func(dir string, rename func()) error {
			f, err := Open(dir, "r1")
			check.Must(t, err)
			rename()
			return f.CarryOver(nil)
		},
		"between phases": func(dir string, rename func()) error {
			release, err := HoldRun(dir, "r1")
			check.Must(t, err)
			rename()
			f, err := Open(dir, "r1")
			check.Must(t, err)
			return errors.Join(release(), f.Remove())
		},
	} {
		dir := t.TempDir()
		path, now := makeFolder(t, dir, "data-000000.bin", "evidence-000001.bin"),
			filepath.Join(dir, "found")
		beside := filepath.Join(dir, "mine", MarkerName)
		check.Must(t, os.Mkdir(filepath.Dir(beside), 0o700))
		check.Must(t, os.WriteFile(beside, []byte("{}"), 0o600))
		cannot := error(nil)
		err := end(dir, func() { cannot = os.Rename(path, now) })
		if cannot != nil {
			t.Skipf("nobody can rename it here: %v", cannot)
		}
		check.Refused(t, name, err, "was renamed or moved")
		cleaned, err := Clean(dir)
		check.Must(t, err)
		if len(cleaned) != 1 || cleaned[0].Path != now || cleaned[0].Skipped != "" {
			t.Errorf("%s: Clean() = %+v", name, cleaned)
		}
		check.Same(t, name, []string{"mine"}, check.Names(t, dir))
	}
	// Removed by somebody it is not renamed.
	dir := t.TempDir()
	path := makeFolder(t, dir)
	release, err := HoldRun(dir, "r1")
	check.Must(t, err)
	if os.RemoveAll(path) == nil {
		check.Must(t, release())
	}
}

// info is a file of that mode.
type info struct {
	fs.FileInfo
	mode fs.FileMode
}

func (i info) Mode() fs.FileMode { return i.mode }

func TestForeign(t *testing.T) {
	for _, tt := range []struct {
		name  string
		mode  fs.FileMode
		id    identity
		owner int64
		want  bool
	}{
		{"ours", 0o600, identity{1, 501}, 501, false},
		{"on a file system that counts no links", 0o600, identity{0, 501}, 501, false},
		{"where the system knows no owner", 0o600, identity{1, nobody}, nobody, false},
		{"the first to be looked at", 0o600, identity{1, 501}, nobody, false},
		{"another's", 0o600, identity{1, 502}, 501, true},
		{"a hard link", 0o600, identity{2, 501}, 501, true},
		{"a pipe", fs.ModeNamedPipe, identity{1, 501}, 501, true},
		{"a link", fs.ModeSymlink, identity{1, 501}, 501, true},
	} {
		if got := foreign(info{mode: tt.mode}, tt.id, tt.owner) != nil; got != tt.want {
			t.Errorf("%s: foreign %v, want %v", tt.name, got, tt.want)
		}
	}
	names := []string{"._.metadata_never_index", "._hubbench.json", "._data-1000000.bin",
		"._files.json", "._probe.bin"}
	for _, name := range names {
		if !slices.Contains([]bool{isOwn(name), isMarker(name)}, true) {
			t.Errorf("%s is not ours", name)
		}
	}
}
