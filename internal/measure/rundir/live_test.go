package rundir

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/trace"
)

func newLive(t *testing.T, stall time.Duration, say func(string)) *Live {
	t.Helper()
	dir, err := Create(t.TempDir()+"/out", nil)
	check.Must(t, err)
	t.Cleanup(func() { _ = dir.Root.Close() })
	return dir.Live(stall, say)
}

// stick has the disk take nothing more until the test is over.
func stick(t *testing.T, l *Live) {
	t.Helper()
	release := make(chan struct{})
	check.Must(t, l.record.put(1, func() error { <-release; return nil }))
	t.Cleanup(func() {
		close(release)
		<-l.syncs.ended
	})
}

// A results disk that hangs holds up neither who records nor who gives up on it, and is named.
func TestLiveOnADiskThatHangs(t *testing.T) {
	l := newLive(t, time.Hour, func(string) {})
	stick(t, l)
	for i := range 100 {
		check.Must(t, l.Append(trace.Event{Type: trace.EndType, Seq: i}))
	}
	check.Must(t, l.SaveInfo(&Info{}))
	giveUp := make(chan struct{})
	close(giveUp)
	if hang, ok := errors.AsType[*HangError](l.Close(giveUp)); !ok || hang.Folder != l.Path {
		t.Errorf("close: %v, want that %s hangs", hang, l.Path)
	}
}

// By itself it is given up after a while, and whoever goes on recording gets an error.
func TestLiveGivesUp(t *testing.T) {
	l := newLive(t, 3*watch.Every, func(string) {})
	stick(t, l)
	var err error
	select {
	case <-l.GivenUp():
		err = l.Append(trace.Event{Type: trace.EndType})
	case <-time.After(2 * time.Minute):
	}
	if _, ok := errors.AsType[*HangError](err); !ok ||
		!strings.Contains(err.Error(), "results folder "+l.Path+": nothing written for ") {
		t.Errorf("append: %v, want that %s hangs", err, l.Path)
	}
	if closed := l.Close(nil); !errors.Is(closed, err) {
		t.Errorf("close: %v, want %v", closed, err)
	}
}

// After one interrupt it is given up sooner.
func TestLiveHurries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive(t, time.Hour, func(string) {})
		stick(t, l)
		l.Hurry()
		check.Must(t, l.Append(trace.Event{Type: trace.EndType}))
		if _, ok := errors.AsType[*HangError](l.Close(nil)); !ok {
			t.Error("it was not given up")
		}
	})
}

// One that is only busy is not: each write that returns begins a new wait.
func TestLiveOnASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLive(t, 4*watch.Every, func(text string) { t.Errorf("it said %s", text) })
		for range 16 {
			check.Must(t, l.record.put(1, func() error { time.Sleep(watch.Every / 2); return nil }))
		}
		check.Must(t, l.Close(nil))
	})
}

// Events and run.json come to the folder in the order in which they were recorded.
func TestLiveKeepsTheOrder(t *testing.T) {
	l := newLive(t, time.Hour, func(string) {})
	for _, e := range events() {
		check.Must(t, l.Append(e))
	}
	check.Must(t, errors.Join(l.SaveInfo(&Info{Name: "kept", State: life.GettingReady}),
		l.SaveState(life.Measuring), l.Flush(t.Context())))
	if info, err := LoadInfo(l.Path); err != nil || info.Name != "kept" ||
		info.State != life.Measuring {
		t.Errorf("after a flush: %v, %v", info, err)
	}
	check.Must(t, l.Close(nil))
	if run, err := Load(l.Path); err != nil || len(run.Trace.Phases) == 0 {
		t.Errorf("loaded: %v, %v", run, err)
	}
}

// What cannot be written, and more than may wait, are errors, and no event is left out in silence.
func TestWriterRefuses(t *testing.T) {
	w := newWriter(2)
	release := make(chan struct{})
	broken := errors.New("broken")
	for range 2 {
		check.Must(t, w.put(1, func() error { <-release; return broken }))
	}
	if err := w.put(1, nil); !errors.Is(err, errFull) {
		t.Errorf("one more than may wait: %v", err)
	}
	close(release)
	<-w.ended
	if err := w.put(1, nil); !errors.Is(err, broken) {
		t.Errorf("after a failure: %v, want %v", err, broken)
	}
}
