package diskio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

const listName = "files.json"

// fillPrefix begins the names of files that only fill the volume.
const fillPrefix = "fill-"

// record is a completely written test file.
type record struct {
	Number int   `json:"number"` // in its name and its stamps
	Size   int64 `json:"size"`
	Unit   int64 `json:"unit"`             // from stamp to stamp
	Period int64 `json:"period,omitempty"` // after which its content repeats; 0: it does not
	Keep   bool  `json:"keep,omitempty"`   // the user wants it when the run is over
	Fill   bool  `json:"fill,omitempty"`   // it fills the volume, beside the test files and their footprint
}

func (r record) name() string {
	if r.Fill {
		return fmt.Sprintf(fillPrefix+"%06d.bin", r.Number)
	}
	return fmt.Sprintf("data-%06d.bin", r.Number)
}

// testFiles are the complete test files in a folder, oldest first, which is by number. Between the phases of a run
// their list is kept in a file, so that the next may read what an earlier one wrote. There may be millions of them:
// what is done for each file takes the same time however many there are.
type testFiles struct {
	folder  *folder
	records []record
	bytes   int64  // of all of them, those that fill the volume excepted
	fixed   int    // how many of them make no room for others: they are kept, or fill the volume
	next    int    // number of the next file
	removed func() // called for each file that was removed; may be nil
}

// listTestFiles finds what earlier phases left in the folder. What is not as the folder's own list says is no
// record, and will be written again.
func listTestFiles(f *folder) (*testFiles, error) {
	s := &testFiles{folder: f}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", f.path, err)
	}
	for _, entry := range entries {
		var number int
		_, digits, _ := strings.Cut(entry.Name(), "-")
		if _, err := fmt.Sscanf(digits, "%06d.bin", &number); err == nil {
			s.next = max(s.next, number+1)
		}
	}
	var listed []record
	if text, err := f.root.ReadFile(listName); err == nil && json.Unmarshal(text, &listed) != nil {
		listed = nil
	}
	slices.SortStableFunc(listed, func(a, b record) int { return cmp.Compare(a.Number, b.Number) })
	for _, r := range listed {
		if info, err := f.root.Lstat(r.name()); err == nil && info.Mode().IsRegular() && info.Size() == r.Size {
			s.add(r)
		}
	}
	return s, nil
}

// number reserves the number of a new file.
func (s *testFiles) number() int {
	s.next++
	return s.next - 1
}

// add lists a file, the newest.
func (s *testFiles) add(r record) {
	s.records = append(s.records, r)
	s.count(r, 1)
}

// count counts a file in, or with -1 out.
func (s *testFiles) count(r record, times int) {
	if !r.Fill {
		s.bytes += int64(times) * r.Size
	}
	if r.Fill || r.Keep {
		s.fixed += times
	}
}

// find is where a file is listed.
func (s *testFiles) find(number int) (i int, ok bool) {
	return slices.BinarySearchFunc(s.records, number, func(r record, n int) int { return cmp.Compare(r.Number, n) })
}

func (s *testFiles) has(number int) bool {
	_, ok := s.find(number)
	return ok
}

// drop takes the file at i off the list without touching it; the oldest without moving the others.
func (s *testFiles) drop(i int) {
	s.count(s.records[i], -1)
	if i == 0 {
		s.records = s.records[1:]
		return
	}
	s.records = slices.Delete(s.records, i, i+1)
}

// remove removes a file, unless it is gone already or to be kept.
func (s *testFiles) remove(number int) error {
	i, ok := s.find(number)
	if !ok || s.records[i].Keep {
		return nil
	}
	if err := s.folder.root.Remove(s.records[i].name()); err != nil {
		return err
	}
	s.drop(i)
	return nil
}

// match finds a test file for each of the sizes, no file twice; a record of no size if there is none.
func (s *testFiles) match(sizes []int64, fits func(record) bool) []record {
	found := make([]record, len(sizes))
	free := map[int64][]record{}
	for _, r := range s.records {
		if !r.Fill && fits(r) {
			free[r.Size] = append(free[r.Size], r)
		}
	}
	for i, size := range sizes {
		if list := free[size]; len(list) > 0 {
			found[i], free[size] = list[0], list[1:]
		}
	}
	return found
}

// filling are the files that fill the volume.
func (s *testFiles) filling() []record {
	return slices.DeleteFunc(slices.Clone(s.records), func(r record) bool { return !r.Fill })
}

// removeAllBut removes every file that is neither among the needed nor to be kept.
func (s *testFiles) removeAllBut(needed []record) error {
	stay := map[int]bool{}
	for _, r := range needed {
		if !isMissing(r) {
			stay[r.Number] = true
		}
	}
	all := s.records
	s.records, s.bytes, s.fixed = nil, 0, 0
	var err error
	for _, r := range all {
		if stay[r.Number] || r.Keep {
			s.add(r)
			continue
		}
		err = errors.Join(err, s.folder.root.Remove(r.name()))
		if s.removed != nil {
			s.removed()
		}
	}
	return err
}

// makeRoom removes the oldest files, those to be kept excepted, until that many more bytes stay within the
// footprint.
func (s *testFiles) makeRoom(more, footprint int64) error {
	for i := 0; s.bytes+more > footprint && s.fixed < len(s.records); {
		if s.records[i].Keep || s.records[i].Fill {
			i++
			continue
		}
		if err := s.remove(s.records[i].Number); err != nil {
			return fmt.Errorf("make room within the footprint: %w", err)
		}
	}
	return nil
}

// openFile opens a test file, or recreates it for writing.
func (s *testFiles) openFile(open opener, r record, o opening) (testFile, error) {
	f, err := open(s.folder.root, r.name(), o)
	if err != nil {
		verb := "open"
		if o.op == trace.Write && !o.again {
			verb = "create"
		}
		return nil, fmt.Errorf("%s test file %s: %w", verb, r.name(), err)
	}
	return f, nil
}

// carryOver removes everything but the files needed and those to be kept, lists these for the next phase, and closes
// the folder, which is removed too when nothing is left in it.
func (s *testFiles) carryOver(needed []record) error {
	err := s.removeAllBut(needed)
	stay := map[string]bool{}
	for _, r := range s.records {
		stay[r.name()] = true
	}
	if len(s.records) > 0 {
		stay[listName] = true
		text, _ := json.Marshal(s.records) // numbers
		if saveErr := s.folder.root.WriteFile(listName, append(text, '\n'), 0o600); saveErr != nil {
			err = errors.Join(err, fmt.Errorf("save the list of files for the next phase: %w", saveErr))
		}
	}
	_, _, removeErr := s.folder.remove(stay, false)
	return errors.Join(err, removeErr)
}

// truncate gives a file its own size. It reopens the file: some systems cut no file that is open for direct
// requests to anything but whole sectors.
func (s *testFiles) truncate(r record) error {
	f, err := s.folder.root.OpenFile(r.name(), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("truncate to size: %w", err)
	}
	return errors.Join(f.Truncate(r.Size), f.Close())
}

// evidence takes a file whose content is wrong out of the run, for people to look at, and returns where it
// is. Only `hubbench clean` removes it.
func (s *testFiles) evidence(r record) (string, error) {
	name := fmt.Sprintf("evidence-%06d.bin", r.Number)
	if i, ok := s.find(r.Number); ok {
		s.drop(i)
	}
	if err := s.folder.root.Rename(r.name(), name); err != nil {
		return "", fmt.Errorf("keep the file as evidence: %w", err)
	}
	return name, nil
}
