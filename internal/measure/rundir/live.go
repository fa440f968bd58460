package rundir

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// maxEvents may wait to be written: minutes of millions of small files.
	maxEvents = 1 << 20
	// maxLog is how much of the log may wait, in bytes. What comes then is left out: it must not
	// end a run.
	maxLog = 1 << 20
	// syncEvery is how much of a run a power cut may cost.
	syncEvery = time.Second
	// closeTimeout is how long Close waits once it is to give up.
	closeTimeout = 2 * time.Second
)

// HangError is the error of a folder whose disk accepts no writes.
type HangError struct {
	Folder string
	For    time.Duration
}

func (e *HangError) Error() string {
	return fmt.Sprintf("results folder %s: nothing written for %s: the disk hangs", e.Folder,
		e.For.Round(time.Second))
}

// Live is the folder of a run under way, and never waits for its disk. The events are synced every
// second. If the disk accepts no writes, a person is warned, and in the end Live gives up on it.
type Live struct {
	*Dir
	info        []byte // info is run.json as it was last written.
	record, log *writer
	// syncs also closes: on a slow system disk a sync takes longer than a hub waits.
	syncs *writer
	// silent is in nanoseconds: nothing was written for so long though something waits.
	silent  atomic.Int64
	stall   atomic.Int64  // nanoseconds of silence after which it is given up
	givenUp chan struct{} // givenUp is closed then.
	quit    chan struct{}
	watcher sync.WaitGroup
}

// Live has the folder written to in the background until it is closed. A disk that accepts nothing
// for as long as stall is given up; notify is called before that.
func (d *Dir) Live(stall time.Duration, notify func(text string)) *Live {
	l := &Live{
		Dir: d, record: newWriter(maxEvents), log: newWriter(maxLog), syncs: newWriter(2),
		givenUp: make(chan struct{}), quit: make(chan struct{}),
	}
	l.stall.Store(int64(stall))
	l.watcher.Go(func() { l.watch(notify) })
	return l
}

// GivenUp ends when the disk is given up.
func (l *Live) GivenUp() <-chan struct{} { return l.givenUp }

// Hurry has the disk given up sooner: a person has asked the run to end.
func (l *Live) Hurry() { l.stall.Store(min(l.stall.Load(), int64(watch.After))) }

// watch has the events synced, and checks whether the disk accepts what is to be written.
func (l *Live) watch(notify func(text string)) {
	all := []*writer{l.record, l.log, l.syncs}
	silences, writes := make([]watch.Silence, len(all)), make([]int, len(all))
	tick := time.NewTicker(watch.Every)
	defer tick.Stop()
	told := false // of one of them, which is enough
	for looks := 1; ; looks++ {
		var now time.Time
		select {
		case <-l.quit:
			return
		case now = <-tick.C:
		}
		if syncing, _, _ := l.syncs.state(); !syncing && looks%int(syncEvery/watch.Every) == 0 {
			_ = l.syncs.put(1, func() error { l.sync(); return nil })
		}
		longest := time.Duration(0)
		stall := time.Duration(l.stall.Load())
		for i, w := range all {
			busy, written, _ := w.state()
			if !busy || written != writes[i] {
				silences[i].Moved()
				writes[i] = written
			}
			verdict := silences[i].Look(now, 0, stall)
			longest = max(longest, silences[i].For)
			hang := &HangError{l.Path, silences[i].For}
			switch {
			case verdict == watch.GiveUp:
				l.silent.Store(int64(longest))
				l.record.end(hang)
				close(l.givenUp)
				return
			case verdict == watch.Tell && !told:
				told = true
				notify(fmt.Sprintf("%s, or is very slow; hubbench gives up on it after %s (--stall)",
					hang, stall))
			}
		}
		l.silent.Store(int64(longest))
		told = told && longest >= watch.After
	}
}

// Append records an event.
func (l *Live) Append(e trace.Event) error { return l.AppendLines(trace.AppendEvent(nil, &e)) }

// AppendLines records events, each a line; the lines are its own from then on.
func (l *Live) AppendLines(lines []byte) error {
	err := l.record.put(bytes.Count(lines, []byte{'\n'}), func() error {
		return l.Dir.AppendLines(lines)
	})
	if errors.Is(err, errFull) {
		err = fmt.Errorf("results folder %s: %w: its disk is too slow", l.Path, err)
	}
	return err
}

