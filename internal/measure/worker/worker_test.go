package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fakeEngine moves each file in ten nanoseconds, or does what a test tells it to.
type fakeEngine struct {
	job        wire.Job
	prepareErr error
	transfer   func(ctx context.Context, seq int) error
	releaseNS  int64
	read       int64   // of each file, if the job reads and writes at once
	cached     float64 // the share that the cache holds afterwards; 0: that is not known
	doubts     []string
	closed     chan struct{}
}

func (f *fakeEngine) Prepare(context.Context, func(int64)) (trace.Effective, error) {
	return trace.Effective{Engine: "fake"}, f.prepareErr
}

func (f *fakeEngine) Start(releaseNS int64, _ func(trace.Event)) { f.releaseNS = releaseNS }

func (f *fakeEngine) Transfer(ctx context.Context, seq int, sample diskio.Sampler) (diskio.Span, error) {
	if f.transfer != nil {
		if err := f.transfer(ctx, seq); err != nil {
			return diskio.Span{}, err
		}
	}
	startNS := int64(10 * seq)
	sample(f.job.Sizes[seq]/2, f.read/2, startNS+5)
	return diskio.Span{Bytes: f.job.Sizes[seq], Read: f.read, StartNS: startNS, EndNS: startNS + 10}, nil
}

func (f *fakeEngine) Cached() (float64, bool) { return f.cached, f.cached > 0 }

func (f *fakeEngine) Doubts() []string { return f.doubts }

func (f *fakeEngine) Close() error {
	close(f.closed)
	return nil
}

// coordinatorSide is the other end of a worker under test.
type coordinatorSide struct {
	t      *testing.T
	conn   *wire.Conn
	hangUp func() error
	engine *fakeEngine
	ended  chan error
}

func start(t *testing.T, engine *fakeEngine) *coordinatorSide {
	t.Helper()
	toWorker, coordinatorOut := io.Pipe()
	coordinatorIn, fromWorker := io.Pipe()
	engine.job = wire.Job{Policy: engine.job.Policy, Job: diskio.Job{Phase: "WW", Job: scenario.Job{
		Disk: "A", Role: trace.Write, Sizes: []int64{100, 200}, Reads: engine.job.Reads,
	}}}
	engine.closed = make(chan struct{})
	side := &coordinatorSide{t: t, conn: wire.NewConn(coordinatorIn, coordinatorOut), engine: engine, ended: make(chan error, 1)}
	side.hangUp = func() error { return errors.Join(coordinatorOut.Close(), coordinatorIn.Close()) }
	t.Cleanup(func() { side.hangUp() }) // all that ends the reading of its orders
	go func() {
		newEngine := func(wire.Job, diskio.Hub) (diskio.Engine, error) { return engine, nil }
		side.ended <- Run(context.Background(), wire.NewConn(toWorker, fromWorker), newEngine, zap.NewNop())
	}()
	side.send(wire.Message{Kind: wire.JobKind, Job: &engine.job})
	return side
}

func (s *coordinatorSide) send(m wire.Message) {
	s.t.Helper()
	if err := s.conn.Send(m); err != nil {
		s.t.Fatal(err)
	}
}

// until reads up to the first message of a kind; events go to the result, signs of life are skipped.
func (s *coordinatorSide) until(kind wire.Kind) (wire.Message, []trace.Event) {
	s.t.Helper()
	var events []trace.Event
	for {
		m, err := s.conn.Receive()
		if err != nil {
			s.t.Fatalf("waiting for %s: %v", kind, err)
		}
		lines := trace.NewReader(bytes.NewReader(m.Lines), "events")
		for lines.Next() {
			events = append(events, *lines.Event())
		}
		if err := lines.Err(); err != nil {
			s.t.Fatal(err)
		}
		if m.Kind == kind {
			return m, events
		}
	}
}

// released has the worker do its job to the end.
func (s *coordinatorSide) released() (wire.Message, []trace.Event) {
	s.t.Helper()
	s.until(wire.ReadyKind)
	s.send(wire.Message{Kind: wire.ReleaseKind, AtNS: clock.Now()})
	done, events := s.until(wire.DoneKind)
	s.end()
	return done, events
}

func (s *coordinatorSide) end() {
	s.t.Helper()
	select {
	case <-s.engine.closed:
	case <-time.After(10 * time.Second):
		s.t.Fatal("the engine was not closed")
	}
	if err := <-s.ended; err != nil {
		s.t.Errorf("worker ended with %v", err)
	}
}

