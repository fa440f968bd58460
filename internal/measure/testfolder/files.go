package testfolder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// ListName is the file with the list of the others.
const ListName = "files.json"

// FillPrefix begins the names of files that only fill the volume.
const FillPrefix = "fill-"

// Record is a completely written test file.
type Record struct {
	Number int   `json:"number"` // in its name and its stamps
	Size   int64 `json:"size"`
	Unit   int64 `json:"unit"`             // from stamp to stamp
	Period int64 `json:"period,omitempty"` // after which its content repeats; 0: it does not
	Keep   bool  `json:"keep,omitempty"`   // the user wants it when the run is over
	// It fills the volume, and is part of neither the test files nor their footprint.
	Fill bool `json:"fill,omitempty"`
}

// Name returns the file's name.
func (r Record) Name() string {
	if r.Fill {
		return fmt.Sprintf(FillPrefix+"%06d.bin", r.Number)
	}
	return fmt.Sprintf("data-%06d.bin", r.Number)
}

// Missing reports whether it is no file yet.
func (r Record) Missing() bool { return r.Size == 0 }

// files are the complete test files in a folder, oldest first, which is by number. Between the
// phases of a run their list is kept in a file, so that the next may read what an earlier one
// wrote. There may be millions of them: what is done for each file takes the same time however many
// there are.
type files struct {
	Records []Record
	Bytes   int64  // size of all files but those that fill the volume
	Next    int    // number of the next file
	Removed func() // called for each file that was removed before a job or after it; may be nil
	fixed   int    // how many of them make no room for others: they are kept, or fill the volume
}

// list finds what earlier phases left in the folder. What is not as the folder's own list says is
// no record, and will be written again.
func (f *Folder) list() error {
	entries, err := fs.ReadDir(f.Root.FS(), ".")
	if err != nil {
		return fmt.Errorf("list %s: %w", f.Path, err)
	}
	for _, entry := range entries {
		if number, ok := numberOf(entry.Name()); ok {
			f.Next = max(f.Next, number+1)
		}
	}
	var listed []Record
	switch file, _, err := openOwn(f.Root, ListName, os.O_RDONLY, f.owner); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return f.stays(ListName, err)
	default:
		text, err := io.ReadAll(file)
		if err = errors.Join(err, file.Close()); err == nil && json.Unmarshal(text, &listed) != nil {
			listed = nil
		}
	}
	slices.SortStableFunc(listed, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	for _, r := range listed {
		if err := f.foreign(r.Name()); err != nil {
			return f.stays(r.Name(), err)
		}
		if info, err := f.Root.Lstat(r.Name()); err == nil && info.Size() == r.Size {
			f.Add(r)
		}
	}
	return nil
}

// Number reserves the number of a new file.
func (f *Folder) Number() int {
	f.Next++
	return f.Next - 1
}

// Add lists a file, the newest.
func (f *Folder) Add(r Record) {
	f.Records = append(f.Records, r)
	f.count(r, 1)
}

// count counts a file in, or with -1 out.
func (f *Folder) count(r Record, times int) {
	if !r.Fill {
		f.Bytes += int64(times) * r.Size
	}
	if r.Fill || r.Keep {
		f.fixed += times
	}
}

// Find returns the place of a file in the list.
func (f *Folder) Find(number int) (i int, ok bool) {
	return slices.BinarySearchFunc(f.Records, number, func(r Record, n int) int {
		return cmp.Compare(r.Number, n)
	})
}

// Has reports whether a file is listed.
func (f *Folder) Has(number int) bool {
	_, ok := f.Find(number)
	return ok
}

// drop takes the file at i off the list without touching it; the oldest without moving the others.
func (f *Folder) drop(i int) {
	f.count(f.Records[i], -1)
	if i == 0 {
		f.Records = f.Records[1:]
		return
	}
	f.Records = slices.Delete(f.Records, i, i+1)
}

// RemoveFile removes a file, unless it is gone already or to be kept.
func (f *Folder) RemoveFile(number int) error {
	i, ok := f.Find(number)
	if !ok || f.Records[i].Keep {
		return nil
	}
	if err := f.Root.Remove(f.Records[i].Name()); err != nil {
		return err
	}
	f.drop(i)
	return nil
}

