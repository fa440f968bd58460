package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/progress"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// watch shows a run's progress on stderr, or nowhere with --quiet.
func watch(p program, opts runOptions, ready *prepare.Ready, reader *recorded.Reader) *progress.Progress {
	if opts.quiet {
		return progress.New(io.Discard, progress.Options{Plan: ready.Plan, Tell: func(text string) { sayf(p.stderr, "warning: %s\n", text) }})
	}
	limit := func(phase *scenario.Phase) float64 { return forecast.Limit(ready.Plan, ready.Profile, phase) }
	shown := progress.Options{Plan: ready.Plan, Limit: limit, Conclude: reader.Conclude}
	if file, ok := p.stderr.(*os.File); ok && isTerminal(p.stderr) && progress.Sequences(file) {
		shown.Size = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(file.Fd())) // zero if it fails: the usual size is taken
			return columns, rows
		}
	}
	return progress.New(p.stderr, shown)
}
