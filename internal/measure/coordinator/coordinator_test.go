package coordinator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/internal/measure/worker"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// behaviour, in the environment of a child, makes this test binary a worker, and says of which
// kind.
const behaviour = "HUBBENCH_TEST_WORKER"

func TestMain(m *testing.M) {
	kind := os.Getenv(behaviour)
	if kind == "" {
		goleak.VerifyTestMain(m) // which exits
	}
	conn := wire.NewConn(os.Stdin, os.Stdout)
	// The others get ready, and are released.
	if kind != "good" && kind != "babbling" && kind != "bystander" && kind != "unready" &&
		kind != "replaced" {
		_, _ = conn.Receive()
		_ = conn.Send(wire.Message{
			Kind: wire.ReadyKind, Effective: &trace.Effective{Engine: "fake"},
		})
		_, _ = conn.Receive()
	}
	switch kind {
	case "good":
		newEngine := func(job wire.Assignment, hub worker.Mover) (diskio.Engine, error) {
			if !job.Simulated {
				return diskio.New(job.Job), nil
			}
			return worker.NewSimulated(job.Job, hub), nil
		}
		if err := worker.Run(context.Background(), conn, "", nil, newEngine,
			zap.NewNop()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "babbling":
		fmt.Println("hello, is this the coordinator?")
		hang()
	case "crashing":
		fmt.Fprintln(os.Stderr, "panic: out of sectors")
		os.Exit(2)
	case "failing":
		_ = conn.Send(wire.Message{
			Kind: wire.DoneKind, Error: "no space left on device",
			Effective: &trace.Effective{Engine: "fake", Cache: "cached"},
		})
	case "waiting":
		_, _ = conn.Receive() // to be asked to stop
		_ = conn.Send(wire.Message{Kind: wire.DoneKind, Error: "stopped"})
	case "quick":
		_ = conn.Send(wire.Message{Kind: wire.DoneKind})
	case "accompanying":
		m, _ := conn.Receive()
		done := wire.Message{Kind: wire.DoneKind}
		if m.Kind != wire.FinishKind {
			done.Error = fmt.Sprintf("was told %q, want that the job is whole", m.Kind)
		}
		_ = conn.Send(done)
	case "replaced":
		_ = conn.Send(wire.Message{Kind: wire.HelloKind, Build: "2.0.0 (build b)"})
		hang()
	case "started":
		_ = conn.Send(wire.Message{Kind: wire.AliveKind, Bytes: 1})
		hang()
	case "unready", "silent":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, `{"msg": "it hangs"}`)
		hang()
	}
}

// hang does nothing for longer than any test. Without the timer the runtime would call it a
// deadlock, if it has no cgo that might end it.
func hang() { <-time.After(time.Hour) }

// memory is a Journal and a Watcher that remembers.
type memory struct {
	mu       sync.Mutex
	events   []trace.Event
	released chan struct{} // gets one value for each release
	prepared map[string][]int64
	moved    map[string][]int64
	cooled   int    // phases
	cools    func() // cools is called for each, if it is set.
	ended    int    // phases
	states   []life.State
	modes    map[string]map[string]trace.Effective
}

func (m *memory) AppendLines(lines []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	events := trace.NewReader(bytes.NewReader(lines), "events")
	for events.Next() {
		m.events = append(m.events, *events.Event())
	}
	return events.Err()
}

func (m *memory) Enter(state life.State) {
	if m.states = append(m.states, state); state == life.Released {
		m.released <- struct{}{}
	}
}

func (m *memory) PhaseBegins(_ int, _ scenario.Phase, coolsDown bool) {
	if coolsDown {
		m.cooled++
		if m.cools != nil {
			m.cools()
		}
	}
}

func (m *memory) Moves(disk string, prepared, moved int64) {
	m.prepared[disk] = append(m.prepared[disk], prepared)
	m.moved[disk] = append(m.moved[disk], moved)
}
func (m *memory) PhaseEnds([]trace.RunFailure)                         { m.ended++ }
func (m *memory) TryEnds(trace.Try, search.TryOutcome, *search.Finder) {}
func (m *memory) count(t trace.Type) (n int) {
	for _, e := range m.events {
		if e.Type == t {
			n++
		}
	}
	return n
}

// profile is a hub on which disks A and B move a byte a nanosecond each.
func profile() *hub.Profile {
	side := hub.Side{Hub: 1e9, Direct: 1e9, Weight: 1}
	disk := func(name string) hub.DiskModel {
		return hub.DiskModel{Name: name, Read: side, Write: side}
	}
	return &hub.Profile{Name: "even",
		Capacity: hub.Capacity{Read: 2e9, Write: 2e9, Both: 2e9, ReadWeight: 1, WriteWeight: 1},
		Disks:    []hub.DiskModel{disk("A"), disk("B")}}
}

