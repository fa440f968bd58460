// Package recorded reads what runs have recorded, wherever it is found, and analyses it: a run's folder, a lone events file,
// a page that somebody forwarded, or a phase that has just ended. Start at Load.
package recorded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Run is a run to be analysed or reported, and its analysis.
type Run struct {
	*rundir.Loaded // its Trace is nil if a page was too large to carry its events
	Path           string
	Analysis       *analysis.Analysis
	OpenEvents     func() (io.ReadCloser, error) // events.jsonl, for a page to carry
}

// Load reads a run: its folder, its events, or a report.html that somebody forwarded.
func Load(path string) (*Run, error) {
	if strings.EqualFold(filepath.Ext(path), ".html") {
		return loadPage(path)
	}
	run, err := rundir.Load(path)
	if err != nil {
		return nil, err
	}
	events := func() (io.ReadCloser, error) { return os.Open(run.Events) }
	return &Run{run, path, say.Analyze(run.Trace, analysis.Options{}), events}, nil
}

// Anonymize leaves out of the run what says whose it is.
func (r *Run) Anonymize() (err error) {
	if r.Trace == nil {
		return fmt.Errorf("%s carries its results but not its %s, in which names and paths stand; give the run folder", r.Path, rundir.EventsFile)
	}
	events, err := r.OpenEvents()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	hidden, err := r.Anonymous(events)
	if err != nil {
		return err
	}
	r.Analysis = say.Analyze(r.Trace, analysis.Options{})
	r.OpenEvents = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(hidden)), nil }
	return nil
}

// loadPage reads back what a page carries. If it has the events, they are analysed anew.
func loadPage(path string) (*Run, error) {
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
	if len(events) > 0 {
		if run.Trace, err = trace.Load(bytes.NewReader(events), path); err != nil {
			return nil, fmt.Errorf("load page: %w", err)
		}
		run.Analysis = say.Analyze(run.Trace, analysis.Options{})
		run.OpenEvents = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(events)), nil }
	}
	return run, nil
}
