package rundir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/internal/filelock"
	"github.com/hubbench/hubbench/internal/filesync"
	"github.com/hubbench/hubbench/pkg/trace"
)

// syncEvery is how much of a run a power cut may cost.
const syncEvery = time.Second

// Journal appends events to events.jsonl. What was appended is handed to the system at once, so that
// not even kill -9 loses it, and synced to the medium every second.
type Journal struct {
	file   *os.File
	buf    []byte
	dirty  atomic.Bool
	quit   chan struct{}
	syncer sync.WaitGroup
	failed error // of the syncer; read after it ended
}

// newJournal appends to the events of a run's folder, which flag says more about (os.O_EXCL where they must be new), and
// holds them: no other process may write to the run.
func newJournal(dir string, flag int) (*Journal, error) {
	file, err := openInside(dir, EventsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND|flag)
	if err != nil {
		return nil, err
	}
	if err := filelock.Take(file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(dir, EventsFile), err), file.Close())
	}
	j := &Journal{file: file, quit: make(chan struct{})}
	j.syncer.Go(j.keepSynced)
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

// keepSynced syncs beside the run: on a slow system disk a sync takes longer than a hub waits.
func (j *Journal) keepSynced() {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if j.dirty.Swap(false) {
				if err := filesync.Sync(j.file); err != nil {
					j.failed = err
				}
			}
		case <-j.quit:
			return
		}
	}
}

// Close syncs what is left.
func (j *Journal) Close() error {
	close(j.quit)
	j.syncer.Wait()
	if err := errors.Join(j.failed, filesync.Sync(j.file), j.file.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", EventsFile, err)
	}
	return nil
}
