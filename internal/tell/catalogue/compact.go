package catalogue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/table"
)

const (
	compactFile = "compact-%d.parquet"
	partEnding  = ".part"
	pendingFile = "compaction.json"
	// fullFile is the size from which on the rows that follow go to another file. It grows by a
	// group of rows at a time, which is far smaller.
	fullFile = 128 << 20
	// abandoned is the age from which on a file that was never finished is nobody's.
	abandoned = 24 * time.Hour
	// rowsAtOnce are read and written together.
	rowsAtOnce = 1 << 10
)

// compaction is that of a folder when its results are complete, in DIR/_state. It is written down
// then, and carried out from there, if need be by another process.
type compaction struct {
	Folder  string
	Outputs []string
	// Compact files come first: a run's own file goes last, as it is the newer one.
	Inputs []input
}

// input is a file as it was when it was read.
type input struct {
	Name     string
	Size     int64
	Modified time.Time
}

// Compact rewrites each month that is over, and to which runs were added, into few large files,
// while others may add more: these wait for the next time. It returns filesystem.ErrBusy if another
// process is at it.
func (c *Catalogue) Compact(now time.Time) error {
	err := c.withLock(compactLock, filesystem.Lock, func() error {
		if err := c.finishCompaction(); err != nil {
			return err
		}
		c.removeAbandoned()
		for _, grain := range table.Grains() {
			if err := c.checkIs(fs.ModeDir, grain.Name); err != nil {
				return err
			}
			months, _ := fs.ReadDir(c.root.FS(), grain.Name) // None may be there.
			for _, month := range months {
				name := strings.TrimPrefix(month.Name(), monthPrefix)
				isMonth := month.IsDir() && name != month.Name()
				if !isMonth || name >= now.UTC().Format(monthLayout) && name != unknownMonth {
					continue
				}
				folder := path.Join(grain.Name, month.Name())
				if err := cmp.Or(c.compact(grain, folder), c.finishCompaction()); err != nil {
					return fmt.Errorf("compact %s: %w", c.at(folder), err)
				}
			}
		}
		return nil
	})
	if errors.Is(err, errors.ErrUnsupported) {
		err = fmt.Errorf("the file system of %s has no locks, which a compaction needs: "+
			"compact it on the computer that it belongs to", c.root.Name())
	}
	return err
}

// removeAbandoned removes the files of DIR/_state that processes have begun to write and that
// nobody finishes any more. They are in nobody's way, so errors don't matter.
func (c *Catalogue) removeAbandoned() {
	entries, _ := fs.ReadDir(c.root.FS(), stateFolder)
	for _, entry := range entries {
		stat, err := entry.Info()
		if err != nil || !stat.Mode().IsRegular() || time.Since(stat.ModTime()) <= abandoned {
			continue
		}
		name := entry.Name()
		file := strings.TrimSuffix(name, partEnding)
		if file == name {
			continue
		}
		begun := strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), ".")
		isOwn := isTable(begun) || begun == pendingFile || begun == path.Base(collected())
		if compactNumber(file) > 0 || isOwn && filesystem.IsPart(begun, name) {
			_ = c.root.Remove(state(name))
		}
	}
}

// compactNumber returns the number in the name of a compact file; 0 of another one.
func compactNumber(name string) (n int) {
	if _, err := fmt.Sscanf(name, compactFile, &n); err != nil || name != compactName(n) {
		return 0
	}
	return n
}

func compactName(n int) string { return fmt.Sprintf(compactFile, n) }

// isTable reports whether a file's name is one of a table: Finder leaves others, with a dot.
func isTable(name string) bool {
	return path.Ext(name) == ".parquet" && name[0] != '.' && path.Base(name) == name &&
		filepath.Base(name) == name
}

