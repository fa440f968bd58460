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
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

// Catalogue adds runs to a catalogue. It may come from anyone: all goes through one folder that is
// held open, what is no file or folder in itself is refused, and no file is written to that was
// there before. The caller must call Close.
type Catalogue struct {
	root  *os.Root
	known map[string]string // what was collected, by where it is
	fresh bool              // this process has written the list of what was collected
	// Longer than a program lists the files of a folder before it opens them.
	listing time.Duration
}

// Open makes a catalogue in a folder, if it is not there, and ends a compaction that was cut off.
func Open(dir string) (*Catalogue, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{root: root, known: map[string]string{}, listing: time.Second}
	if err := c.open(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Catalogue) open() error {
	old, _ := fs.Glob(c.root.FS(), "*/date=*")
	if old != nil {
		return fmt.Errorf("%s has the layout of versions before 1, with a folder "+
			"for each day: collect its runs into a new folder", c.root.Name())
	}
	if err := c.makeFolder(stateFolder); err != nil {
		return err
	}
	if err := c.readCollected(); err != nil {
		return err
	}
	if _, err := c.root.Lstat(state(pendingFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := c.withLock(compactLock, filesystem.Lock, c.finishCompaction)
	if errors.Is(err, filesystem.ErrBusy) {
		return nil // Whoever compacts it ends that one too.
	}
	return err
}

// Close lets go of the catalogue's folder.
func (c *Catalogue) Close() { _ = c.root.Close() }

const stateFolder = "_state"

// state returns the path of a file of DIR/_state, in the catalogue.
func state(name string) string { return path.Join(stateFolder, name) }

// at returns where a file of the catalogue is, for people.
func (c *Catalogue) at(name string) string {
	return filepath.Join(c.root.Name(), filepath.FromSlash(name))
}

// checkIs refuses what stands at a name and is not of that kind in itself, such as a link to a file
// elsewhere. Where nothing is, all is well.
func (c *Catalogue) checkIs(kind fs.FileMode, name string) error {
	info, err := c.root.Lstat(name)
	if err == nil && info.Mode().Type() != kind {
		return fmt.Errorf("%s is not hubbench's: remove it", c.at(name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// makeFolder makes a folder of the catalogue, and those that it is in.
func (c *Catalogue) makeFolder(name string) error {
	if parent := path.Dir(name); parent != "." {
		if err := c.makeFolder(parent); err != nil {
			return err
		}
	}
	if err := c.checkIs(fs.ModeDir, name); err != nil {
		return err
	}
	return c.root.MkdirAll(name, 0o755)
}

// openFile opens a file of the catalogue, which is none that stands there as something else.
func (c *Catalogue) openFile(name string, flag int) (*os.File, error) {
	if err := c.checkIs(0, name); err != nil {
		return nil, err
	}
	return c.root.OpenFile(name, flag, 0o644)
}

// maxState is more than a million lines of what was collected have.
const maxState = 128 << 20

// readState reads a file of DIR/_state whole. A missing one is nil and no error.
func (c *Catalogue) readState(name string) ([]byte, error) {
	file, err := c.openFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return filesystem.Read(file, maxState)
}

// collected returns the file with a line for each run that this computer has added.
func collected() string {
	host, _ := os.Hostname() // Without a name it is one of those without.
	return state("collected-" + hash(host))
}

func (c *Catalogue) readCollected() error {
	lines, err := c.readState(collected())
	for line := range strings.Lines(string(lines)) {
		source, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		c.known[source] = content // One that was cut off is of no run.
	}
	return err
}

// note writes down that a run was added. The first time, the list is written anew, as the file may
// be another name of somebody's file: later lines are appended to one of our own. Of two processes
// that begin at once, one's lines may get lost; its runs are added again, to no other effect.
func (c *Catalogue) note(s Stamp) error {
	c.known[s.source] = s.content
	if !c.fresh {
		if err := c.checkIs(0, collected()); err != nil {
			return err
		}
		err := filesystem.ReplaceIn(c.root, collected(), func(w io.Writer) (err error) {
			for _, source := range slices.Sorted(maps.Keys(c.known)) {
				_, lineErr := fmt.Fprintf(w, "%s %s\n", source, c.known[source])
				err = cmp.Or(err, lineErr)
			}
			return err
		})
		c.fresh = err == nil
		return err
	}
	file, err := c.openFile(collected(), os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s %s\n", s.source, s.content)
	return errors.Join(err, file.Close())
}

func hash(text string) string {
	_, digits, _ := strings.Cut(recorded.Pseudonym("host", cmp.Or(text, "unknown")), " ")
	return digits
}

// Stamp says where a run is, and by the sizes and times of its files, what it is.
type Stamp struct{ source, content string }

// StampOf is that of a run folder or of a file. Hashed rows differ from others.
func StampOf(run string, hashed bool) Stamp {
	if full, err := filepath.Abs(run); err == nil {
		run = full
	}
	files := []string{run, filepath.Join(run, rundir.InfoFile)}
	if events, err := rundir.EventsOf(run); err == nil {
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
	return Stamp{short(run), short(content.String())}
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
		name := path.Join(grain.Name, monthPrefix+month, fileOf(about.ID, about.Host))
		if err := c.save(name, grain, run); err != nil {
			return fmt.Errorf("add %s: %w", run.Path, err)
		}
	}
	return c.note(s)
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
func (c *Catalogue) save(name string, grain table.Grain, run *recorded.Run) error {
	err := cmp.Or(c.makeFolder(path.Dir(name)), c.checkIs(0, name))
	if err != nil {
		return err
	}
	move := func(part, _ string) error {
		return c.withFilesLocked(filesystem.Share, func() error {
			return c.root.Rename(part, name)
		})
	}
	return filesystem.ReplaceBy(c.root, move, state(path.Base(name)), func(w io.Writer) error {
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
	file, err := c.openFile(state(name), os.O_RDWR|os.O_CREATE)
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
