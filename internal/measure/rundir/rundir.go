// Package rundir is a run's folder: the scenario as given, what the run was (run.json), what happened
// (events.jsonl), what it means (analysis.json), the page and the log. It creates and loads them; it
// does not make their content. Start at Create, or at Load for a run that has been.
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
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/hardware"
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

// Dir is the folder of a run under way. What is appended to its events is handed to the system at once, so that not
// even kill -9 loses it.
type Dir struct {
	Path    string
	Log     *os.File
	Begun   int64 // bytes of the events that an earlier session has recorded
	events  *os.File
	buf     []byte
	dirty   atomic.Bool
	syncErr error // of the first sync that failed
}

// Name is a run's default folder: what it is called and when it began.
func Name(scenario string, began time.Time) string {
	return Named(scenario) + "-" + began.Format("20060102-150405")
}

// Named keeps of a name what every file system and every shell takes as it is.
func Named(name string) string {
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
// written fails before a byte is measured. A folder that holds a run, or a file that only looks like one's, is
// refused: no user's file is overwritten.
func Create(path string, scenario []byte) (_ *Dir, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("create run folder: %w", err)
		}
	}()
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	taken, begun := inTheWay(path, scenario)
	if taken != "" && !begun {
		return nil, fmt.Errorf("%s %w, or a file named %s; choose another folder with --out", path, ErrTaken, taken)
	}
	// The events are made first, and only if they are not: of two runs that begin at once, one gets the error.
	flag := os.O_EXCL
	if begun {
		flag = 0
	}
	dir, err := openDir(path, flag)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, filesystem.ErrBusy) {
		err = fmt.Errorf("%s %w, which has just started", path, ErrTaken)
	}
	if err != nil {
		return nil, err
	}
	if begun {
		err = takeOver(path, scenario)
	}
	if err == nil {
		dir.Log, err = openInside(path, LogFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	}
	if err == nil {
		err = dir.write(ScenarioFile, scenario)
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// openDir opens the events of a run's folder, which flag says more about (os.O_EXCL if they must be new), and holds
// them: no other process may write to the run.
func openDir(path string, flag int) (*Dir, error) {
	events, err := openInside(path, EventsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND|flag)
	if err != nil {
		return nil, err
	}
	if err := filesystem.Lock(events); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(path, EventsFile), err), events.Close())
	}
	return &Dir{Path: path, events: events}, nil
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

// inTheWay is a file in a folder that has the name of one of a run's. Begun says that all there is was left by a run
// of the same scenario that was killed before it had a run.json: neither can that be resumed, nor is anything lost
// with it.
func inTheWay(path string, scenario []byte) (taken string, begun bool) {
	begun = true
	for _, name := range []string{ScenarioFile, InfoFile, EventsFile, EventsFile + packed, AnalysisFile, ReportFile, LogFile} {
		file := filepath.Join(path, name)
		info, err := os.Lstat(file)
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
			text, err := os.ReadFile(file)
			begun = begun && err == nil && bytes.Equal(text, scenario)
		default:
			begun = false
		}
	}
	return taken, begun
}

// takeOver makes room for a run in the folder of one that has only begun, whose events the caller holds now.
func takeOver(path string, scenario []byte) error {
	if _, begun := inTheWay(path, scenario); !begun { // it has gone on meanwhile
		return fmt.Errorf("%s %w", path, ErrTaken)
	}
	if err := os.Remove(filepath.Join(path, LogFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return RemoveParts(path)
}

// File is the path of one of the folder's files.
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
	err := filesystem.Replace(d.File(name), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// RemoveParts removes what a process that was killed while it wrote one of a run's files has left of it.
func RemoveParts(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		for _, whole := range []string{ScenarioFile, InfoFile, AnalysisFile, ReportFile} { // those that are replaced
			if entry.Type().IsRegular() && filesystem.IsPart(whole, entry.Name()) {
				err = errors.Join(err, root.Remove(entry.Name()))
			}
		}
	}
	return err
}

// openInside opens one of a run's files to be written to. A run folder may come from anyone: what is no file in
// itself, such as a link to one elsewhere, is refused.
func openInside(dir, name string, flag int) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file of hubbench's: remove it", filepath.Join(dir, name))
	}
	return root.OpenFile(name, flag, 0o644)
}

// NewID names a run's test folders: when, and four random digits against two runs in one second.
func NewID(began time.Time) string {
	var tail [2]byte
	_, _ = rand.Read(tail[:]) // never fails
	return began.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(tail[:])
}

// homes match users' folders, up to the end of the name.
var homes = regexp.MustCompile(`(?i)(/(?:Users|home|media|run/media)/|[A-Z]:\\Users\\)[^/\\:"' ]+`)