// plan has phases of two disks, each with files of that many bytes.
func plan(phases int, sizes ...int64) *scenario.Plan {
	p := &scenario.Plan{Name: "test", Hub: &scenario.Hub{Profile: "even", Speedup: 1000},
		Disks: []scenario.Disk{{Name: "one", Profile: "A"}, {Name: "two", Profile: "B"}}}
	for i := range phases {
		phase := scenario.Phase{Name: fmt.Sprintf("WW-%d", i+1), Roles: map[string]trace.Role{}}
		for _, d := range p.Disks {
			phase.Roles[d.Name] = trace.Write
			phase.Jobs = append(phase.Jobs,
				scenario.Job{Disk: d.Name, Role: trace.Write, Sizes: sizes})
		}
		p.Phases = append(p.Phases, phase)
	}
	return p
}

// process is this test binary as a worker, or as another process that the coordinator starts.
func process(kind string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	// The race detector would make every child linger for a second.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", behaviour+"="+kind)
	return cmd
}

// record runs a plan with workers of the given kinds, the last for all further ones.
func record(t testing.TB, ctx context.Context, p *scenario.Plan, change func(*Options),
	kinds ...string) (Ending, *memory) {
	t.Helper()
	seen := &memory{released: make(chan struct{}, 100),
		modes:    map[string]map[string]trace.Effective{},
		prepared: map[string][]int64{}, moved: map[string][]int64{}}
	started := 0
	opts := Options{Plan: p, RunID: "20260102-030405-abcd", Profile: profile(), Journal: seen,
		Watcher: seen, WorkerLog: io.Discard,
		Stall: time.Minute, Log: zap.NewNop(),
		Life:  &life.Life{State: life.Created, Log: zap.NewNop(), Show: seen.Enter},
		Modes: func(phase string, modes map[string]trace.Effective) { seen.modes[phase] = modes },
		Command: func(args ...string) *exec.Cmd {
			if args[0] == "janitor" {
				return process("bystander")
			}
			started++
			return process(kinds[min(started, len(kinds))-1])
		}}
	if !p.Simulated() {
		opts.Profile = nil
	}
	if change != nil {
		change(&opts)
	}
	out, err := Run(ctx, opts)
	check.Must(t, err)
	if last := seen.events[len(seen.events)-1]; last.Type != trace.EndType ||
		last.Status != out.Status {
		t.Errorf("last event %+v, want the end with status %q", last, out.Status)
	}
	return out, seen
}

// A run goes through its states in their order, whatever ends it.
func TestStates(t *testing.T) {
	phase := []life.State{life.GettingReady, life.Released, life.Measuring}
	for kind, want := range map[string][]life.State{
		"quick":    append(append(slices.Clone(phase), phase...), life.Cleaning),
		"failing":  append(slices.Clone(phase), life.Cleaning),
		"crashing": append(slices.Clone(phase[:2]), life.Cleaning),
	} {
		p := realPlan(scenario.VerifyOff)
		again := p.Phases[0]
		again.Name = "WW-2"
		p.Phases = append(p.Phases, again)
		_, seen := record(t, t.Context(), p, nil, kind)
		check.Same(t, kind, want, seen.states)
	}
}

// A machine that sleeps in a phase leaves a mark in the trace.
func TestSleepIsRecorded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := realPlan(scenario.VerifyOff)
	// when the workers were told of the release, which lies a little later
	var released atomic.Int64
	_, seen := record(t, ctx, p, func(o *Options) {
		seen := o.Watcher.(*memory).released
		go func() { <-seen; released.Store(clock.Now()) }()
		o.Journal = untilGauge{o.Journal, cancel}
		o.Clocks = func() (nowNS int64, slept time.Duration) {
			nowNS = clock.Now()
			if at := released.Load(); at > 0 && nowNS > at+2*int64(releaseDelay) {
				slept = 90 * time.Second
			}
			return nowNS, slept
		}
	}, "waiting")
	var marks []trace.Event
	for _, e := range seen.events {
		if e.Type == trace.GaugeType {
			marks = append(marks, e)
		}
	}
	held := 0.0
	if len(marks) == 1 && marks[0].Name == trace.Stopped && marks[0].Value == 90 &&
		marks[0].Phase == "WW-1" && marks[0].TNS > 0 {
		held = 1
	} else {
		t.Errorf("recorded %+v, want one sleep of 90 s", marks)
	}
	evidence.Report(t, evidence.Finding{Claim: "faults",
		Case: "a sleep of the machine, by a clock of the test's", Unit: "of 1",
		Limit: "all of them",
		Truth: 1, Measured: held, Low: held, High: held, Pass: held == 1})
}

