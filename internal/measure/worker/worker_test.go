package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine moves each file in ten nanoseconds, or does what a test tells it to.
type fakeEngine struct {
	job        wire.Assignment
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

func (f *fakeEngine) Transfer(ctx context.Context, seq int,
	sample diskio.Sampler) (diskio.Span, error) {
	if f.transfer != nil {
		if err := f.transfer(ctx, seq); err != nil {
			return diskio.Span{}, err
		}
	}
	startNS := int64(10 * seq)
	sample(f.job.Sizes[seq]/2, f.read/2, startNS+5)
	return diskio.Span{Bytes: f.job.Sizes[seq], Read: f.read, StartNS: startNS,
		EndNS: startNS + 10}, nil
}

func (f *fakeEngine) Cached() (float64, bool) { return f.cached, f.cached > 0 }

func (f *fakeEngine) LateWarnings() []string { return f.doubts }

func (f *fakeEngine) Close() error {
	close(f.closed)
	return nil
}

// coordinatorSide is the other end of a worker under test.
type coordinatorSide struct {
	t      *testing.T
	conn   *wire.Conn
	out    io.Writer // out is what conn sends to.
	hangUp func() error
	engine *fakeEngine
	disk   string // disk has a test folder of the run.
	ended  chan error
}

const runID = "r1"

func begin(t *testing.T, engine *fakeEngine) *coordinatorSide {
	t.Helper()
	toWorker, coordinatorOut := io.Pipe()
	coordinatorIn, fromWorker := io.Pipe()
	job := scenario.Job{
		Disk: "A", Role: trace.Write, Sizes: []int64{100, 200}, Reads: engine.job.Reads,
	}
	engine.job.Job = diskio.Job{Phase: "WW", Job: job}
	engine.closed = make(chan struct{})
	side := &coordinatorSide{
		t: t, conn: wire.NewConn(coordinatorIn, coordinatorOut), out: coordinatorOut, engine: engine,
		ended: make(chan error, 1),
	}
	side.disk = t.TempDir()
	check.Must(t, testfolder.Mark(side.disk, runID))
	side.hangUp = func() error { return errors.Join(coordinatorOut.Close(), coordinatorIn.Close()) }
	t.Cleanup(func() { side.hangUp() }) // all that ends the reading of its orders
	go func() {
		newEngine := func(wire.Assignment, Mover) (diskio.Engine, error) { return engine, nil }
		side.ended <- Run(context.Background(), wire.NewConn(toWorker, fromWorker), runID,
			[]string{side.disk}, newEngine, zap.NewNop())
	}()
	return side
}

// start starts a worker, and gives it its job.
func start(t *testing.T, engine *fakeEngine) *coordinatorSide {
	side := begin(t, engine)
	side.send(wire.Message{Kind: wire.JobKind, Job: &engine.job})
	return side
}

func (s *coordinatorSide) send(m wire.Message) {
	s.t.Helper()
	check.Must(s.t, s.conn.Send(m))
}

// until reads up to the first message of a kind; events go to the result, signs of life are
// skipped.
func (s *coordinatorSide) until(kind wire.MessageKind) (wire.Message, []trace.Event) {
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
		check.Must(s.t, lines.Err())
		if m.Kind == kind {
			return m, events
		}
	}
}

// end lets the worker go, which leaves the test folder to the next phase, or the clean-up process.
func (s *coordinatorSide) end() {
	s.t.Helper()
	s.send(wire.Message{Kind: wire.LeaveKind})
	select {
	case <-s.engine.closed:
	case <-time.After(2 * time.Minute):
		s.t.Fatal("the engine was not closed")
	}
	if err := <-s.ended; err != nil || !testfolder.Marked(s.disk, runID) {
		s.t.Errorf("worker ended with %v; its folder is there: %t", err,
			testfolder.Marked(s.disk, runID))
	}
}

