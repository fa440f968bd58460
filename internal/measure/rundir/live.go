package rundir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// maxEvents may wait to be written: minutes of millions of small files.
	maxEvents = 1 << 20
	// maxLog is how much of the log may wait, in bytes. What comes then is left out: it must not end a run.
	maxLog = 1 << 20
	// SayAfter is how long a disk may hang before a person is warned.
	SayAfter = 8 * time.Second
	// lookEvery is how often progress in writing is checked.
	lookEvery = 250 * time.Millisecond
	// closeTimeout is how long Close waits once it is to give up.
	closeTimeout = 2 * time.Second
)

// HangError is the error of a folder whose disk accepts no writes.
type HangError struct {
	Folder string
	For    time.Duration
}

func (e *HangError) Error() string {
	return fmt.Sprintf("results folder %s: nothing written for %s: the disk hangs", e.Folder, e.For.Round(time.Second))
}

// Live is the folder of a run under way, and never waits for its disk. If the disk accepts no writes, a person is
// warned, and in the end Live gives up on it.
type Live struct {
	*Dir
	record, log *writer
	closer      *writer
	silent      atomic.Int64  // nanoseconds for which nothing was written though something waits
	givenUp     chan struct{} // closed then
	quit        chan struct{}
	watcher     sync.WaitGroup
}

// Live has the folder written to in the background until it is closed. A disk that accepts nothing for as long as stall is given
// up; say is called before that.
func (d *Dir) Live(stall time.Duration, say func(text string)) *Live {
	l := &Live{Dir: d, record: newWriter(maxEvents), log: newWriter(maxLog), closer: newWriter(1), givenUp: make(chan struct{}), quit: make(chan struct{})}
	l.watcher.Go(func() { l.watch(stall, say) })
	return l
}

// GivenUp ends when the disk is given up.
func (l *Live) GivenUp() <-chan struct{} { return l.givenUp }

// watch checks whether the disk accepts what is to be written. It counts its own looks: while this process itself stands still,
// so does everything.
func (l *Live) watch(stall time.Duration, say func(text string)) {
	all := []*writer{l.record, l.log, l.closer, l.Journal.syncs}
	silent, writes := make([]time.Duration, len(all)), make([]int, len(all))
	for warned := false; ; {
		select {
		case <-l.quit:
			return
		case <-time.After(lookEvery):
		}
		for i, w := range all {
			busy, now, _ := w.state()
			if silent[i] += lookEvery; !busy || now != writes[i] {
				silent[i], writes[i] = 0, now
			}
		}
		longest := slices.Max(silent)
		l.silent.Store(int64(longest))
		hang := &HangError{l.Path, longest}
		switch {
		case longest >= stall:
			l.record.end(hang)
			close(l.givenUp)
			return
		case longest < SayAfter:
			warned = false
		case !warned:
			warned = true
			say(fmt.Sprintf("%s, or is very slow; hubbench gives up on it after %s (--stall)", hang, stall))
		}
	}
}

// Append records events.
func (l *Live) Append(events ...trace.Event) error {
	events = slices.Clone(events)
	err := l.record.put(len(events), func() error { return l.Journal.Append(events...) })
	if errors.Is(err, errFull) {
		err = fmt.Errorf("results folder %s: %w: its disk is too slow", l.Path, err)
	}
	return err
}

// SaveInfo writes run.json, after the events before it and before those that follow.
func (l *Live) SaveInfo(info *Info) error {
	data, err := encodeJSON(info)
	if err != nil {
		return fmt.Errorf("write %s: %w", InfoFile, err)
	}
	return l.record.put(1, func() error { return l.write(InfoFile, data) })
}

// Write takes a line of the log.
func (l *Live) Write(line []byte) (int, error) {
	line = bytes.Clone(line)
	_ = l.log.put(len(line), func() error {
		_, _ = l.Log.Write(line) // a log that cannot be written must not end a run
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

// Close writes what is left and closes the folder, unless the disk is given up meanwhile, or soon after giveUp closes.
func (l *Live) Close(giveUp <-chan struct{}) error {
	l.record.end(nil)
	l.log.end(nil)
	go func() {
		<-l.log.ended
		<-l.record.ended
		_, _, err := l.record.state()
		_ = l.closer.put(1, func() error { return errors.Join(err, l.Dir.Close()) }) // its first and last
		l.closer.end(nil)
	}()
	defer l.watcher.Wait()
	defer close(l.quit)
	select {
	case <-l.closer.ended:
	case <-l.givenUp:
		_, _, err := l.record.state()
		return err
	case <-giveUp:
		select {
		case <-l.closer.ended:
		case <-time.After(closeTimeout):
			return &HangError{l.Path, max(time.Duration(l.silent.Load()), closeTimeout)}
		}
	}
	_, _, err := l.closer.state()
	return err
}
