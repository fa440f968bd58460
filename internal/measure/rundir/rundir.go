// Package rundir is a run's folder: the scenario as given, what the run was (run.json), what
// happened (events.jsonl), what it means (analysis.json), the page and the log. It creates and
// loads them; it does not make their content. Start at Create, or at Load for a run that has been.
package rundir

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The files of a run's folder.
const (
	ScenarioFile = "scenario.yaml"
	InfoFile     = "run.json"
	EventsFile   = "events.jsonl"
	AnalysisFile = "analysis.json"
	ReportFile   = "report.html"
	LogFile      = "run.log"
)

// Dir is the folder of a run under way. What is appended to its events is handed to the system at
// once, so that not even kill -9 loses it.
type Dir struct {
	Path string
	// Root is the folder itself, whatever stands at its path meanwhile; outlives Close.
	Root    *os.Root
	Log     *os.File
	events  *os.File
	buf     []byte
	dirty   atomic.Bool
	syncErr error // syncErr is from the first sync that failed.
}

// Name returns a run's default folder: what it is called and when it began.
func Name(scenario string, began time.Time) string {
	return SafeName(scenario) + "-" + began.Format("20060102-150405")
}

// SafeName keeps of a name what every file system and every shell takes as it is.
func SafeName(name string) string {
	cleaned := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, name)
	if cleaned = strings.Trim(cleaned, "-."); cleaned == "" {
		return "run"
	}
	return cleaned
}

// ErrTaken is Create's if the folder holds a run, or a file that only looks like one's.
var ErrTaken = errors.New("already holds a run")

// Create makes a run's folder and opens all that is written during the run, so that what cannot be
// written fails before a byte is measured. A folder that holds a run, or a file that only looks
// like one's, is refused: no user's file is overwritten. What was imported has no scenario.
func Create(path string, scenario []byte) (_ *Dir, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create run folder: %w", err)
		}
	}()
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	dir := &Dir{Path: path, Root: root}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.abandon())
		}
	}()
	taken, begun := dir.conflictingFile(scenario)
	if taken != "" && !begun {
		return nil, fmt.Errorf("%s %w, or a file named %s; choose another folder with --out", path,
			ErrTaken, taken)
	}
	// The events are made first, and only if they are not: of two runs that begin at once, one gets
	// the error.
	flag := os.O_CREATE | os.O_EXCL
	if begun {
		flag = 0
	}
	err = dir.lockEvents(EventsFile, flag)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, filesystem.ErrBusy) {
		err = fmt.Errorf("%s %w, which has just started", path, ErrTaken)
	}
	if err == nil && begun {
		err = dir.takeOver(scenario)
	}
	if err == nil {
		dir.Log, err = dir.open(LogFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	}
	if err == nil && scenario != nil {
		err = dir.write(ScenarioFile, scenario)
	}
	return dir, err
}

// lockEvents opens the events, which flag says more about (os.O_EXCL if they must be new), and
// locks them: no other process may write to the run.
func (d *Dir) lockEvents(name string, flag int) error {
	events, err := d.open(name, os.O_RDWR|flag)
	if err != nil {
		return err
	}
	if err = filesystem.Lock(events); errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	opened, _ := events.Stat()
	now, _ := d.Root.Lstat(name) // No file is the same as none.
	if err == nil && !os.SameFile(opened, now) {
		err = filesystem.ErrBusy // The previous owner has replaced them just now.
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", d.File(name), err), events.Close())
	}
	_ = d.events.Close() // It unlocks the folder.
	d.events = events
	return nil
}

// Append writes events, each a line, in one call. It is not safe for concurrent use.
func (d *Dir) Append(events ...trace.Event) error {
	d.buf = d.buf[:0]
	for i := range events {
		d.buf = trace.AppendEvent(d.buf, &events[i])
	}
	return d.AppendLines(d.buf)
}

// AppendLines is Append for events that are lines already.
func (d *Dir) AppendLines(lines []byte) error {
	if _, err := d.events.Write(lines); err != nil {
		return fmt.Errorf("write %s: %w", EventsFile, err)
	}
	d.dirty.Store(true)
	return nil
}

// sync has what was appended survive a power cut.
func (d *Dir) sync() {
	if d.dirty.Swap(false) && d.syncErr == nil {
		d.syncErr = filesystem.Sync(d.events)
	}
}