// A job reports what it moves as it is moved; one that reads and writes at once, each direction by
// itself.
func TestRun(t *testing.T) {
	progress := func(seq int, bytes, tNS int64) trace.Event {
		return trace.Event{
			Type: trace.ProgressType, Phase: "WW", Disk: "A", Seq: seq, Bytes: bytes, TNS: tNS,
		}
	}
	file := func(op trace.Role, seq int, bytes, startNS int64) trace.Event {
		return trace.Event{Type: trace.FileType, Phase: "WW", Disk: "A", Op: op, Seq: seq,
			Bytes:   bytes,
			StartNS: startNS, EndNS: startNS + 10}
	}
	begin := trace.Event{Type: trace.StartType, Phase: "WW", Disk: "A"}
	for reads, want := range map[float64][]trace.Event{
		0: {
			progress(0, 50, 5), begin, file(trace.Write, 0, 100, 0), progress(1, 100, 15),
			file(trace.Write, 1, 200, 10),
		},
		0.4: {
			progress(0, 20, 5), progress(1, 30, 5), begin, file(trace.Read, 0, 40, 0),
			file(trace.Write, 1, 60, 0),
			progress(2, 20, 15), progress(3, 80, 15), file(trace.Read, 2, 40, 10),
			file(trace.Write, 3, 160, 10),
		},
	} {
		engine := &fakeEngine{read: int64(100 * reads)}
		engine.job.Reads = reads
		side := start(t, engine)
		ready, _ := side.until(wire.ReadyKind)
		check.Same(t, "engine", "fake", ready.Effective.Engine)
		atNS := clock.Now() + 1e6
		side.send(wire.Message{Kind: wire.ReleaseKind, AtNS: atNS})
		done, events := side.until(wire.DoneKind)
		check.Same(t, "error", "", done.Error)
		side.end()
		check.Same(t, "instant at which the engine started", atNS, engine.releaseNS)
		check.Same(t, fmt.Sprintf("events of a job that reads %v", reads), want, events,
			cmpopts.IgnoreFields(trace.Event{}, "LateNS"))
		for _, e := range events {
			if e.LateNS < 0 {
				t.Errorf("started %d ns before the release", -e.LateNS)
			}
		}
	}
}

