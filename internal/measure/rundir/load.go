package rundir

import (
	"bufio"
	"bytes"
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
	if run.Trace.Name == "" {
		run.Trace.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
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

// maxInfo is more than the size of a run.json that plans ten million files.
const maxInfo = 256 << 20

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
	path := filepath.Join(folder, InfoFile)
	file, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxInfo+1))
	if err == nil && len(data) > maxInfo {
		err = fmt.Errorf("%s is too large to be one of hubbench's", path)
	}
	if err != nil {
		return nil, fmt.Errorf("load run: %w", err)
	}
	var info Info
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("load run: %s: %w", path, err)
	}
	return &info, nil
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