// Streams last as long as the others work, and no longer.
func TestAccompanyingJobEnds(t *testing.T) {
	p := realPlan(scenario.VerifyOff)
	p.Phases[0].Jobs[0].Streams = []stream.Spec{
		{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second},
	}
	out, _ := record(t, t.Context(), p, nil, "accompanying", "quick")
	if out.Status != trace.Complete {
		t.Errorf("got status %q, failures %v", out.Status, out.Failures)
	}
}

// untilGauge is a journal that ends the run at the first gauge.
type untilGauge struct {
	Journal
	end func()
}

func (j untilGauge) AppendLines(lines []byte) error {
	if bytes.Contains(lines, []byte(`"type":"gauge"`)) {
		defer j.end()
	}
	return j.Journal.AppendLines(lines)
}

// A run ends with its first phase if a worker fails, and whoever is well is stopped.
func TestPartialRun(t *testing.T) {
	for name, tc := range map[string]struct {
		kinds []string
		want  string
	}{
		"a crash": {
			[]string{"good", "crashing"},
			"disk two, phase WW-1: its worker died (exit status 2): panic: out of sectors",
		},
		"a failure": {
			[]string{"failing", "good"}, "disk one, phase WW-1: no space left on device",
		},
		"another program": {
			[]string{"replaced", "silent"},
			"phase WW-1: hubbench was replaced while the run went on: it began with " +
				"1.0.0 (build a), and a worker is ", // 2.0.0, or the silent one, which says nothing
		},
		"an older program": {
			[]string{"quick", "silent"},
			"phase WW-1: hubbench was replaced while the run went on: it began with " +
				"1.0.0 (build a), and a worker is another one",
		},
		"a foreign voice": {
			[]string{"babbling", "good"},
			"disk one, phase WW-1: its worker died (receive message: a frame of",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plan(2, 60e9)
			p.Hub.Speedup = 0.5 // a minute of the model's time would take two
			var build func(*Options)
			if strings.HasSuffix(name, "program") {
				build = func(o *Options) { o.Build = "1.0.0 (build a)" }
			}
			out, seen := record(t, context.Background(), p, build, tc.kinds...)
			if out.Status != trace.Partial || len(out.Failures) == 0 ||
				!strings.HasPrefix(out.Failures[0].String(), tc.want) {
				t.Errorf("got status %q, failures %v, want first %q", out.Status, out.Failures,
					tc.want)
			}
			check.Same(t, "phases, of which the first ends the run", 1, seen.count(trace.PhaseType))
			if got := seen.modes["WW-1"]["one"].Cache; tc.kinds[0] == "failing" && got != "cached" {
				t.Errorf("got cache %q, want what the worker said last", got)
			}
		})
	}
}

// A second interrupt ends the run at once, and as partial, though it is seen before the first.
func TestSecondInterruptWaitsForNobody(t *testing.T) {
	for _, first := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		kill := make(chan struct{})
		out, _ := record(t, ctx, plan(1, 60e9), func(o *Options) {
			o.Kill = kill
			seen := o.Watcher.(*memory)
			go func() {
				<-seen.released
				if first {
					cancel()
				}
				close(kill)
			}()
		}, "silent")
		// Of workers that it waited for, another failure tells.
		if len(out.Failures) != 1 || !strings.Contains(out.Failures[0].Cause, "interrupted") {
			t.Errorf("failures %v, want an interrupt alone", out.Failures)
		}
		check.Same(t, "status", trace.Partial, out.Status)
	}
}

// Whoever watches hears that a phase has ended, also if it was interrupted before its workers began.
func TestInterruptedBeforeAPhase(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := realPlan(scenario.VerifyOff)
	p.Phases[0].Cooldown = time.Hour
	_, seen := record(t, ctx, p, func(o *Options) { o.Watcher.(*memory).cools = cancel }, "quick")
	check.Same(t, "phases that ended", 1, seen.ended)
	check.Same(t, "states", []life.State{life.GettingReady, life.Cleaning}, seen.states)
}

