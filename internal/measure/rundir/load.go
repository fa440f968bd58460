package rundir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Running is the status in run.json until the run has ended; one that is never replaced belongs to
// a run that was cut off.
const Running = "running"

// Info is run.json: all that is known of a run beside its events.
type Info struct {
	Tool    string `json:"tool"` // Tool is hubbench's version.
	RunID   string `json:"run_id"`
	Name    string `json:"name"`
	Started string `json:"started"`
	Status  string `json:"status"` // Status is running, complete or partial.
	// State is how far the run has come, or was when it was killed.
	State life.State `json:"state,omitempty"`
	// By the hub model, in virtual time: no process ran
	Simulated bool `json:"simulated,omitempty"`
	Host      Host `json:"host"`
	// Labels are what run --label was given.
	Labels map[string]string `json:"labels,omitempty"`
	// Hardware is what the disks are and are connected to.
	Hardware *hardware.Setup `json:"hardware,omitempty"`
	// Resumed is when it went on after an interruption.
	Resumed  []string       `json:"resumed,omitempty"`
	Plan     *scenario.Plan `json:"plan"`
	SystemOK bool           `json:"allow_system_disk,omitempty"`
	Allow    []string       `json:"allow,omitempty"` // Allow has the codes of skipped checks.
	// Effective is by phase and disk.
	Effective map[string]map[string]trace.Effective `json:"effective"`
	Failures  []trace.RunFailure                    `json:"failures,omitempty"`
	// Warnings are from the checks before the run.
	Warnings []string `json:"warnings,omitempty"`
	// Nil if hubbench doctor has not been run on this machine
	Doctor *Doctor `json:"doctor,omitempty"`
}

// Doctor is what the last `hubbench doctor` on the machine doubted: of the machine, and of the
// run's disks.
type Doctor struct {
	Date   string        `json:"date"`
	Checks []trace.Check `json:"checks"`
}