// SaveInfo writes run.json, after the events before it and before those that follow.
func (l *Live) SaveInfo(info *Info) (err error) {
	if l.info, err = cells.JSON(info); err != nil {
		return fmt.Errorf("write %s: %w", InfoFile, err)
	}
	return l.writeInfo()
}

// SaveState writes run.json as SaveInfo did last, with another state. It hardly computes anything,
// as disks may be measured meanwhile, and a plan may have millions of files.
func (l *Live) SaveState(state life.State) error {
	const key = `"state": "`
	head, rest, _ := bytes.Cut(l.info, []byte(key))
	_, tail, _ := bytes.Cut(rest, []byte{'"'})
	l.info = slices.Concat(head, []byte(key+string(state)+`"`), tail)
	return l.writeInfo()
}

func (l *Live) writeInfo() error {
	data := l.info
	return l.record.put(1, func() error { return l.write(InfoFile, data) })
}

// Write takes a line of the log.
func (l *Live) Write(line []byte) (int, error) {
	line = bytes.Clone(line)
	_ = l.log.put(len(line), func() error {
		_, _ = l.Log.Write(line) // A log that cannot be written must not end a run.
		return nil
	})
	return len(line), nil
}

// Flush waits until what was recorded is written, or could not be, or ctx ends.
func (l *Live) Flush(ctx context.Context) error {
	written := make(chan struct{})
	if err := l.record.put(0, func() error { close(written); return nil }); err != nil {
		return err
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.record.ended:
	case <-l.givenUp:
	}
	_, _, err := l.record.state()
	return err
}

// Close writes what is left and closes the folder, unless the disk is given up meanwhile, or soon
// after giveUp closes.
func (l *Live) Close(giveUp <-chan struct{}) error {
	l.record.end(nil)
	l.log.end(nil)
	go func() {
		<-l.log.ended
		<-l.record.ended
		_, _, err := l.record.state()
		// It waits for one sync at most.
		_ = l.syncs.put(1, func() error { return errors.Join(err, l.Dir.Close()) })
		l.syncs.end(nil)
	}()
	defer l.watcher.Wait()
	defer close(l.quit)
	select {
	case <-l.syncs.ended:
	case <-l.givenUp:
		_, _, err := l.record.state()
		return err
	case <-giveUp:
		select {
		case <-l.syncs.ended:
		case <-time.After(closeTimeout):
			return &HangError{l.Path, max(time.Duration(l.silent.Load()), closeTimeout)}
		}
	}
	_, _, err := l.syncs.state()
	return err
}

// errFull is the error of a writer whose queue is full.
var errFull = errors.New("too much is waiting to be written")

// writer writes in a goroutine of its own, in the order in which it is handed what to write: a disk
// that hangs holds up no one else. An error ends it, and is returned by the next put.
type writer struct {
	mu     sync.Mutex
	wake   sync.Cond // wake says that something was queued, or that it ends.
	queue  []writing
	limit  int  // limit is the sum of sizes that may wait.
	size   int  // size is what waits.
	busy   bool // busy says that something is not written yet.
	writes int  // writes are those that have returned.
	ending bool
	err    error
	ended  chan struct{} // ended is closed when all is written, or an error has ended it.
}

type writing struct {
	size int
	do   func() error
}

func newWriter(limit int) *writer {
	w := &writer{limit: limit, ended: make(chan struct{})}
	w.wake.L = &w.mu
	go w.work()
	return w
}

// put queues something to write, unless too much is waiting already.
func (w *writer) put(size int, do func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.ending:
		return fs.ErrClosed
	case w.size+size > w.limit:
		return errFull
	}
	w.queue, w.size, w.busy = append(w.queue, writing{size, do}), w.size+size, true
	w.wake.Signal()
	return nil
}

func (w *writer) work() {
	defer close(w.ended)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && !w.ending && w.err == nil {
			w.wake.Wait()
		}
		if len(w.queue) == 0 || w.err != nil {
			w.busy = false
			return
		}
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		err := next.do()
		w.mu.Lock()
		w.size -= next.size
		w.busy = len(w.queue) > 0
		w.writes++
		w.err = cmp.Or(w.err, err)
	}
}

// end takes no more. With an error, what is queued is not written.
func (w *writer) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ending = true
	w.err = cmp.Or(w.err, err)
	w.wake.Signal()
}

// state reports whether something waits to be written, how many writes have returned, and what has
// ended it early.
func (w *writer) state() (busy bool, writes int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.busy, w.writes, w.err
}
