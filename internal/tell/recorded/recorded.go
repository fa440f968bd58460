// Package recorded reads what runs have recorded, wherever it is found, and analyses it: a run's
// folder, a lone events file, a page that somebody forwarded, or a phase that has just ended. Start
// at Load.
package recorded

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Run is a run to be analysed or reported, and its analysis.
type Run struct {
	*rundir.Loaded // its Trace is nil if a page was too large to carry its events
	Path           string
	Analysis       *analysis.Analysis
	OpenEvents     func() (io.ReadCloser, error) // events.jsonl, for a page to carry
	noSizes        bool
}

// Options are how to load a run.
type Options struct {
	// Redacted runs are for results that people show to others: see Redact.
	Redacted bool
	// Hashed ones are for tables that may leave the house: redacted, but for a hash of the host.
	Hashed bool
	// NoSizes leaves out of the analysis what no comparison shows: see analysis.Options.
	NoSizes bool
}

// Load reads and analyses a run: its folder, its events, or a report.html that somebody forwarded.
func Load(path string) (*Run, error) { return Options{}.Load(path) }

// Load is the function of that name, with options.
func (o Options) Load(path string) (*Run, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	run, err := open(path)
	if err != nil {
		return nil, err
	}
	run.noSizes = o.NoSizes
	switch { // Both ways of redacting analyse the run too.
	case o.Hashed:
		run.hash()
	case o.Redacted:
		run.Redact()
	default:
		run.analyze()
	}
	return run, nil
}

// open reads a run, and of its analysis no more than a page carries, or the origin.
func open(path string) (*Run, error) {
	if strings.EqualFold(filepath.Ext(path), ".html") {
		return openPage(path)
	}
	loaded, err := rundir.Load(path)
	if err != nil {
		return nil, err
	}
	run := &Run{Loaded: loaded, Path: path, OpenEvents: loaded.OpenEvents}
	run.Analysis = &analysis.Analysis{Origin: run.origin()}
	return run, nil
}

// analyze analyses the events, if they are at hand.
func (r *Run) analyze() {
	if r.Trace != nil {
		r.Analysis = analysis.Analyze(r.Trace,
			analysis.Options{Origin: r.Analysis.Origin, NoSizes: r.noSizes})
	}
}

// origin says where the run is from.
func (r *Run) origin() *analysis.Origin {
	t := r.Trace
	o := &analysis.Origin{Started: t.Started, Status: t.Status, Simulated: report.Simulated(t)}
	if h := t.Hardware; h != nil {
		if h.Hub != nil {
			o.Hub = h.Hub.Product()
		}
		if h.Host != nil {
			o.Host = h.Host.Name
		}
	}
	if i := r.Info; i != nil {
		o.Run, o.Host = i.RunID, cmp.Or(i.Host.Name, o.Host)
		if o.Status == "" && i.Status != rundir.Running {
			o.Status = i.Status
		}
		if !o.Simulated {
			for _, code := range i.Allow {
				switch code {
				case "same_disk":
					o.SharedDisk = true
				case "system_disk": // a choice of what to measure
				default:
					o.Skipped = append(o.Skipped, code)
				}
			}
			for _, warning := range i.Warnings {
				o.SharedDisk = o.SharedDisk || strings.HasSuffix(warning, "[same_disk]")
			}
		}
		if i.Plan != nil && i.Plan.Hub != nil {
			o.Hub = cmp.Or(o.Hub, i.Plan.Hub.Name, i.Plan.Hub.Profile)
		}
	}
	if o.Run == "" {
		o.Run = idOf(t)
	}
	return o
}

// idOf is an id for a run that has none: of its files, as the events have them.
func idOf(t *trace.Run) string {
	sum := sha256.New()
	// A hash takes a few kilobytes at once much faster than the numbers one by one.
	text := bufio.NewWriter(sum)
	file := make([]byte, 4*8)
	fmt.Fprintln(text, t.Name, t.Started)
	for _, p := range t.Phases {
		for _, d := range p.Disks {
			fmt.Fprintln(text, p.Name, d.Name)
			for i := range d.Files {
				f := &d.Files[i]
				binary.LittleEndian.PutUint64(file, uint64(f.Seq))
				binary.LittleEndian.PutUint64(file[8:], uint64(f.Bytes))
				binary.LittleEndian.PutUint64(file[16:], uint64(f.StartNS))
				binary.LittleEndian.PutUint64(file[24:], uint64(f.EndNS))
				_, _ = text.Write(file) // A hash takes everything.
			}
		}
	}
	_ = text.Flush()
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// openPage reads back what a page carries.
func openPage(path string) (*Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load page: %w", err)
	}
	defer file.Close()
	events, known, err := html.Read(file)
	if err != nil {
		return nil, fmt.Errorf("load page: %s: %w", path, err)
	}
	run := &Run{Loaded: &rundir.Loaded{Folder: filepath.Dir(path)}, Path: path, Analysis: known}
	if len(events) == 0 {
		return run, nil
	}
	if run.Trace, err = trace.Load(bytes.NewReader(events), path); err != nil {
		return nil, fmt.Errorf("load page: %w", err)
	}
	run.OpenEvents = func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(events)), nil
	}
	if known.Origin == nil {
		known.Origin = run.origin()
	}
	return run, nil
}

// CheckEvents refuses a large run's page, which carries no events, for what needs them.
func (r *Run) CheckEvents() error {
	if r.Trace == nil {
		return fmt.Errorf("%s carries its results but not its %s, which are too many for a page; "+
			"give the run folder", r.Path, rundir.EventsFile)
	}
	return nil
}

// Limits are those of the run's own scenario.
func (r *Run) Limits() ([]scenario.Limit, error) {
	text, err := rundir.LoadScenario(r.Folder)
	if text == nil || err != nil {
		return nil, err
	}
	return scenario.LoadLimits(filepath.Join(r.Folder, rundir.ScenarioFile), text)
}