// Host is the machine a run ran on.
type Host struct {
	Name string `json:"name"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
}

// ThisHost describes the machine we are on.
func ThisHost() Host {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	return Host{Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
}

// System returns the machine in a few words.
func (h Host) System() string { return fmt.Sprintf("%s/%s, %d CPUs", h.OS, h.Arch, h.CPUs) }

// Loaded is a run as found: its events, and its run.json if there is one.
type Loaded struct {
	Folder string // Folder is the run's, or that around a lone events file.
	Events string // Events is the path of its events file.
	Trace  *trace.Run
	Info   *Info // Info is nil if there is no run.json.
}

// Load reads a run folder or a lone events file. A run that was cut off is read as far as it got,
// and a warning says so.
func Load(path string) (*Loaded, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	run := &Loaded{Folder: filepath.Dir(path)}
	events, open := path, os.Open // A pipe that a person names is meant.
	if stat.IsDir() {
		run.Folder = path
		open = openRegular
		if events, err = EventsOf(path); err != nil {
			return nil, fmt.Errorf("load run: %w", err)
		}
		if run.Info, err = LoadInfo(path); err != nil {
			return nil, err
		}
	}
	run.Events = events
	file, err := open(events)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("load run: %s has no %s: is it a run folder?", path, EventsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	defer file.Close()
	text, err := unpacked(file)
	if err != nil {
		return nil, fmt.Errorf("load run: %s: %w", events, err)
	}
	if run.Trace, err = trace.Load(text, events); err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	// Beside a run.json it is a run that was cut off before its first event, which there is
	// something to say of.
	if t := run.Trace; run.Info == nil && len(t.Phases) == 0 && len(t.Disks) == 0 {
		return nil, fmt.Errorf("load run: %s: no events, so there is nothing to report; is it "+
			"the %s of a run?",
			events, EventsFile)
	}
	run.Trace.Name = cmp.Or(run.Trace.Name,
		strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	return run, nil
}

// PackedFile is the name of compressed events. What a file holds says whether it is: under either
// name.
const PackedFile = EventsFile + ".zst"

// EventsOf returns the path of the events in a run's folder, be they compressed, or not there. Two
// records are an error: they may differ.
func EventsOf(folder string) (string, error) {
	path, packed := filepath.Join(folder, EventsFile), filepath.Join(folder, PackedFile)
	_, plain := os.Lstat(path)
	_, compressed := os.Lstat(packed)
	if compressed == nil && plain == nil {
		return "", fmt.Errorf("%s and %s are both there, and a run has one record: look at each "+
			"with hubbench analyze, and move the other out of the folder", path, packed)
	}
	if compressed == nil {
		return packed, nil
	}
	return path, nil
}

// OpenEvents opens the run's events, decompressed.
func (l *Loaded) OpenEvents() (io.ReadCloser, error) {
	file, err := os.Open(l.Events)
	if err != nil {
		return nil, err
	}
	text, err := unpacked(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{text, file}, nil
}

// Compress keeps the events of a run that has ended compressed. At every moment they are there,
// whole, under one name.
func (d *Dir) Compress() error {
	err := filesystem.ReplaceIn(d.Root, EventsFile, func(w io.Writer) error {
		file, err := d.open(EventsFile, os.O_RDONLY)
		if err != nil {
			return err
		}
		text, err := unpacked(file) // One that was killed after that has compressed them.
		if err != nil {
			return errors.Join(err, file.Close())
		}
		zip, err := zstd.NewWriter(w)
		for err == nil { // A file that is cut short loses no more than a block.
			if _, err = io.CopyN(zip, text, 1<<14); err == nil {
				err = zip.Flush()
			}
		}
		if errors.Is(err, io.EOF) {
			err = zip.Close()
		}
		return errors.Join(err, file.Close()) // closed before it is replaced
	})
	if err == nil {
		err = filesystem.Move(d.Root.Rename, EventsFile, PackedFile)
	}
	if err != nil {
		return fmt.Errorf("compress the events: %w", err)
	}
	return nil
}

// maxFile is more than the size of a run.json that plans ten million files.
const maxFile = 256 << 20

// openRegular opens one of a run's files to be read. A run folder may come from anyone: a pipe
// would be waited for, and a device read for ever.
func openRegular(path string) (*os.File, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	return os.Open(path)
}

// LoadInfo reads a folder's run.json. A missing one is nil and no error, as the events are enough.
func LoadInfo(folder string) (*Info, error) {
	data, err := load(folder, InfoFile)
	if data == nil || err != nil {
		return nil, err
	}
	var info Info
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("load run: %s: %w", filepath.Join(folder, InfoFile), err)
	}
	return &info, nil
}

// LoadScenario reads a folder's scenario as it was given. A missing one is nil and no error.
func LoadScenario(folder string) ([]byte, error) { return load(folder, ScenarioFile) }

func load(folder, name string) ([]byte, error) {
	file, err := openRegular(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	defer file.Close()
	data, err := filesystem.Read(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	return data, nil
}

// Earlier is a complete run, read from its folder.
type Earlier struct {
	Path  string
	Info  *Info
	Ended time.Time
}

// Since returns the runs in a folder of run folders that were complete at or after an instant. What
// is no run folder, or cannot be read, is passed over.
func Since(folder string, from time.Time) []Earlier {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var runs []Earlier
	for _, entry := range entries {
		run := Earlier{Path: filepath.Join(folder, entry.Name())}
		// The last that a run writes there is how it ended.
		stat, err := os.Stat(filepath.Join(run.Path, InfoFile))
		if err != nil || stat.ModTime().Before(from) {
			continue
		}
		run.Ended = stat.ModTime()
		if run.Info, err = LoadInfo(run.Path); err != nil || run.Info == nil {
			continue
		}
		if run.Info.Status == trace.Complete && !run.Info.Simulated && run.Info.Plan != nil {
			runs = append(runs, run)
		}
	}
	return runs
}

// Unfinished is a run that was interrupted, and how far it came.
type Unfinished struct {
	Info     *Info
	Done     int                 // Done counts the complete phases.
	Tries    []search.TryOutcome // Tries are the complete ones of the next phase's search.
	Complete bool                // Nothing is left to measure.
	Dir      *Dir
	name     string // name is that of the events file.
	keep     int64  // keep is bytes of their text up to the end of the last of all these.
	// search is the next phase's; nil before its first try, and without one.
	search *search.Finder
	judge  *search.Judge // judge is for its next try.
}

// Resume takes the folder of a run that was interrupted, unless it is still going on. Nothing is
// changed yet.
func Resume(path string) (_ *Unfinished, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("resume run: %w", err)
		}
	}()
	info, err := LoadInfo(path)
	switch {
	case err != nil:
		return nil, err
	case info == nil || info.Plan == nil:
		return nil, fmt.Errorf("%s has no %s with a plan: is it a run folder?", path, InfoFile)
	}
	if err := info.Plan.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, InfoFile), err)
	}
	if info.Effective == nil {
		info.Effective = map[string]map[string]trace.Effective{}
	}
	file, err := EventsOf(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	r := &Unfinished{Info: info, Dir: &Dir{Path: path, Root: root}, name: filepath.Base(file)}
	ended := false
	if err = r.Dir.lockEvents(r.name, 0); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s is not there, so nothing says how far the run came; begin a new one",
			file)
	}
	if err == nil {
		ended, err = r.read(r.Dir.events, file)
	}
	r.Complete = info.Status == trace.Complete
	if err == nil && r.Complete && !ended {
		err = fmt.Errorf("%s says that the run is complete, and %s can be read to the end of "+
			"phase %d of %d only: it is damaged, and going on would lose the rest; restore it, "+
			"or begin a new run",
			InfoFile, file, r.Done, len(info.Plan.Phases))
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Open drops from the events whatever lies behind the last complete phase, so that no phase is half
// from before and half from after, and gives the folder to go on with. If no phase is complete, the
// journal begins again.
func (r *Unfinished) Open() (*Dir, error) {
	err := r.Dir.RemoveParts()
	if err == nil {
		err = r.unpack()
	}
	if err == nil {
		err = cut(r.Dir.events, r.keep)
	}
	if err == nil {
		r.Dir.Log, err = r.Dir.open(LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume run: %w", err), r.Close())
	}
	// Errors of the part before are not the run's: whoever finishes it keeps what is there.
	_ = r.Dir.Root.Remove(AnalysisFile)
	_ = r.Dir.Root.Remove(ReportFile)
	return r.Dir, nil
}

// Close leaves a run that is not resumed after all as it is.
func (r *Unfinished) Close() error { return r.Dir.abandon() }

// unpack decompresses the events, if they are compressed. At every moment they are there under one
// name.
func (r *Unfinished) unpack() error {
	head := make([]byte, 4)
	_, _ = r.Dir.events.ReadAt(head, 0) // A shorter file is not compressed.
	if !isPacked(head) {
		return nil
	}
	var err error
	if r.name != EventsFile {
		err = filesystem.Move(r.Dir.Root.Rename, r.name, EventsFile)
	}
	if err == nil {
		err = filesystem.ReplaceIn(r.Dir.Root, EventsFile, func(w io.Writer) error {
			text, err := unpacked(io.NewSectionReader(r.Dir.events, 0, math.MaxInt64))
			if err == nil {
				_, err = io.CopyN(w, text, r.keep)
			}
			return errors.Join(err, r.Dir.events.Close()) // closed before it is replaced
		})
	}
	if err != nil {
		return fmt.Errorf("decompress the events: %w", err)
	}
	return r.Dir.lockEvents(EventsFile, 0)
}

// cut shortens a run's events to keep bytes, and makes sure that what is appended begins a line.
func cut(events *os.File, keep int64) error {
	last := []byte{'\n'}
	err := events.Truncate(keep)
	if err == nil && keep > 0 {
		_, err = events.ReadAt(last, keep-1)
	}
	if err == nil {
		_, err = events.Seek(keep, io.SeekStart)
	}
	if err == nil && last[0] != '\n' {
		_, err = events.Write([]byte{'\n'})
	}
	return err
}

// read follows the events to the end of the last complete phase, which may be a try of a search:
// what comes behind it is not kept. The phases must be those of the plan, in its order. It reports
// whether the run says that it is complete.
func (r *Unfinished) read(file io.Reader, path string) (ended bool, err error) {
	text, err := unpacked(file)
	if err != nil {
		return false, err
	}
	events := trace.NewReader(text, path)
	next := r.next()
	for events.Next() {
		e := events.Event()
		if r.judge != nil {
			r.judge.Add(e)
		}
		if e.Type != trace.PhaseEndType {
			ended = ended || e.Type == trace.EndType && e.Status == trace.Complete && next == ""
			continue
		}
		if e.Phase != next {
			return false, fmt.Errorf("%s: phase %s is not the next in the plan: the plan and the "+
				"events belong to different runs", path, e.Phase)
		}
		if e.Status != trace.Complete || !r.complete() {
			return ended, nil
		}
		r.keep, next = events.Offset(), r.next()
	}
	// A bad line is where a crash tore the file: what follows it is dropped too. A disk that cannot
	// be read is not.
	if disk := (*fs.PathError)(nil); errors.As(events.Err(), &disk) {
		return false, events.Err()
	}
	return ended, nil
}

// next returns the name of the phase that comes next; empty after the last.
func (r *Unfinished) next() string {
	if r.Done == len(r.Info.Plan.Phases) {
		return ""
	}
	phase := &r.Info.Plan.Phases[r.Done]
	if phase.Search == nil {
		return phase.Name
	}
	if r.search == nil {
		r.search = search.New(phase)
	}
	try, _ := r.search.Next()
	r.judge = search.NewJudge(&try)
	return try.Name
}

// complete notes that the next phase is complete. A try without a result is not: it is repeated.
func (r *Unfinished) complete() bool {
	if r.search != nil {
		o, err := r.judge.Outcome()
		if err != nil {
			return false
		}
		r.search.Add(o)
		r.Tries = append(r.Tries, o)
		if _, more := r.search.Next(); more {
			return true
		}
	}
	r.Done++
	r.Tries, r.search, r.judge = nil, nil, nil
	return true
}
