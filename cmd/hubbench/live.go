package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/prepare"
	"github.com/hubbench/hubbench/internal/progress"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// watch shows a run's progress on stderr, or nowhere with --quiet.
func watch(p program, opts runOptions, ready *prepare.Ready, reader *phaseReader) *progress.Progress {
	if opts.quiet {
		return progress.New(io.Discard, progress.Options{Plan: ready.Plan, Tell: func(text string) { sayf(p.stderr, "warning: %s\n", text) }})
	}
	limit := func(phase *scenario.Phase) float64 { return forecast.Limit(ready.Plan, ready.Profile, phase) }
	shown := progress.Options{Plan: ready.Plan, Limit: limit, Conclude: reader.conclude}
	if file, ok := p.stderr.(*os.File); ok && isTerminal(p.stderr) && progress.Sequences(file) {
		shown.Size = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(file.Fd())) // zero if it fails: the usual size is taken
			return columns, rows
		}
	}
	return progress.New(p.stderr, shown)
}

// phaseReader reads what was recorded of a phase when it has ended, before the next begins.
type phaseReader struct {
	dir  *rundir.Live
	plan *scenario.Plan
	from int64 // where the phase begins
}

// maxRecorded is how much of a phase is analysed while a run waits, in bytes: some tenths of a second.
const maxRecorded = 32 << 20

// concludeTimeout is how long a run waits for what was recorded of a phase.
const concludeTimeout = 3 * time.Second

// conclude says how long a phase took and what it showed. It says nothing if that cannot be had at once.
func (r *phaseReader) conclude(phase string) (took time.Duration, verdict string) {
	ctx, cancel := context.WithTimeout(context.Background(), concludeTimeout)
	defer cancel()
	type recorded struct {
		text []byte
		end  int64
	}
	found := make(chan recorded, 1)
	go func(from int64) { // which a disk that hangs may hold
		if r.dir.Flush(ctx) == nil {
			text, end := recordedFrom(r.dir.File(rundir.EventsFile), from)
			found <- recorded{text, end}
		}
	}(r.from)
	select {
	case now := <-found:
		began := r.from > 0
		r.from = now.end
		return r.judge(phase, now.text, began)
	case <-ctx.Done():
		return 0, ""
	}
}

// recordedFrom is what a file holds from a place on, if that is not too much, and its end.
func recordedFrom(path string, from int64) (text []byte, end int64) {
	file, err := os.Open(path)
	if err != nil {
		return nil, from
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, from
	}
	if stat.Size()-from <= maxRecorded {
		text, _ = io.ReadAll(io.NewSectionReader(file, from, stat.Size()-from)) // what is not there is not judged
	}
	return text, stat.Size()
}

// judge says how long a phase took and what it showed, from what was recorded since the phase before, or since the run began.
func (r *phaseReader) judge(phase string, text []byte, began bool) (took time.Duration, verdict string) {
	var head []byte
	if began {
		event := r.plan.Event("")
		head = trace.AppendEvent(nil, &event)
	}
	run, err := trace.Load(io.MultiReader(bytes.NewReader(head), bytes.NewReader(text)), rundir.EventsFile)
	if err != nil {
		return 0, ""
	}
	for _, t := range run.Phases {
		if t.Name != phase {
			continue
		}
		for _, d := range t.Disks {
			for i := range d.Files {
				took = max(took, time.Duration(d.Files[i].EndNS))
			}
		}
		run.Phases = []*trace.Phase{t} // the end of the phase before is here too
		return took, say.Progress(&say.Analyze(run, analysis.Options{}).Phases[0])
	}
	return 0, ""
}
