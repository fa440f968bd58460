package rundir

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Running is the status in run.json until the run has ended; one that is never replaced belongs to a
// run that was cut off.
const Running = "running"

// Info is run.json: all that is known of a run beside its events.
type Info struct {
	Tool    string `json:"tool"` // hubbench's version
	RunID   string `json:"run_id"`
	Name    string `json:"name"`
	Started string `json:"started"`
	Status  string `json:"status"` // running | complete | partial
	// By the hub model, in virtual time: no process ran
	Simulated bool                                  `json:"simulated,omitempty"`
	Host      Host                                  `json:"host"`
	Hardware  *hardware.Setup                       `json:"hardware,omitempty"` // what the disks are and are connected to
	Resumed   []string                              `json:"resumed,omitempty"`  // when it went on after an interruption
	Plan      *scenario.Plan                        `json:"plan"`
	SystemOK  bool                                  `json:"allow_system_disk,omitempty"`
	Allow     []string                              `json:"allow,omitempty"` // checks left out, by their codes
	Effective map[string]map[string]trace.Effective `json:"effective"`       // by phase and disk
	Failures  []trace.RunFailure                    `json:"failures,omitempty"`
	Warnings  []string                              `json:"warnings,omitempty"` // of the checks before the run
	// Nil if hubbench doctor has not been run on this machine
	Doctor *Doctor `json:"doctor,omitempty"`
}

// Doctor is what the last `hubbench doctor` on the machine doubted: of the machine, and of the run's disks.
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

// System is the machine in a few words.
func (h Host) System() string { return fmt.Sprintf("%s/%s, %d CPUs", h.OS, h.Arch, h.CPUs) }

// Loaded is a run as found: its events, and its run.json if there is one.
type Loaded struct {
	Folder string // of the run, or around a lone events file
	Events string // the path of its events file
	Trace  *trace.Run
	Info   *Info // nil if there is no run.json
}

// Load reads a run folder or a lone events file. A run that was cut off is read as far as it got, and
// a warning says so.
func Load(path string) (*Loaded, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	run := &Loaded{Folder: filepath.Dir(path)}
	events, open := path, os.Open // a pipe that a person names is meant
	if stat.IsDir() {
		run.Folder, open = path, openRegular
		if events = filepath.Join(path, EventsFile); !there(events) && there(events+packed) {
			events += packed
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
	// Beside a run.json it is a run that was cut off before its first event, which there is something to say of.
	if t := run.Trace; run.Info == nil && len(t.Phases) == 0 && len(t.Disks) == 0 {
		return nil, fmt.Errorf("load run: %s: no events, so there is nothing to report; is it the %s of a run?",
			events, EventsFile)
	}
	run.Trace.Name = cmp.Or(run.Trace.Name, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	return run, nil
}

// packed is what the name of compressed events ends with.
const packed = ".zst"

func there(path string) bool { _, err := os.Stat(path); return err == nil }

// unpacked is what a file holds, decompressed if it is Zstandard's (RFC 8878).
func unpacked(file io.Reader) (io.Reader, error) {
	text := bufio.NewReader(file)
	if head, _ := text.Peek(4); !bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return text, nil
	}
	return zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
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

// Compress keeps the events of a run that has ended compressed. At every moment they are there, whole, under one name
// or the other.
func Compress(folder string) error {
	path := filepath.Join(folder, EventsFile)
	file, err := openRegular(path)
	if err != nil {
		return fmt.Errorf("compress the events: %w", err)
	}
	err = filesystem.Replace(path+packed, func(w io.Writer) error {
		zip, err := zstd.NewWriter(w)
		if err == nil {
			_, err = io.Copy(zip, file)
			err = errors.Join(err, zip.Close())
		}
		return err
	})
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("compress the events: %w", err)
	}
	return nil
}

// maxFile is more than the size of a run.json that plans ten million files.
const maxFile = 256 << 20

// openRegular opens one of a run's files to be read. A run folder may come from anyone: a pipe would be waited for,
// and a device read for ever.
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
	path := filepath.Join(folder, name)
	file, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is too large to be one of hubbench's", path)
	}
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

// Since returns the runs in a folder of run folders that were complete at or after an instant. What is no run folder,
// or cannot be read, is passed over.
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
	Info  *Info
	Done  int              // phases that are complete
	Tried []search.Outcome // the complete tries of the next one's search
	dir   *Dir
	keep  int64 // bytes of the events up to the end of the last of all these
}

