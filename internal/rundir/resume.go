package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Rest is what is left to do of a run that was cut off.
type Rest struct {
	Info *Info
	Done int // phases that are whole
	dir  *Dir
	keep int64 // bytes of the events up to the end of the last of them
}

// Resume takes the folder of a run that was cut off, unless it is still going on. Nothing is changed yet.
func Resume(path string) (*Rest, error) {
	rest, err := resume(path)
	if err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	return rest, nil
}

func resume(path string) (*Rest, error) {
	info, err := loadInfo(filepath.Join(path, InfoFile))
	if err != nil {
		return nil, err
	}
	if info == nil || info.Plan == nil {
		return nil, fmt.Errorf("%s has no %s with a plan: is it a run folder?", path, InfoFile)
	}
	r := &Rest{Info: info, dir: &Dir{Path: path}}
	if r.dir.Journal, err = newJournal(r.dir.File(EventsFile), 0); err != nil {
		return nil, err
	}
	if r.keep, r.Done, err = whole(r.dir.File(EventsFile), info); err != nil {
		return nil, errors.Join(err, r.dir.Journal.Close())
	}
	return r, nil
}

// Open drops from the events whatever lies behind the last whole phase, so that no phase is half from before and half
// from after, and gives the folder to go on with. Where no phase is whole, the journal begins anew.
func (r *Rest) Open() (*Dir, error) {
	err := cut(r.dir.File(EventsFile), r.keep)
	if err == nil {
		r.dir.Log, err = os.OpenFile(r.dir.File(LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume run: %w", err), r.dir.Journal.Close())
	}
	return r.dir, nil
}

// Close lets go of a run that is not resumed after all.
func (r *Rest) Close() error { return r.dir.Journal.Close() }

// cut shortens a file of lines to keep bytes, and sees that what is appended begins a line.
func cut(path string, keep int64) error {
	if err := os.Truncate(path, keep); err != nil || keep == 0 {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
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

// whole finds the end of the last whole phase: how many bytes of the events file stay, and how many phases. The
// phases must be those of the plan, in its order.
func whole(path string, info *Info) (keep int64, done int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	r := trace.NewReader(file, path)
	for r.Next() {
		e := r.Event()
		if e.Type == trace.PhaseEndType {
			if done >= len(info.Plan.Phases) || info.Plan.Phases[done].Name != e.Phase {
				return 0, 0, fmt.Errorf("%s: phase %s is not the plan's next: the plan and the events are of different runs", path, e.Phase)
			}
			if e.Status != trace.Complete {
				return keep, done, nil
			}
			keep, done = r.Offset(), done+1
		}
	}
	// A bad line is where a crash tore the file: what follows it is dropped too. A disk that cannot be read is not.
	if disk := (*fs.PathError)(nil); errors.As(r.Err(), &disk) {
		return 0, 0, r.Err()
	}
	return keep, done, nil
}
