package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

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
