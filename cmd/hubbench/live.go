package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/progress"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// watch shows a run's progress on stderr, or nowhere with --quiet.
func watch(p program, opts runOptions, ready *prepared, dir *rundir.Dir) *progress.Progress {
	if opts.quiet {
		return progress.New(io.Discard, progress.Options{Plan: ready.plan})
	}
	events := dir.File(rundir.EventsFile)
	reader := &phaseReader{path: events, plan: ready.plan}
	if stat, err := os.Stat(events); err == nil {
		reader.from = stat.Size()
	}
	shown := progress.Options{Plan: ready.plan, Limit: ready.limit, Conclude: reader.conclude}
	if file, ok := p.stderr.(*os.File); ok && isTerminal(p.stderr) && progress.Sequences(file) {
		shown.Size = func() (columns, rows int) {
			columns, rows, _ = term.GetSize(int(file.Fd())) // zero where it fails: the usual size is taken
			return columns, rows
		}
	}
	return progress.New(p.stderr, shown)
}

// limit is what the hub of simulated disks carries of a phase; 0 where that is not known.
func (r *prepared) limit(phase *scenario.Phase) float64 {
	if r.profile == nil {
		return 0
	}
	reads, writes := false, false
	for i := range phase.Jobs {
		work := hub.WorkOf(r.plan, phase, &phase.Jobs[i])
		if work.Direct {
			return 0 // it is not on the hub
		}
		reads, writes = reads || work.Op == trace.Read, writes || work.Op == trace.Write
	}
	switch c := r.profile.Capacity; {
	case reads && writes:
		return c.Both
	case reads:
		return c.Read
	default:
		return c.Write
	}
}

// phaseReader reads what was recorded of a phase when it has ended, before the next begins.
type phaseReader struct {
	path string // of events.jsonl
	plan *scenario.Plan
	from int64 // where the phase begins
}

// mostRecorded is how much of a phase is analysed while a run waits, in bytes: some tenths of a second.
const mostRecorded = 32 << 20

// conclude says how long a phase took and what it showed. It says nothing where that cannot be had at once.
func (r *phaseReader) conclude(phase string) (took time.Duration, verdict string) {
	file, err := os.Open(r.path)
	if err != nil {
		return 0, ""
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return 0, ""
	}
	from, size := r.from, stat.Size()-r.from
	r.from = stat.Size()
	if size > mostRecorded {
		return 0, ""
	}
	head := r.plan.Event("")
	run, err := trace.Load(io.MultiReader(
		bytes.NewReader(trace.AppendEvent(nil, &head)), io.NewSectionReader(file, from, size)), filepath.Base(r.path))
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
