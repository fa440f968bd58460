package diskio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

const listName = "files.json"

// record is a test file that is written whole.
type record struct {
	Number int   `json:"number"` // in its name and its stamps
	Size   int64 `json:"size"`
	Unit   int64 `json:"unit"`             // from stamp to stamp
	Period int64 `json:"period,omitempty"` // after which its content repeats; 0: it does not
	Keep   bool  `json:"keep,omitempty"`   // the user wants it when the run is over
}

func (r record) name() string { return fmt.Sprintf("data-%06d.bin", r.Number) }

// testFiles are the complete test files in a folder, oldest first. Between the phases of a run their list is kept in
// a file, so that the next may read what an earlier one wrote.
type testFiles struct {
	folder  *folder
	records []record
	next    int // number of the next file
}

// listTestFiles finds what earlier phases left in the folder. What is not as it should be is no record, and
// will be written again.
func listTestFiles(f *folder) (*testFiles, error) {
	s := &testFiles{folder: f}
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", f.path, err)
	}
	for _, entry := range entries {
		var number int
		if _, err := fmt.Sscanf(entry.Name(), "data-%06d.bin", &number); err == nil {
			s.next = max(s.next, number+1)
		}
	}
	for _, r := range f.listed() {
		if info, err := f.root.Lstat(r.name()); err == nil && info.Mode().IsRegular() && info.Size() == r.Size {
			s.records = append(s.records, r)
		}
	}
	return s, nil
}

// listed is the folder's own list of its files. One that cannot be read lists nothing: then they are written anew.
func (f *folder) listed() []record {
	text, err := f.root.ReadFile(listName)
	if err != nil {
		return nil
	}
	var all []record
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// save writes the list for the next phase.
func (s *testFiles) save() error {
	text, err := json.Marshal(s.records)
	if err != nil {
		return err
	}
	if err := s.folder.root.WriteFile(listName, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save the list of files for the next phase: %w", err)
	}
	return nil
}

// number reserves the number of a new file.
func (s *testFiles) number() int {
	s.next++
	return s.next - 1
}

func (s *testFiles) add(r record) { s.records = append(s.records, r) }

// since lists the files from a number on.
func (s *testFiles) since(number int) []record {
	var out []record
	for _, r := range s.records {
		if r.Number >= number {
			out = append(out, r)
		}
	}
	return out
}

// forget takes a file off the list without touching it.
func (s *testFiles) forget(number int) {
	s.records = slices.DeleteFunc(s.records, func(r record) bool { return r.Number == number })
}

func (s *testFiles) has(number int) bool {
	return slices.ContainsFunc(s.records, func(r record) bool { return r.Number == number })
}

// remove removes a file, unless it is gone already or to be kept.
func (s *testFiles) remove(number int) error {
	i := slices.IndexFunc(s.records, func(r record) bool { return r.Number == number })
	if i < 0 || s.records[i].Keep {
		return nil
	}
	if err := s.folder.root.Remove(s.records[i].name()); err != nil {
		return err
	}
	s.records = slices.Delete(s.records, i, i+1)
	return nil
}

// bytes is the size of all files together.
func (s *testFiles) bytes() int64 {
	var total int64
	for _, r := range s.records {
		total += r.Size
	}
	return total
}

// match finds a file for each of the sizes, no file twice; nil where there is none.
func (s *testFiles) match(sizes []int64, fits func(record) bool) []*record {
	found := make([]*record, len(sizes))
	free := map[int64][]*record{}
	for i := range s.records {
		if r := &s.records[i]; fits(*r) {
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

// removeAllBut removes every file that is neither among the needed nor to be kept.
func (s *testFiles) removeAllBut(needed ...*record) error {
	stay := map[int]bool{}
	for _, r := range needed {
		if r != nil {
			stay[r.Number] = true
		}
	}
	var left []record
	var err error
	for _, r := range s.records {
		if stay[r.Number] || r.Keep {
			left = append(left, r)
		} else {
			err = errors.Join(err, s.folder.root.Remove(r.name()))
		}
	}
	s.records = left
	return err
}

// makeRoom removes the oldest files, those to be kept excepted, until so many more bytes stay within the
// footprint.
func (s *testFiles) makeRoom(more, footprint int64) error {
	for _, r := range slices.Clone(s.records) {
		if s.bytes()+more <= footprint {
			break
		}
		if err := s.remove(r.Number); err != nil {
			return fmt.Errorf("make room within the footprint: %w", err)
		}
	}
	return nil
}

// openFile opens a test file, or makes it anew for writing.
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

// carryOver removes everything but the files needed and those to be kept, and closes the folder, which is removed
// too when nothing is left in it.
func (s *testFiles) carryOver(needed []*record) error {
	err := s.removeAllBut(needed...)
	stay := map[string]bool{}
	if len(s.records) > 0 {
		err = errors.Join(err, s.save())
		stay[listName] = true
	}
	for _, r := range s.records {
		stay[r.name()] = true
	}
	_, _, removeErr := s.folder.remove(stay, false)
	return errors.Join(err, removeErr)
}

// truncate gives a file its own size. It opens the file anew: some systems cut no file that is open for direct
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
	s.forget(r.Number)
	if err := s.folder.root.Rename(r.name(), name); err != nil {
		return "", fmt.Errorf("keep the file as evidence: %w", err)
	}
	return name, nil
}