func TestRun(t *testing.T) {
	side := start(t, &fakeEngine{})
	ready, _ := side.until(wire.ReadyKind)
	if got := ready.Effective.Engine; got != "fake" {
		t.Errorf("got engine %q, want fake", got)
	}
	atNS := clock.Now() + 1e6
	side.send(wire.Message{Kind: wire.ReleaseKind, AtNS: atNS})
	done, events := side.until(wire.DoneKind)
	if done.Error != "" {
		t.Errorf("got %q, want no error", done.Error)
	}
	side.end()
	if side.engine.releaseNS != atNS {
		t.Errorf("engine started at %d, want %d", side.engine.releaseNS, atNS)
	}
	want := []trace.Event{
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 0, Bytes: 50, TNS: 5},
		{Type: trace.StartType, Phase: "WW", Disk: "A"},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Write, Seq: 0, Bytes: 100, StartNS: 0, EndNS: 10},
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 1, Bytes: 100, TNS: 15},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Write, Seq: 1, Bytes: 200, StartNS: 10, EndNS: 20},
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(trace.Event{}, "LateNS")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if late := events[1].LateNS; late < 0 {
		t.Errorf("started %d ns before the release", -late)
	}
}

// A job that reads and writes at once reports each direction by itself.
func TestBothDirections(t *testing.T) {
	engine := &fakeEngine{read: 40}
	engine.job.Reads = 0.4
	side := start(t, engine)
	_, events := side.released()
	want := []trace.Event{
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 0, Bytes: 20, TNS: 5},
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 1, Bytes: 30, TNS: 5},
		{Type: trace.StartType, Phase: "WW", Disk: "A"},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Read, Seq: 0, Bytes: 40, StartNS: 0, EndNS: 10},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Write, Seq: 1, Bytes: 60, StartNS: 0, EndNS: 10},
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 2, Bytes: 20, TNS: 15},
		{Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: 3, Bytes: 80, TNS: 15},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Read, Seq: 2, Bytes: 40, StartNS: 10, EndNS: 20},
		{Type: trace.FileType, Phase: "WW", Disk: "A", Op: trace.Write, Seq: 3, Bytes: 160, StartNS: 10, EndNS: 20},
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(trace.Event{}, "LateNS")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A job past the cache whose files are found in it did not go past it: the number says so, and so does the mode.
func TestWhatTheCacheHeld(t *testing.T) {
	for _, tt := range []struct {
		share float64
		mode  string // as told at the end; empty: as it was
	}{{0.43, "cached"}, {0.001, ""}} {
		side := start(t, &fakeEngine{cached: tt.share})
		done, events := side.released()
		last := events[len(events)-1]
		if last.Type != trace.GaugeType || last.Name != trace.CachedShare || last.Disk != "A" || last.Phase != "WW" || last.Value != tt.share || last.TNS <= 0 {
			t.Errorf("got last event %+v, want the cached share %v of A in WW", last, tt.share)
		}
		var mode string
		if done.Effective != nil {
			mode = done.Effective.Cache
		}
		if mode != tt.mode {
			t.Errorf("%v: got cache %q, want %q", tt.share, mode, tt.mode)
		}
	}
	side := start(t, &fakeEngine{cached: 0.43, transfer: func(context.Context, int) error { return errors.New("disk on fire") }})
	if done, _ := side.released(); done.Effective != nil {
		t.Error("the cache was looked at after a failure")
	}
}

// What came up in the course of the job is reported at its end, whether it went well or not.
func TestDoubts(t *testing.T) {
	for _, err := range []error{nil, errors.New("disk on fire")} {
		side := start(t, &fakeEngine{doubts: []string{"no space was reserved"}, transfer: func(context.Context, int) error { return err }})
		done, _ := side.released()
		want := &trace.Effective{Engine: "fake", Warnings: []string{"no space was reserved"}}
		if diff := cmp.Diff(want, done.Effective); diff != "" {
			t.Errorf("job that ended with %v (-want +got):\n%s", err, diff)
		}
	}
}

