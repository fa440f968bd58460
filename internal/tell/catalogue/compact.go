package catalogue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
		entries, _ := os.ReadDir(c.state(""))
		for _, entry := range entries {
			stat, err := entry.Info()
			part := strings.HasSuffix(entry.Name(), partEnding)
			if part && err == nil && time.Since(stat.ModTime()) > abandoned {
				_ = os.Remove(c.state(entry.Name())) // It is in nobody's way.
			}
		}
		for _, grain := range table.Grains() {
			months, _ := os.ReadDir(filepath.Join(c.dir, grain.Name)) // None may be there.
			for _, month := range months {
				name := strings.TrimPrefix(month.Name(), monthPrefix)
				isMonth := month.IsDir() && name != month.Name()
				if !isMonth || name >= now.UTC().Format(monthLayout) && name != unknownMonth {
					continue
				}
				folder := filepath.Join(grain.Name, month.Name())
				if err := cmp.Or(c.compact(grain, folder), c.finishCompaction()); err != nil {
					return fmt.Errorf("compact %s: %w", filepath.Join(c.dir, folder), err)
				}
			}
		}
		return nil
	})
	if errors.Is(err, errors.ErrUnsupported) {
		err = fmt.Errorf("the file system of %s has no locks, which a compaction needs: "+
			"compact it on the computer that it belongs to", c.dir)
	}
	return err
}

// compact writes the rows of a folder anew, each run's once.
func (c *Catalogue) compact(grain table.Grain, folder string) error {
	entries, err := os.ReadDir(filepath.Join(c.dir, folder))
	if err != nil {
		return err
	}
	out := &merger{Catalogue: c, grain: grain, folder: folder, from: map[string]string{}}
	var runFiles, compactFiles []string
	for _, entry := range entries {
		n := 0
		name := entry.Name()
		_, err := fmt.Sscanf(name, compactFile, &n)
		switch {
		case filepath.Ext(name) != ".parquet", name[0] == '.': // Finder leaves such behind.
		case err != nil:
			runFiles = append(runFiles, name)
		default:
			compactFiles = append(compactFiles, name)
			out.last = max(out.last, n)
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
	return filesystem.Replace(c.state(pendingFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(compaction{folder, out.written, out.read})
	})
}

// finishCompaction has the results of a compaction, if one is written down, take the place of what
// they were made from, except for files that have changed since.
func (c *Catalogue) finishCompaction() error {
	text, err := os.ReadFile(c.state(pendingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var done compaction
	err = cmp.Or(err, json.Unmarshal(text, &done))
	if err == nil && !filepath.IsLocal(done.Folder) { // A catalogue may be anyone's.
		err = fmt.Errorf("%s is outside of the catalogue", done.Folder)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.state(pendingFile), err)
	}
	folder := filepath.Join(c.dir, done.Folder)
	for _, name := range done.Outputs {
		path := filepath.Join(folder, filepath.Base(name))
		_ = os.Rename(c.state(name+partEnding), path) // It may be there already.
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("the result of a compaction is gone, and what it was made from "+
				"is kept: %w; delete %s to do it again", err, c.state(pendingFile))
		}
	}
	time.Sleep(c.listing)
	return c.withFilesLocked(filesystem.Lock, func() error {
		for _, in := range done.Inputs {
			path := filepath.Join(folder, filepath.Base(in.Name))
			stat, err := os.Stat(path)
			if err == nil && stat.Size() == in.Size && stat.ModTime().Equal(in.Modified) {
				err = os.Remove(path)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return os.Remove(c.state(pendingFile))
	})
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
func (m *merger) add(name string) error {
	file, err := os.Open(filepath.Join(m.dir, m.folder, name))
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
	packed, err := parquet.OpenFile(file, stat.Size(),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	version, _ := packed.Lookup(table.VersionKey)
	if n, err := strconv.Atoi(version); err != nil || n > table.Version {
		return fmt.Errorf("its table is of version %q, and this hubbench knows those up to %d: "+
			"take a newer one", version, table.Version)
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
		name := fmt.Sprintf(compactFile, m.last+len(m.written)+1)
		if m.file, err = os.Create(m.state(name + partEnding)); err != nil {
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

// end completes the file that is being written.
func (m *merger) end() error {
	if m.rows == nil {
		return nil
	}
	err := cmp.Or(m.rows.Close(), filesystem.Sync(m.file), m.file.Close())
	m.rows = nil
	return err
}