// Resume takes the folder of a run that was interrupted, unless it is still going on. Nothing is changed yet.
func Resume(path string) (*Unfinished, error) {
	info, err := LoadInfo(path)
	switch {
	case err != nil:
	case info == nil || info.Plan == nil:
		err = fmt.Errorf("%s has no %s with a plan: is it a run folder?", path, InfoFile)
	default:
		if err = info.Plan.Check(); err != nil {
			err = fmt.Errorf("%s: %w", filepath.Join(path, InfoFile), err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	dir, err := openDir(path, 0)
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	past := &past{plan: info.Plan}
	keep, err := past.read(dir.File(EventsFile))
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", errors.Join(err, dir.Close()))
	}
	return &Unfinished{Info: info, Done: past.done, Tried: past.tried, dir: dir, keep: keep}, nil
}

// Open drops from the events whatever lies behind the last complete phase, so that no phase is half from before and
// half from after, and gives the folder to go on with. If no phase is complete, the journal begins again.
func (r *Unfinished) Open() (*Dir, error) {
	err := errors.Join(RemoveParts(r.dir.Path), truncateLines(r.dir.Path, r.keep))
	if stat, statErr := os.Stat(r.dir.File(EventsFile)); statErr == nil {
		r.dir.Begun = stat.Size()
	}
	if err == nil {
		r.dir.Log, err = openInside(r.dir.Path, LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume run: %w", err), r.dir.Close())
	}
	return r.dir, nil
}

// Close leaves a run that is not resumed after all as it is.
func (r *Unfinished) Close() error { return r.dir.Close() }

// truncateLines shortens a run's events to keep bytes, and makes sure that what is appended begins a line.
func truncateLines(dir string, keep int64) error {
	file, err := openInside(dir, EventsFile, os.O_RDWR)
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if err = file.Truncate(keep); err == nil && keep > 0 {
		_, err = file.ReadAt(last, keep-1)
	}
	if err == nil && last[0] != '\n' {
		_, err = file.WriteAt([]byte{'\n'}, keep)
	}
	return errors.Join(err, file.Close())
}

// past is how far a run got, by its events.
type past struct {
	plan   *scenario.Plan
	done   int              // phases of the plan that are complete
	tried  []search.Outcome // the complete tries of the next one's search
	search *search.Search   // that search; nil before its first try, and if the next phase has none
	judge  *search.Judge    // of its next try
}

// read follows the events to the end of the last complete phase, which may be a try of a search: that many bytes of
// the file stay. The phases must be those of the plan, in its order.
func (p *past) read(path string) (keep int64, err error) {
	file, err := openRegular(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	r := trace.NewReader(file, path)
	next := p.next()
	for r.Next() {
		e := r.Event()
		if p.judge != nil {
			p.judge.Add(e)
		}
		if e.Type != trace.PhaseEndType {
			continue
		}
		if e.Phase != next {
			return 0, fmt.Errorf("%s: phase %s is not the next in the plan: the plan and the events belong to different runs",
				path, e.Phase)
		}
		if e.Status != trace.Complete || !p.complete() {
			return keep, nil
		}
		keep, next = r.Offset(), p.next()
	}
	// A bad line is where a crash tore the file: what follows it is dropped too. A disk that cannot be read is not.
	if disk := (*fs.PathError)(nil); errors.As(r.Err(), &disk) {
		return 0, r.Err()
	}
	return keep, nil
}

// next is the name of the phase that comes next; empty after the last.
func (p *past) next() string {
	if p.done == len(p.plan.Phases) {
		return ""
	}
	phase := &p.plan.Phases[p.done]
	if phase.Search == nil {
		return phase.Name
	}
	if p.search == nil {
		p.search = search.New(phase)
	}
	try, _ := p.search.Next()
	p.judge = search.NewJudge(&try)
	return try.Name
}

// complete notes that the next phase is complete. A try without a result is not: it is repeated.
func (p *past) complete() bool {
	if p.search != nil {
		o, err := p.judge.Outcome()
		if err != nil {
			return false
		}
		p.search.Add(o)
		p.tried = append(p.tried, o)
		if _, more := p.search.Next(); more {
			return true
		}
	}
	p.done++
	p.tried, p.search, p.judge = nil, nil, nil
	return true
}