// Close syncs what is left, and ends the log.
func (d *Dir) Close() (err error) {
	d.sync()
	if err = errors.Join(d.syncErr, d.events.Close()); err != nil {
		err = fmt.Errorf("sync %s: %w", EventsFile, err)
	}
	if d.Log != nil {
		err = errors.Join(err, d.Log.Close())
	}
	return err
}

// abandon closes all that is open of a folder in which nothing is recorded after all.
func (d *Dir) abandon() (err error) {
	if d.events != nil {
		err = d.Close()
	}
	return errors.Join(err, d.Root.Close())
}

// Moved reports whether something else, or nothing, stands at the folder's path by now.
func (d *Dir) Moved() bool {
	held, _ := d.Root.Stat(".")
	now, _ := os.Stat(d.Path) // No file is the same as none.
	return !os.SameFile(held, now)
}

// conflictingFile returns a file in a folder that has the name of one of a run's. Begun says that
// all there is was left by a run of the same scenario that was killed before it had a run.json:
// neither can that be resumed, nor is anything lost with it.
func (d *Dir) conflictingFile(scenario []byte) (taken string, begun bool) {
	begun = true
	for _, name := range []string{
		ScenarioFile, InfoFile, EventsFile, PackedFile, AnalysisFile, ReportFile, LogFile,
	} {
		info, err := d.Root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			begun = begun && name != EventsFile
			continue
		}
		taken = cmp.Or(taken, name)
		switch {
		case err != nil || !info.Mode().IsRegular():
			begun = false
		case name == EventsFile || name == LogFile:
			begun = begun && info.Size() == 0
		case name == ScenarioFile:
			text, err := d.Root.ReadFile(name)
			begun = begun && err == nil && bytes.Equal(text, scenario)
		default:
			begun = false
		}
	}
	return taken, begun
}

// takeOver makes room for a run in the folder of one that has only begun, whose events the caller
// holds now.
func (d *Dir) takeOver(scenario []byte) error {
	if _, begun := d.conflictingFile(scenario); !begun { // It has gone on meanwhile.
		return fmt.Errorf("%s %w", d.Path, ErrTaken)
	}
	if err := d.Root.Remove(LogFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.RemoveParts()
}

// File returns the path of one of the folder's files.
func (d *Dir) File(name string) string { return filepath.Join(d.Path, name) }

// WriteJSON writes a value to one of the folder's files, whole or not at all.
func (d *Dir) WriteJSON(name string, v any) error {
	data, err := cells.JSON(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return d.write(name, data)
}

// write writes a file that a power cut cannot take back once its name is known.
func (d *Dir) write(name string, data []byte) error {
	err := filesystem.ReplaceIn(d.Root, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// RemoveParts removes what a process that was killed while it wrote one of a run's files has left
// of it.
func (d *Dir) RemoveParts() error {
	entries, err := fs.ReadDir(d.Root.FS(), ".")
	for _, entry := range entries {
		// These are replaced.
		for _, whole := range []string{
			ScenarioFile, InfoFile, EventsFile, AnalysisFile, ReportFile,
		} {
			if entry.Type().IsRegular() && filesystem.IsPart(whole, entry.Name()) {
				err = errors.Join(err, d.Root.Remove(entry.Name()))
			}
		}
	}
	return err
}

// open opens one of the run's files to be written to. A run folder may come from anyone: what is no
// file in itself, such as a link to one elsewhere, is refused.
func (d *Dir) open(name string, flag int) (*os.File, error) {
	if info, err := d.Root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file of hubbench's: remove it", d.File(name))
	}
	return d.Root.OpenFile(name, flag, 0o644)
}

// NewID names a run, and its test folders: when it began, with ten bits for the thousandth of the
// second, so that those of a script of short runs are in order, and 54 random bits, as many
// machines begin runs in one second.
func NewID(began time.Time) string {
	var tail [8]byte
	_, _ = rand.Read(tail[:]) // It never fails.
	thousandth := began.Nanosecond() / int(time.Millisecond)
	tail[0], tail[1] = byte(thousandth>>2), byte(thousandth<<6)|tail[1]>>2
	return began.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(tail[:])
}