// Match finds a test file that fits, if that is asked, for each of the sizes, no file twice; a
// missing one if there is none.
func (f *Folder) Match(sizes []int64, fits func(Record) bool) []Record {
	found := make([]Record, len(sizes))
	free := map[int64][]Record{}
	for _, r := range f.Records {
		if !r.Fill && (fits == nil || fits(r)) {
			free[r.Size] = append(free[r.Size], r)
		}
	}
	for i, size := range sizes {
		if list := free[size]; len(list) > 0 {
			found[i] = list[0]
			free[size] = list[1:]
		}
	}
	return found
}

// Filling returns the files that fill the volume.
func (f *Folder) Filling() (list []Record) {
	for _, r := range f.Records {
		if r.Fill {
			list = append(list, r)
		}
	}
	return list
}

// RemoveAllBut removes every file that is neither among the needed nor to be kept.
func (f *Folder) RemoveAllBut(needed []Record) error {
	stay := map[int]bool{}
	for _, r := range needed {
		if !r.Missing() {
			stay[r.Number] = true
		}
	}
	all := f.Records
	f.Records, f.Bytes, f.fixed = nil, 0, 0
	var err error
	for _, r := range all {
		if stay[r.Number] || r.Keep {
			f.Add(r)
			continue
		}
		err = errors.Join(err, f.Root.Remove(r.Name()))
		if f.Removed != nil {
			f.Removed()
		}
	}
	return err
}

// MakeRoom removes the oldest files, those to be kept excepted, until that many more bytes stay
// within the footprint.
func (f *Folder) MakeRoom(more, footprint int64) error {
	for i := 0; f.Bytes+more > footprint && f.fixed < len(f.Records); {
		if f.Records[i].Keep || f.Records[i].Fill {
			i++
			continue
		}
		if err := f.RemoveFile(f.Records[i].Number); err != nil {
			return fmt.Errorf("make room within the footprint: %w", err)
		}
	}
	return nil
}

// CarryOver removes everything but the files needed and those to be kept, lists these for the next
// phase, and closes the folder, which is removed too when nothing is left in it.
func (f *Folder) CarryOver(needed []Record) error {
	err := f.RemoveAllBut(needed)
	stay := map[string]bool{}
	for _, r := range f.Records {
		stay[r.Name()] = true
	}
	if len(f.Records) > 0 {
		stay[ListName] = true
		if saveErr := f.save(); saveErr != nil {
			err = errors.Join(err, fmt.Errorf("save the list of files for the next phase: %w",
				saveErr))
		}
	}
	_, _, removeErr := f.remove(stay, false)
	return errors.Join(err, removeErr)
}

// save writes the list into a file of its own.
func (f *Folder) save() error {
	if err := f.foreign(ListName); err != nil {
		return f.stays(ListName, err)
	}
	if err := f.Root.Remove(ListName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := f.Root.OpenFile(ListName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	text, _ := json.Marshal(f.Records) // numbers
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// Truncate gives a file its own size. It reopens the file: some systems cut no file that is open
// for direct requests to anything but whole sectors.
func (f *Folder) Truncate(r Record) error {
	file, _, err := openOwn(f.Root, r.Name(), os.O_WRONLY, f.owner)
	if err != nil {
		return fmt.Errorf("truncate to size: %w", err)
	}
	return errors.Join(file.Truncate(r.Size), file.Close())
}

// Evidence takes a file whose content is wrong out of the run, for people to look at, and returns
// its name. Only `hubbench clean` removes it.
func (f *Folder) Evidence(r Record) (string, error) {
	name := fmt.Sprintf("evidence-%06d.bin", r.Number)
	if i, ok := f.Find(r.Number); ok {
		f.drop(i)
	}
	if err := f.Root.Rename(r.Name(), name); err != nil {
		return "", fmt.Errorf("keep the file as evidence: %w", err)
	}
	return name, nil
}
