package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hubbench/hubbench/pkg/search"
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
	rest, err := resume(path)
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	return rest, nil
}

func resume(path string) (*Unfinished, error) {
	info, err := LoadInfo(path)
	if err != nil {
		return nil, err
	}
	if info == nil || info.Plan == nil {
		return nil, fmt.Errorf("%s has no %s with a plan: is it a run folder?", path, InfoFile)
	}
	if err := info.Plan.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(path, InfoFile), err)
	}
	r := &Unfinished{Info: info, dir: &Dir{Path: path}}
	if r.dir.Journal, err = newJournal(path, 0); err != nil {
		return nil, err
	}
	past := &past{plan: info.Plan}
	if r.keep, err = past.read(r.dir.File(EventsFile)); err != nil {
		return nil, errors.Join(err, r.dir.Journal.Close())
	}
	r.Done, r.Tried = past.done, past.tried
	return r, nil
}

// Open drops from the events whatever lies behind the last complete phase, so that no phase is half from before and half
// from after, and gives the folder to go on with. If no phase is complete, the journal begins again.
func (r *Unfinished) Open() (*Dir, error) {
	err := errors.Join(RemoveParts(r.dir.Path), truncateLines(r.dir.Path, r.keep))
	if stat, statErr := os.Stat(r.dir.File(EventsFile)); statErr == nil {
		r.dir.Begun = stat.Size()
	}
	if err == nil {
		r.dir.Log, err = openInside(r.dir.Path, LogFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume run: %w", err), r.dir.Journal.Close())
	}
	return r.dir, nil
}

// Close leaves a run that is not resumed after all as it is.
func (r *Unfinished) Close() error { return r.dir.Journal.Close() }

// truncateLines shortens a run's events to keep bytes, and makes sure that what is appended begins a line.
func truncateLines(dir string, keep int64) error {
	file, err := openInside(dir, EventsFile, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := file.Truncate(keep); err != nil || keep == 0 {
		return errors.Join(err, file.Close())
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, keep-1); err != nil {
		return errors.Join(err, file.Close())
	}
	if last[0] != '\n' {
		_, err = file.WriteAt([]byte{'\n'}, keep)
	}
	return errors.Join(err, file.Close())
}
