package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Resume opens the folder of a run that was cut off. Whatever lies behind the last whole phase is dropped from
// events.jsonl, so that no phase is half from before and half from after; done is how many phases stay. Where
// none does, the journal begins anew.
func Resume(path string) (dir *Dir, info *Info, done int, err error) {
	if info, err = loadInfo(filepath.Join(path, InfoFile)); err != nil {
		return nil, nil, 0, err
	}
	if info == nil || info.Plan == nil {
		return nil, nil, 0, fmt.Errorf("resume run: %s has no %s with a plan: is it a run folder?", path, InfoFile)
	}
	dir = &Dir{Path: path}
	keep, done, err := whole(dir.File(EventsFile), info)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("resume run: %w", err)
	}
	if err := cut(dir.File(EventsFile), keep); err != nil {
		return nil, nil, 0, fmt.Errorf("resume run: %w", err)
	}
	if dir.Log, err = os.OpenFile(dir.File(LogFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, nil, 0, fmt.Errorf("resume run: %w", err)
	}
	if dir.Journal, err = newJournal(dir.File(EventsFile), 0); err != nil {
		return nil, nil, 0, errors.Join(fmt.Errorf("resume run: %w", err), dir.Log.Close())
	}
	return dir, info, done, nil
}

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
