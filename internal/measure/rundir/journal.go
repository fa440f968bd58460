package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/trace"
)

// syncEvery is how much of a run a power cut may cost.
const syncEvery = time.Second

// Journal appends events to events.jsonl. What was appended is handed to the system at once, so that
// not even kill -9 loses it, and synced to the medium every second.
type Journal struct {
	file  *os.File
	buf   []byte
	dirty atomic.Bool
	quit  chan struct{}
	ticks sync.WaitGroup
	syncs *writer // beside the run: on a slow system disk a sync takes longer than a hub waits
}

// newJournal appends to the events of a run's folder, which flag says more about (os.O_EXCL if they must be new), and
// holds them: no other process may write to the run.
func newJournal(dir string, flag int) (*Journal, error) {
	file, err := openInside(dir, EventsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND|flag)
	if err != nil {
		return nil, err
	}
	if err := filesystem.Lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(dir, EventsFile), err), file.Close())
	}
	j := &Journal{file: file, quit: make(chan struct{}), syncs: newWriter(1)}
	j.ticks.Go(j.keepSynced)
	return j, nil
}

// Append writes events, each a line, in one call. It is not safe for concurrent use.
func (j *Journal) Append(events ...trace.Event) error {
	j.buf = j.buf[:0]
	for i := range events {
		j.buf = trace.AppendEvent(j.buf, &events[i])
	}
	if _, err := j.file.Write(j.buf); err != nil {
		return fmt.Errorf("write %s: %w", EventsFile, err)
	}
	j.dirty.Store(true)
	return nil
}

// keepSynced has what was written synced, one sync at a time.
func (j *Journal) keepSynced() {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if j.dirty.Load() {
				_ = j.syncs.put(1, j.sync) // if the last one is still under way, the next tick comes
			}
		case <-j.quit:
			return
		}
	}
}

func (j *Journal) sync() error {
	j.dirty.Store(false)
	return filesystem.Sync(j.file)
}

// Close syncs what is left.
func (j *Journal) Close() error {
	close(j.quit)
	j.ticks.Wait()
	j.syncs.end(nil)
	<-j.syncs.ended
	_, _, err := j.syncs.state()
	if err := errors.Join(err, filesystem.Sync(j.file), j.file.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", EventsFile, err)
	}
	return nil
}