// untilCancelled is a transfer that only the end of its context ends.
func untilCancelled(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

// However a job ends, its worker reports that and closes the engine.
func TestEnds(t *testing.T) {
	disk, doubts := errors.New("disk on fire"), []string{"no space was reserved"}
	fails := func(_ context.Context, seq int) error {
		if seq == 1 {
			return disk
		}
		return nil
	}
	failed := trace.Event{
		Type: trace.ErrorType, Phase: "WW", Disk: "A", Seq: 1, Error: disk.Error(),
	}
	cached := func(share float64) trace.Event {
		return trace.Event{
			Type: trace.GaugeType, Phase: "WW", Disk: "A", Name: trace.CachedShare, Value: share,
		}
	}
	released := []wire.MessageKind{wire.ReleaseKind}
	for _, tt := range []struct {
		name      string
		engine    fakeEngine
		told      []wire.MessageKind // when it is ready
		err       string
		effective *trace.Effective // if it is not what it was when ready
		event     trace.Event      // beside its files' start, progress and end
	}{
		{name: "getting ready fails", engine: fakeEngine{prepareErr: disk}, err: disk.Error()},
		{name: "a transfer fails", engine: fakeEngine{transfer: fails}, told: released,
			err: disk.Error(), event: failed},
		{name: "the cache is not looked at after a failure",
			engine: fakeEngine{transfer: fails, cached: 0.43},
			told:   released, err: disk.Error(), event: failed},
		// A job past the cache whose files are found in it did not go past it: the number says so,
		// and so does the mode.
		{name: "found in the cache", engine: fakeEngine{cached: 0.43}, told: released,
			effective: &trace.Effective{Engine: "fake", Cache: "cached"}, event: cached(0.43)},
		{name: "a little in the cache", engine: fakeEngine{cached: 0.001}, told: released,
			event: cached(0.001)},
		{name: "doubts", engine: fakeEngine{doubts: doubts}, told: released,
			effective: &trace.Effective{Engine: "fake", Warnings: doubts}},
		{name: "doubts of a job that fails", engine: fakeEngine{doubts: doubts, transfer: fails},
			told: released,
			err:  disk.Error(), effective: &trace.Effective{Engine: "fake", Warnings: doubts},
			event: failed},
		{name: "told to stop", engine: fakeEngine{transfer: untilCancelled},
			told: []wire.MessageKind{wire.ReleaseKind, wire.StopKind}, err: errStopped.Error()},
		{name: "stopped before the release", told: []wire.MessageKind{wire.StopKind},
			err: errStopped.Error()},
		{name: "at the limit", engine: fakeEngine{transfer: untilCancelled,
			job: wire.Assignment{Policy: policy.Policy{Limit: time.Millisecond}}}, told: released},
	} {
		t.Run(tt.name, func(t *testing.T) {
			side := start(t, &tt.engine)
			if tt.told != nil {
				side.until(wire.ReadyKind)
			}
			for _, kind := range tt.told {
				side.send(wire.Message{Kind: kind, AtNS: clock.Now()})
			}
			done, events := side.until(wire.DoneKind)
			side.end()
			want := wire.Message{Kind: wire.DoneKind, Error: tt.err, Effective: tt.effective}
			check.Same(t, "", want, done)
			var event trace.Event
			for _, e := range events {
				if e.Type == trace.ErrorType || e.Type == trace.GaugeType {
					event = e
				}
			}
			ignored := cmpopts.IgnoreFields(trace.Event{}, "TNS")
			if diff := cmp.Diff(tt.event, event, ignored); diff != "" || event.Type != "" &&
				event.TNS <= 0 {
				t.Errorf("event at %d ns (-want +got):\n%s", event.TNS, diff)
			}
		})
	}
}

// A worker whose coordinator is killed removes the run's test files, as the clean-up process may
// have been killed too: from its first moment to its last.
func TestCoordinatorGone(t *testing.T) {
	for name, until := range map[string]func(s *coordinatorSide){
		"before the job": func(*coordinatorSide) {},
		"in the middle of the job": func(s *coordinatorSide) {
			_, err := s.out.Write([]byte{0, 0, 1, 0, '{'})
			check.Must(s.t, err)
		},
		"while it gets ready": func(s *coordinatorSide) {
			s.send(wire.Message{Kind: wire.JobKind, Job: &s.engine.job})
		},
		"in a transfer": func(s *coordinatorSide) {
			s.send(wire.Message{Kind: wire.JobKind, Job: &s.engine.job})
			s.until(wire.ReadyKind)
			s.send(wire.Message{Kind: wire.ReleaseKind, AtNS: clock.Now()})
		},
		"when it has said that it is done": func(s *coordinatorSide) {
			s.engine.transfer = nil
			s.send(wire.Message{Kind: wire.JobKind, Job: &s.engine.job})
			s.until(wire.ReadyKind)
			s.send(wire.Message{Kind: wire.ReleaseKind, AtNS: clock.Now()})
			s.until(wire.DoneKind)
		},
	} {
		t.Run(name, func(t *testing.T) {
			side := begin(t, &fakeEngine{transfer: untilCancelled})
			until(side)
			check.Must(t, side.hangUp())
			if err := <-side.ended; !errors.Is(err, ErrOrphaned) {
				t.Errorf("worker ended with %v, want that it is orphaned", err)
			}
			if testfolder.Marked(side.disk, runID) {
				t.Error("the run's test folder is left")
			}
		})
	}
}

func TestRefusesOtherTalk(t *testing.T) {
	toWorker, out := io.Pipe()
	go func() { _ = wire.NewConn(nil, out).Send(wire.Message{Kind: wire.StopKind}) }()
	err := Run(context.Background(), wire.NewConn(toWorker, io.Discard), runID, nil, nil,
		zap.NewNop())
	if err == nil {
		t.Error("a worker without a job did not complain")
	}
}

// Only what has moved counts as movement: a disk that hangs in a request still has a worker that
// lives and a clock.
func TestMoved(t *testing.T) {
	at := trace.Event{Type: trace.ProgressType, Phase: "W", Disk: "A", Seq: 1, Bytes: 5, TNS: 1}
	later := at
	later.TNS = 2
	for name, tt := range map[string]struct {
		events []trace.Event
		want   bool
	}{
		"a file":       {[]trace.Event{{Type: trace.FileType}}, true},
		"an error":     {[]trace.Event{{Type: trace.ErrorType}}, true},
		"bytes":        {[]trace.Event{at}, true},
		"another file": {[]trace.Event{{Type: trace.ProgressType, Seq: 1}}, true},
		"time alone":   {[]trace.Event{{Type: trace.ProgressType, TNS: 9}}, false},
		"streams, and time": {
			[]trace.Event{{Type: trace.StreamType, TNS: 1}, {Type: trace.LatencyType, TNS: 1}},
			false,
		},
		"bytes, then time": {[]trace.Event{at, later}, true},
	} {
		var pipe bytes.Buffer
		w := worker{
			conn: wire.NewConn(&pipe, &pipe), events: make(chan trace.Event, len(tt.events)),
		}
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
