// Package catalogue keeps many runs where other programs can search them, as Parquet files of the
// tables of package table:
//
//	DIR/GRAIN/month=2026-11/RUN-HOSTHASH.parquet  the rows of one run
//	DIR/GRAIN/month=2026-11/compact-3.parquet     the rows of many, after Compact
//	DIR/_state                                    what is collected, and all that is not complete
//
// Engines read the folder of a grain as it is, at every moment: a file is written whole in
// DIR/_state, then renamed, so any number of machines may add to a catalogue. If two files hold a
// run, that of the run alone is the newer one; two compact files hold the same of it. Start at
// Open.
package catalogue

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

// Catalogue is one that runs are added to.
type Catalogue struct {
	dir   string
	known map[string]string // what was collected, by where it is
	// Longer than a program lists the files of a folder before it opens them.
	listing time.Duration
}

// Open makes a catalogue in a folder, if it is not there, and ends a compaction that was cut off.
func Open(dir string) (*Catalogue, error) {
	old, _ := fs.Glob(os.DirFS(dir), "*/date=*")
	if old != nil {
		return nil, fmt.Errorf("%s has the layout of versions before 1, with a folder "+
			"for each day: collect its runs into a new folder", dir)
	}
	c := &Catalogue{dir: dir, known: map[string]string{}, listing: time.Second}
	if err := os.MkdirAll(c.state(""), 0o755); err != nil {
		return nil, err
	}
	lines, err := os.ReadFile(c.collected())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(lines)) {
		source, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		c.known[source] = content // One that was cut off is of no run.
	}
	if _, err := os.Stat(c.state(pendingFile)); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	err = c.withLock(compactLock, filesystem.Lock, c.finishCompaction)
	if errors.Is(err, filesystem.ErrBusy) {
		return c, nil // Whoever compacts it ends that one too.
	}
	return c, err
}

// state is the path of a file of DIR/_state.
func (c *Catalogue) state(name string) string { return filepath.Join(c.dir, "_state", name) }

// collected is the file with a line for each run that this computer has added.
func (c *Catalogue) collected() string {
	host, _ := os.Hostname() // Without a name it is one of those without.
	return c.state("collected-" + hash(host))
}

func hash(text string) string {
	_, digits, _ := strings.Cut(recorded.Pseudonym("host", cmp.Or(text, "unknown")), " ")
	return digits
}

// Stamp says where a run is, and by the sizes and times of its files, what it is.
type Stamp struct{ source, content string }

// StampOf is that of a run folder or of a file. Hashed rows differ from others.
func StampOf(path string, hashed bool) Stamp {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	files := []string{path, filepath.Join(path, rundir.InfoFile)}
	if events, err := rundir.EventsOf(path); err == nil {
		files = append(files, events)
	}
	var content strings.Builder
	fmt.Fprint(&content, table.Version, hashed)
	for i, file := range files {
		if stat, err := os.Stat(file); err == nil && stat.Mode().IsRegular() {
			fmt.Fprint(&content, " ", i, stat.Size(), stat.ModTime().UnixNano())
		}
	}
	short := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32] }
	return Stamp{short(path), short(content.String())}
}

// Has reports whether this computer has added the run as it is.
func (c *Catalogue) Has(s Stamp) bool { return c.known[s.source] == s.content }

// Add adds a run, of which the stamp was taken before it was read.
func (c *Catalogue) Add(run *recorded.Run, s Stamp) error {
	about := table.RunOf(run)
	month := unknownMonth
	if !about.Started.IsZero() {
		month = about.Started.Format(monthLayout)
	}
	for _, grain := range table.Grains() {
		folder := filepath.Join(c.dir, grain.Name, monthPrefix+month)
		path := filepath.Join(folder, fileOf(about.ID, about.Host))
		if err := c.save(path, grain, run); err != nil {
			return fmt.Errorf("add %s: %w", run.Path, err)
		}
	}
	file, err := os.OpenFile(c.collected(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s %s\n", s.source, s.content)
	return errors.Join(err, file.Close())
}

const (
	monthPrefix  = "month="
	monthLayout  = "2006-01"
	unknownMonth = "unknown"
)

// fileOf is the name of the file of a run alone.
func fileOf(run, host string) string { return rundir.SafeName(run) + "-" + hash(host) + ".parquet" }

// save writes the run's rows of a grain. There is a file even if they are none: others may hold
// rows that the run had earlier.
func (c *Catalogue) save(path string, grain table.Grain, run *recorded.Run) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	move := func(part, _ string) error {
		return c.withFilesLocked(filesystem.Share, func() error { return os.Rename(part, path) })
	}
	return filesystem.ReplaceBy(move, c.state(filepath.Base(path)), func(w io.Writer) error {
		rows := table.NewWriter(w, grain, "parquet")
		return errors.Join(rows.Add(run), rows.Close())
	})
}

// The locks: of one compaction at a time, and of the removal of files against their being written.
const (
	compactLock = "compact.lock"
	filesLock   = "files.lock"
)

// withLock does something while a lock is held, or returns filesystem.ErrBusy at once.
func (c *Catalogue) withLock(name string, lock func(*os.File) error, do func() error) error {
	file, err := os.OpenFile(c.state(name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := lock(file); err != nil {
		return err
	}
	return do()
}

// lockEvery is how often a lock is asked for that another process holds.
const lockEvery = time.Millisecond

// withFilesLocked does something while no file of a run is removed (Share), or written either
// (Lock).
func (c *Catalogue) withFilesLocked(lock func(*os.File) error, do func() error) error {
	for {
		err := c.withLock(filesLock, lock, do)
		switch {
		case errors.Is(err, filesystem.ErrBusy):
			time.Sleep(lockEvery)
		case errors.Is(err, errors.ErrUnsupported): // Without locks nothing is compacted.
			return do()
		default:
			return err
		}
	}
}
