package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hubbench/hubbench/internal/report/html"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// loadedRun is a run to be analysed or reported, and its analysis.
type loadedRun struct {
	*rundir.Loaded // its Trace is nil if a page was too large to carry its events
	path           string
	analysis       *analysis.Analysis
	events         func() (io.ReadCloser, error) // events.jsonl, for a page to carry
}

// load reads a run: its folder, its events, or a report.html that somebody forwarded.
func load(path string) (*loadedRun, error) {
	if err := checkRun(path); err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(path), ".html") {
		return loadPage(path)
	}
	run, err := rundir.Load(path)
	if err != nil {
		return nil, err
	}
	events := func() (io.ReadCloser, error) { return os.Open(run.Events) }
	return &loadedRun{run, path, say.Analyze(run.Trace, analysis.Options{}), events}, nil
}

// anonymize leaves out of the run what says whose it is.
func (r *loadedRun) anonymize() (err error) {
	if r.Trace == nil {
		return fmt.Errorf("%s carries its results but not its %s, in which names and paths stand; give the run folder", r.path, rundir.EventsFile)
	}
	events, err := r.events()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	hidden, err := r.Anonymous(events)
	if err != nil {
		return err
	}
	r.analysis = say.Analyze(r.Trace, analysis.Options{})
	r.events = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(hidden)), nil }
	return nil
}

// loadPage reads back what a page carries. If it has the events, they are analysed anew.
func loadPage(path string) (*loadedRun, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load page: %w", err)
	}
	defer file.Close()
	events, known, err := html.Read(file)
	if err != nil {
		return nil, fmt.Errorf("load page: %s: %w", path, err)
	}
	run := &loadedRun{Loaded: &rundir.Loaded{Folder: filepath.Dir(path)}, path: path, analysis: known}
	if len(events) > 0 {
		if run.Trace, err = trace.Load(bytes.NewReader(events), path); err != nil {
			return nil, fmt.Errorf("load page: %w", err)
		}
		run.analysis = say.Analyze(run.Trace, analysis.Options{})
		run.events = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(events)), nil }
	}
	return run, nil
}