// compact writes the rows of a folder anew, each run's once.
func (c *Catalogue) compact(grain table.Grain, folder string) error {
	entries, err := fs.ReadDir(c.root.FS(), folder)
	if err != nil {
		return err
	}
	out := &merger{Catalogue: c, grain: grain, folder: folder, from: map[string]string{}}
	var runFiles, compactFiles []string
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case !isTable(name):
		case compactNumber(name) > 0:
			compactFiles = append(compactFiles, name)
			out.last = max(out.last, compactNumber(name))
		default:
			runFiles = append(runFiles, name)
		}
	}
	if runFiles == nil {
		return nil
	}
	defer func() { _ = out.file.Close() }() // Again, if all went well.
	for _, name := range append(runFiles, compactFiles...) {
		if err := out.add(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := out.end(); err != nil {
		return err
	}
	slices.Reverse(out.read)
	if err := c.checkIs(0, state(pendingFile)); err != nil {
		return err
	}
	return filesystem.ReplaceIn(c.root, state(pendingFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(compaction{folder, out.written, out.read})
	})
}

// finishCompaction has the results of a compaction, if one is written down, take the place of what
// they were made from, except for files that have changed since.
func (c *Catalogue) finishCompaction() error {
	text, err := c.readState(state(pendingFile))
	if text == nil && err == nil {
		return nil
	}
	var done compaction
	err = cmp.Or(err, json.Unmarshal(text, &done))
	if err == nil {
		err = c.check(&done)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.at(state(pendingFile)), err)
	}
	for _, name := range done.Outputs {
		part := state(name + partEnding)
		name = path.Join(done.Folder, name)
		if err := cmp.Or(c.checkIs(0, part), c.checkIs(0, name)); err != nil {
			return err
		}
		_ = c.root.Rename(part, name) // It may be there already.
		if _, err := c.root.Lstat(name); err != nil {
			return fmt.Errorf("the result of a compaction is gone, and what it was made from "+
				"is kept: %w; delete %s to do it again", err, c.at(state(pendingFile)))
		}
	}
	time.Sleep(c.listing)
	return c.withFilesLocked(filesystem.Lock, func() error {
		for _, in := range done.Inputs {
			name := path.Join(done.Folder, in.Name)
			stat, err := c.root.Lstat(name)
			if err == nil && stat.Size() == in.Size && stat.ModTime().Equal(in.Modified) {
				err = c.removeTable(name)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return c.root.Remove(state(pendingFile))
	})
}

// check refuses a compaction that no hubbench has written down: it would move and remove files of
// others.
func (c *Catalogue) check(done *compaction) error {
	grain, month := path.Split(done.Folder)
	isMonth := false
	for _, g := range table.Grains() {
		isMonth = isMonth || grain == g.Name+"/"
	}
	if !isMonth || !strings.HasPrefix(month, monthPrefix) || filepath.Base(month) != month {
		return fmt.Errorf("%q is no month of the catalogue", done.Folder)
	}
	for _, folder := range []string{path.Clean(grain), done.Folder} {
		if err := c.checkIs(fs.ModeDir, folder); err != nil {
			return err
		}
	}
	for _, name := range done.Outputs {
		if compactNumber(name) == 0 {
			return fmt.Errorf("%q is no file that a compaction writes", name)
		}
	}
	for _, in := range done.Inputs {
		if !isTable(in.Name) {
			return fmt.Errorf("%q is no file of a catalogue", in.Name)
		}
	}
	return nil
}

// removeTable removes a file if it holds a table that hubbench wrote.
func (c *Catalogue) removeTable(name string) error {
	file, err := c.openFile(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	_, err = openOwn(file)
	if err := cmp.Or(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", c.at(name), err)
	}
	return c.root.Remove(name)
}

// merger writes the rows of many files of a folder into few.
type merger struct {
	*Catalogue
	grain   table.Grain
	folder  string
	read    []input
	from    map[string]string // the file that a run's rows are taken from, by the run's own file
	last    int               // number of a compact file
	written []string
	file    *os.File // file being written
	rows    *parquet.GenericWriter[any]
}

// add writes the rows of a file whose runs are in no file before it.
func (m *merger) add(name string) (err error) {
	defer recoverDamaged(&err)
	file, err := m.openFile(path.Join(m.folder, name), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return err
	}
	m.read = append(m.read, input{name, stat.Size(), stat.ModTime()})
	m.from[name] = name // Its run may have no rows any more.
	packed, err := openOwn(file)
	if err != nil {
		return err
	}
	schema := m.grain.Schema()
	runColumn, _ := schema.Lookup("run")
	hostColumn, _ := schema.Lookup("host")
	reader := parquet.NewReader(packed, schema)
	defer reader.Close()
	buffer := make([]parquet.Row, rowsAtOnce)
	var kept []parquet.Row
	var lastRun, lastHost, own string // The rows of a run follow one another.
	for err == nil {
		var n int
		n, err = reader.ReadRows(buffer)
		kept = kept[:0]
		for _, row := range buffer[:n] {
			run := string(row[runColumn.ColumnIndex].ByteArray())
			host := string(row[hostColumn.ColumnIndex].ByteArray())
			if own == "" || run != lastRun || host != lastHost {
				lastRun, lastHost, own = run, host, fileOf(run, host)
			}
			m.from[own] = cmp.Or(m.from[own], name)
			if m.from[own] == name {
				kept = append(kept, row)
			}
		}
		if err := m.write(kept); err != nil {
			return err
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// write writes rows to a file that is not full.
func (m *merger) write(rows []parquet.Row) (err error) {
	if len(rows) == 0 {
		return nil
	}
	if m.rows == nil {
		name := compactName(m.last + len(m.written) + 1)
		if m.file, err = m.createPart(state(name + partEnding)); err != nil {
			return err
		}
		m.written = append(m.written, name)
		m.rows = m.grain.Parquet(m.file)
	}
	if _, err := m.rows.WriteRows(rows); err != nil {
		return err
	}
	size, err := m.file.Seek(0, io.SeekCurrent)
	if err == nil && size >= fullFile {
		err = m.end()
	}
	return err
}

// createPart makes a file afresh: what a compaction that was cut off has left is removed, as it may
// be another name of somebody's file.
func (m *merger) createPart(name string) (*os.File, error) {
	if err := m.checkIs(0, name); err != nil {
		return nil, err
	}
	if err := m.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return m.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

// end completes the file that is being written.
func (m *merger) end() error {
	if m.rows == nil {
		return nil
	}
	err := cmp.Or(m.rows.Close(), filesystem.Sync(m.file), m.file.Close())
	m.rows = nil
	return err
}