// The files that a phase reads are written before it, which is reported; none of it counts as moved
// by the phase.
func TestPreparationIsReported(t *testing.T) {
	const size = 3e6
	p := realPlan(scenario.VerifyOff)
	for i := range p.Disks {
		p.Disks[i].Path = t.TempDir()
		job := &p.Phases[0].Jobs[i]
		job.Role, job.Sizes = trace.Read, []int64{size, size}
		job.IO.Mode, job.IO.Block, job.IO.Depth = scenario.ModeApp, 1e6, 1
	}
	out, seen := record(t, t.Context(), p, nil, "good")
	check.Same(t, "status", trace.Complete, out.Status)
	for _, disk := range p.Disks {
		prepared := seen.prepared[disk.Name]
		if len(prepared) == 0 || !slices.IsSorted(prepared) || slices.Max(prepared) < 2*size {
			t.Errorf("disk %s: prepared %d bytes, want up to %.0f", disk.Name, prepared, 2*size)
		}
		for _, bytes := range seen.moved[disk.Name] {
			if bytes > 2*size {
				t.Errorf("disk %s: moved %d bytes, more than it reads", disk.Name, bytes)
			}
		}
	}
}

func TestStderrLog(t *testing.T) {
	var out bytes.Buffer
	s := &stderrLog{out: &out, log: zap.NewNop()}
	for _, part := range []string{
		`{"msg":`, `"a"}` + "\npan", "ic: x\ngoroutine 1\n", `{"msg":"b"}` + "\n",
	} {
		if _, err := io.WriteString(s, part); err != nil {
			t.Fatal(err)
		}
	}
	check.Same(t, "log", "{\"msg\":\"a\"}\n{\"msg\":\"b\"}\n", out.String())
	check.Same(t, "crash", "panic: x", s.crash)
}

// realPlan is a plan of one phase in which one disk writes and another reads, both real.
func realPlan(verify string) *scenario.Plan {
	p := plan(1, 1e9)
	p.Hub = nil
	for i := range p.Disks {
		p.Disks[i].Profile, p.Disks[i].Path = "", "/nowhere/"+p.Disks[i].Name
		p.Phases[0].Jobs[i].IO.Verify = verify
	}
	return p
}

// both reads two counters of each disk, and the host.
func both(_ context.Context, disks []gauge.Target) []gauge.Source {
	return []gauge.Source{{Name: "all", Every: time.Second, Total: true,
		Read: func(context.Context) ([]gauge.Reading, error) {
			reads := []gauge.Reading{{Name: trace.CPU, Value: 5}}
			for _, d := range disks {
				reads = append(reads, gauge.Reading{Disk: d.Name, Name: trace.DeviceRead, Value: 1},
					gauge.Reading{Disk: d.Name, Name: trace.DeviceWrite, Value: 2})
			}
			return reads, nil
		}}}
}

// Gauges are read just before the release and once more at the end, and stand in the journal before
// the phase's end. Those that hang hold up nothing for long.
func TestGauges(t *testing.T) {
	loose := make(chan struct{})
	defer close(loose)
	all := map[string]int{
		" cpu_percent": 2, "one device_write_bytes": 2, "two device_write_bytes": 2,
		"one device_read_bytes": 2, "two device_read_bytes": 2,
	}
	for _, tt := range []struct {
		name, worker string
		plan         *scenario.Plan
		find         func(context.Context, []gauge.Target) []gauge.Source
		want         map[string]int
	}{
		{"all", "quick", realPlan(scenario.VerifyOff), both, all},
		// What a job reads once more its worker counts.
		{"read back", "quick", realPlan(scenario.VerifyFull), both, all},
		{"finding hangs", "quick", realPlan(scenario.VerifyOff),
			func(context.Context, []gauge.Target) []gauge.Source {
				<-loose
				return nil
			}, map[string]int{}},
		{"reading hangs", "quick", realPlan(scenario.VerifyOff),
			func(context.Context, []gauge.Target) []gauge.Source {
				return []gauge.Source{{Name: "x", Every: time.Second, Total: true,
					Read: func(ctx context.Context) ([]gauge.Reading, error) {
						<-loose
						return nil, ctx.Err()
					}}}
			}, map[string]int{}},
		{"simulated disks", "good", plan(1, 1e6), both, map[string]int{}},
	} {
		out, seen := record(t, t.Context(), tt.plan, func(o *Options) {
			o.Gauges = tt.find
		}, tt.worker)
		if out.Status != trace.Complete {
			t.Errorf("%s: %v", tt.name, out.Failures)
		}
		got, ended := map[string]int{}, false
		for _, e := range seen.events {
			ended = ended || e.Type == trace.PhaseEndType
			if e.Type != trace.GaugeType {
				continue
			}
			got[e.Disk+" "+e.Name]++
			if ended || e.Phase != "WW-1" || e.TNS < -int64(time.Second) ||
				e.TNS > int64(time.Minute) {
				t.Errorf("%s: gauge %+v: after the phase's end, or far from its release", tt.name,
					e)
			}
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: read %v, want %v", tt.name, got, tt.want)
		}
	}
}