// adapters are network adapters that Linux names by their address, which is unique.
var adapters = regexp.MustCompile(`\benx[0-9a-f]{12}\b`)

// images are disks that are a file, in the words of their models.
var images = regexp.MustCompile(`\bfile /.*`)

// Anonymous leaves out of a run what identifies its owner: the host's name, users' names, paths, volume labels and
// serial numbers. It changes what was loaded, takes the run's events and returns them without it; the folder stays as
// it is.
func (l *Loaded) Anonymous(events io.Reader) ([]byte, error) {
	hide := l.redactor()
	var out []byte
	in := trace.NewReader(events, l.Events)
	for in.Next() {
		e := in.Event()
		e.Error = hide(e.Error)
		for i := range e.Disks {
			e.Disks[i].Path = ""
		}
		anonymize(e.Hardware, hide)
		out = trace.AppendEvent(out, e)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("leave out names: %w", err)
	}
	var err error
	if l.Trace, err = trace.Load(bytes.NewReader(out), l.Events); err != nil {
		return nil, fmt.Errorf("leave out names: %w", err)
	}
	l.Folder = ""
	if info := l.Info; info != nil {
		info.Host.Name = ""
		anonymize(info.Hardware, hide)
		for i := range info.Warnings {
			info.Warnings[i] = hide(info.Warnings[i])
		}
		for i := range info.Failures {
			info.Failures[i].Cause = hide(info.Failures[i].Cause)
		}
		if info.Doctor != nil {
			for i := range info.Doctor.Checks {
				c := &info.Doctor.Checks[i]
				c.Path, c.Measured, c.Text, c.Advice = hide(c.Path), hide(c.Measured), hide(c.Text), hide(c.Advice)
			}
		}
		if info.Plan != nil {
			if hub := info.Plan.Hub; hub != nil {
				hub.Profile = hub.Profile[strings.LastIndexAny(hub.Profile, `/\`)+1:]
				hub.About = hide(hub.About)
			}
			for i := range info.Plan.Disks {
				info.Plan.Disks[i].Path = ""
				info.Plan.Disks[i].About = hide(info.Plan.Disks[i].About)
			}
		}
	}
	return out, nil
}

// redactor replaces in text what identifies a person: the paths of the disks, the run's own folder, users' folders and
// the name of the host.
func (l *Loaded) redactor() func(string) string {
	type pair struct{ is, becomes string }
	var list []pair
	for _, d := range l.Trace.Disks {
		if len(d.Path) > 1 { // "/" stands in every path
			list = append(list, pair{d.Path, "(path of disk " + d.Name + ")"})
		}
	}
	if len(l.Folder) > 1 {
		list = append(list, pair{l.Folder, "(run folder)"})
	}
	if l.Info != nil && l.Info.Host.Name != "" {
		list = append(list, pair{l.Info.Host.Name, "(host)"})
	}
	slices.SortStableFunc(list, func(a, b pair) int { return len(b.is) - len(a.is) }) // /Volumes/A stands in /Volumes/A2
	var pairs []string
	for _, p := range list {
		pairs = append(pairs, p.is, p.becomes)
	}
	known := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = images.ReplaceAllString(known.Replace(text), "file")
		return adapters.ReplaceAllString(homes.ReplaceAllString(text, "${1}…"), "enx…")
	}
}

// anonymize leaves out of a setup, if there is one, what identifies its owner.
func anonymize(s *hardware.Setup, hide func(string) string) {
	if s == nil {
		return
	}
	if s.Host != nil {
		s.Host.Name = ""
	}
	ids := map[string]string{"": ""} // a hub's is unique in the world
	id := func(is *string) {
		if _, known := ids[*is]; !known {
			ids[*is] = "hub " + strconv.Itoa(len(ids))
		}
		*is = ids[*is]
	}
	if hub := s.Hub; hub != nil {
		ids[hub.ID] = "hub 1" // be it named by the scenario only
		hub.ID, hub.Devices = "hub 1", nil
		id(&hub.Upstream)
		if hub.Link != nil {
			id(&hub.Link.Hub)
		}
	}
	s.About = hide(s.About)
	for i := range s.Competitors {
		s.Competitors[i].ID, s.Competitors[i].Name = "", hide(s.Competitors[i].Name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Disks)) {
		unit := s.Disks[name]
		if unit.Hub != nil {
			id(unit.Hub)
		}
		for i := range unit.Path.Links {
			id(&unit.Path.Links[i].Hub)
		}
		unit.About, unit.Model = hide(unit.About), hide(unit.Model)
		unit.Serial, unit.Volumes = "", nil
		if v := unit.Volume; v != nil {
			v.Mount, v.Mounts, v.Label, v.Container = "(path)", nil, "", ""
		}
		s.Disks[name] = unit
	}
}