func TestFailures(t *testing.T) {
	disk := errors.New("disk on fire")
	t.Run("getting ready", func(t *testing.T) {
		side := start(t, &fakeEngine{prepareErr: disk})
		done, _ := side.until(wire.DoneKind)
		if done.Error != disk.Error() {
			t.Errorf("got %q, want %q", done.Error, disk)
		}
		side.end()
	})
	t.Run("in the middle", func(t *testing.T) {
		side := start(t, &fakeEngine{transfer: func(_ context.Context, seq int) error {
			if seq == 1 {
				return disk
			}
			return nil
		}})
		done, events := side.released()
		if done.Error != disk.Error() {
			t.Errorf("got %q, want %q", done.Error, disk)
		}
		last := events[len(events)-1]
		if last.Type != trace.ErrorType || last.Seq != 1 || last.Error != disk.Error() {
			t.Errorf("got last event %+v, want the error of file 1", last)
		}
	})
}

// untilCancelled is a transfer that only the end of its context ends.
func untilCancelled(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestEndsEarly(t *testing.T) {
	t.Run("told to stop", func(t *testing.T) {
		side := start(t, &fakeEngine{transfer: untilCancelled})
		side.until(wire.ReadyKind)
		side.send(wire.Message{Kind: wire.ReleaseKind, AtNS: clock.Now()})
		side.send(wire.Message{Kind: wire.StopKind})
		done, events := side.until(wire.DoneKind)
		if done.Error != errStopped.Error() {
			t.Errorf("got %q, want %q", done.Error, errStopped)
		}
		for _, e := range events {
			if e.Type == trace.ErrorType {
				t.Errorf("a stop was reported as an error: %+v", e)
			}
		}
		side.end()
	})
	t.Run("at the limit", func(t *testing.T) {
		side := start(t, &fakeEngine{job: wire.Job{Policy: policy.Policy{Limit: time.Millisecond}}, transfer: untilCancelled})
		if done, _ := side.released(); done.Error != "" {
			t.Errorf("got %q, want no error", done.Error)
		}
	})
	t.Run("stopped before the release", func(t *testing.T) {
		side := start(t, &fakeEngine{})
		side.until(wire.ReadyKind)
		side.send(wire.Message{Kind: wire.StopKind})
		side.until(wire.DoneKind)
		side.end()
	})
	t.Run("coordinator gone", func(t *testing.T) {
		side := start(t, &fakeEngine{transfer: untilCancelled})
		side.until(wire.ReadyKind)
		side.send(wire.Message{Kind: wire.ReleaseKind, AtNS: clock.Now()})
		if err := side.hangUp(); err != nil {
			t.Fatal(err)
		}
		side.end()
	})
}

func TestRefusesOtherTalk(t *testing.T) {
	toWorker, out := io.Pipe()
	go func() { _ = wire.NewConn(nil, out).Send(wire.Message{Kind: wire.StopKind}) }()
	err := Run(context.Background(), wire.NewConn(toWorker, io.Discard), nil, zap.NewNop())
	if err == nil {
		t.Error("a worker without a job did not complain")
	}
}

// Only what has moved counts as movement: a disk that hangs in a request still has a worker that lives and a clock.
func TestMoved(t *testing.T) {
	at := trace.Event{Type: trace.ProgressType, Phase: "W", Disk: "A", Seq: 1, Bytes: 5, TNS: 1}
	later := at
	later.TNS = 2
	for name, tt := range map[string]struct {
		events []trace.Event
		want   bool
	}{
		"a file":            {[]trace.Event{{Type: trace.FileType}}, true},
		"an error":          {[]trace.Event{{Type: trace.ErrorType}}, true},
		"bytes":             {[]trace.Event{at}, true},
		"another file":      {[]trace.Event{{Type: trace.ProgressType, Seq: 1}}, true},
		"time alone":        {[]trace.Event{{Type: trace.ProgressType, TNS: 9}}, false},
		"streams, and time": {[]trace.Event{{Type: trace.StreamType, TNS: 1}, {Type: trace.LatencyType, TNS: 1}}, false},
		"bytes, then time":  {[]trace.Event{at, later}, true},
	} {
		var pipe bytes.Buffer
		w := worker{conn: wire.NewConn(&pipe, &pipe), events: make(chan trace.Event, len(tt.events))}
		for _, e := range tt.events {
			w.events <- e
		}
		close(w.events)
		w.drain()
		if m, err := w.conn.Receive(); err != nil || m.Moved != tt.want {
			t.Errorf("%s: %v, %v, want %v", name, m.Moved, err, tt.want)
		}
	}
}
