package check

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const timersAdvice = "close other programs, plug the computer in, and keep the terminal in the foreground"

// ClockCommand is the hidden command of hubbench that calls AnswerClock.
const ClockCommand = "clock"

const (
	exchanges = 200
	// clockFail is the difference between two processes' clocks that fails, in nanoseconds: a run warns of a start
	// skew of 1 ms.
	clockFail = 1e6
)

// readings bound the difference between the clock of another process and ours, in nanoseconds: each of its readings
// was taken between two of ours.
type readings struct {
	low, high int64
	n         int
}

// add takes an exchange: our reading before, the other's, and ours after.
func (r *readings) add(before, other, after int64) {
	low, high := other-after, other-before
	if r.n > 0 {
		low, high = max(r.low, low), min(r.high, high)
	}
	r.low, r.high = low, high
	r.n++
}

// readClocks exchanges readings with another process.
func (f *facts) readClocks(ctx context.Context) (err error) {
	cmd := f.opts.Command(ClockCommand)
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return fmt.Errorf("start a second process: %w", err)
	}
	defer func() { err = errors.Join(err, stdin.Close(), cmd.Wait()) }()
	lines := bufio.NewReader(stdout)
	for i := 0; i <= exchanges && ctx.Err() == nil; i++ {
		before := clock.Now()
		_, askErr := io.WriteString(stdin, "\n")
		line, readErr := lines.ReadString('\n')
		after := clock.Now()
		other, parseErr := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err := errors.Join(askErr, readErr, parseErr); err != nil {
			return fmt.Errorf("read a second process's clock: %w", err)
		}
		if i > 0 { // the first waits for the process to start
			f.clocks.add(before, other, after)
		}
	}
	return ctx.Err()
}

// AnswerClock is the second process: it answers each line with its clock, until there are no more.
func AnswerClock(in io.Reader, out io.Writer) error {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if _, err := fmt.Fprintln(out, clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

// judgeClocks: if the clocks are the same, every reading lies between ours, and zero within the bounds.
func judgeClocks(f *facts) trace.Check {
	low, high := float64(f.clocks.low), float64(f.clocks.high)
	within := max(-low, high)
	apart := fmt.Sprintf("two processes differ by %s to %s (%d exchanges)", span(low), span(high), f.clocks.n)
	agree := fmt.Sprintf("two processes agree within %s (%d exchanges)", span(within), f.clocks.n)
	switch {
	case low > high || low > clockFail || high < -clockFail:
		return fail(apart, "the times of two disks cannot be compared, and overlaps are wrong",
			"restart the computer; in a virtual machine, give it a stable clock source "+
				"(Linux: /sys/devices/system/clocksource)")
	case low > 0 || high < 0:
		return warn(apart, "the start of disks is uncertain by that", "restart the computer, and close what sets its clock")
	case within > clockFail:
		return warn(agree, "the machine is too busy to show that they agree within a millisecond",
			"close other programs, and try again")
	}
	return pass(agree)
}

const (
	// minWatch is the minimum time of watching drift: 1 ms of wall clock being set is then 100 ppm.
	minWatch = 10 * time.Second
	// driftWarn is more than the 500 ppm by which time servers slew a clock (adjtime, RFC 5905), as a part of the time.
	driftWarn = 1000e-6
	// driftFail makes every rate wrong in its second digit.
	driftFail = 0.01
	// apartFail is by how much the stopwatch of transfers may differ from the clock that processes share.
	apartFail = time.Millisecond
)

// drift is how much time passed by the three clocks.
type drift struct{ watch, shared, wall time.Duration }

// startDrift starts the three clocks; stop waits until there is enough to see, and reads them.
func startDrift() (stop func(context.Context) (drift, error)) {
	watch, shared, wall := clock.Start(), clock.Now(), time.Now().Round(0) // Round drops Go's monotonic reading
	return func(ctx context.Context) (best drift, err error) {
		select {
		case <-time.After(minWatch - time.Duration(clock.Now()-shared)):
		case <-ctx.Done():
			return drift{}, ctx.Err()
		}
		// A turn that another program takes between the readings is no drift: the closest of some counts.
		apart := time.Duration(math.MaxInt64)
		for range 20 {
			now := time.Now().Round(0)
			d := drift{time.Duration(watch.Now() - watch.StartNS()), time.Duration(clock.Now() - shared), now.Sub(wall)}
			if off := (d.watch - d.shared).Abs() + (d.watch - d.wall).Abs(); off < apart {
				best, apart = d, off
			}
		}
		return best, nil
	}
}

func (f *facts) watchDrift(ctx context.Context) (err error) {
	f.drift, err = f.stopDrift(ctx)
	return err
}

func judgeDrift(f *facts) trace.Check {
	d := f.drift
	off := float64(d.watch-d.wall) / float64(d.wall)
	measured := fmt.Sprintf("%+.0f ppm against wall time over %.1f s; %s from the shared clock",
		off*1e6, d.wall.Seconds(), span(math.Abs(float64(d.watch-d.shared))))
	switch {
	case d.wall <= 0:
		return warn("the wall clock was set back meanwhile", "drift cannot be measured", "try again")
	case (d.watch - d.shared).Abs() > apartFail:
		return fail(measured, "the stopwatch that times transfers runs apart from the clock that processes share, "+
			"so rates and overlaps contradict each other", "restart the computer, and report this with the result")
	case math.Abs(off) > driftFail:
		return fail(measured, "this machine's seconds are wrong, and all rates by as much, unless the wall clock was set "+
			"meanwhile", "try again; in a virtual machine, give it a stable clock source")
	case math.Abs(off) > driftWarn:
		return warn(measured, "the wall clock was set meanwhile, or rates are off by as much", "try again")
	}
	return pass(measured)
}

const (
	sleeps   = 100
	sleepFor = 2 * time.Millisecond
	// lateWarn is the half of the skew at a start that is warned about.
	lateWarn = 500e3
	// lateFail: a start is late by as much as a small file takes.
	lateFail = 10e6
	// coarse is a plain sleep whose lateness puts samples of progress, 50 ms apart, in the wrong place.
	coarse = 20e6
)

// sleepOften measures both kinds of waiting.
func (f *facts) sleepOften(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range sleeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := clock.Now() + int64(sleepFor)
		clock.WaitUntil(at)
		f.waits = append(f.waits, float64(clock.Now()-at))
		at = clock.Now() + int64(sleepFor)
		time.Sleep(sleepFor)
		f.sleeps = append(f.sleeps, float64(clock.Now()-at))
	}
	return nil
}

func judgeTimers(f *facts) trace.Check {
	wait, sleep := quantile(f.waits, 0.5), quantile(f.sleeps, 0.5)
	measured := fmt.Sprintf("the wait for the start ends %s late (median of %d; 90th percentile %s), a plain sleep %s",
		span(wait), len(f.waits), span(quantile(f.waits, 0.9)), span(sleep))
	switch {
	case wait > lateFail:
		return fail(measured, "disks cannot be started together, as each begins when the system happens to wake it",
			timersAdvice)
	case wait > lateWarn:
		return warn(measured, "disks start late, and by different times", timersAdvice)
	case sleep > coarse:
		return warn(measured, "pauses between files come out longer than asked for", timersAdvice)
	}
	return pass(measured)
}

func quantile(values []float64, part float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), part)
}

// dryRun starts as many workers as most hubs have disks, like a run on real ones, and moves almost nothing.
const dryRun = `version: 1
name: dry
hub: {profile: ideal, speedup: 1000}
disks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}, {name: C, simulate: {profile: C}}]
workload: {files: 1, sizes: [1 MB]}
phases: [{pattern: WWW, repeat: 20}]
`

const (
	// skewWarn is the skew that a run's own report warns about, in nanoseconds.
	skewWarn = 1e6
	skewFail = 50e6
)

func (f *facts) releaseOften(ctx context.Context) error {
	dry, err := scenario.Load("dry.yaml", []byte(dryRun))
	if err != nil {
		return err
	}
	plan, err := dry.Plan()
	if err != nil {
		return err
	}
	ideal, _ := configs.Hub(plan.Hub.Profile)
	profile, err := hub.Load(plan.Hub.Profile, ideal)
	if err != nil {
		return err
	}
	late := starts{}
	out, err := coordinator.Run(ctx, coordinator.Options{
		Plan: plan, RunID: "doctor", Profile: profile, Journal: late, WorkerLog: io.Discard,
		Stall: time.Minute, Log: zap.NewNop(), Command: f.opts.Command,
		Pause: func(context.Context, string) error { return nil },
		Modes: func(string, map[string]trace.Effective) error { return nil },
	})
	if err != nil {
		return err
	}
	for _, workers := range late {
		if len(workers) == len(plan.Disks) {
			f.skews = append(f.skews, slices.Max(workers)-slices.Min(workers))
		}
	}
	if len(out.Failures) > 0 {
		return errors.New(out.Failures[0].String())
	}
	return nil
}

// starts remembers by how much each worker was late, by phase. It records from one goroutine.
type starts map[string][]float64

// AppendLines takes what is to go into a trace.
func (s starts) AppendLines(lines []byte) error {
	events := trace.NewReader(bytes.NewReader(lines), "events")
	for events.Next() {
		if e := events.Event(); e.Type == trace.StartType {
			s[e.Phase] = append(s[e.Phase], float64(e.LateNS))
		}
	}
	return events.Err()
}

// judgeStart goes by the median: a busy moment spoils one start, which the run's report says; the median shows a
// machine that usually starts badly.
func judgeStart(f *facts) trace.Check {
	middle := quantile(f.skews, 0.5)
	measured := fmt.Sprintf("workers start within %s of each other (median of %d releases; at most %s)",
		span(middle), len(f.skews), span(slices.Max(f.skews)))
	switch {
	case middle > skewFail:
		return fail(measured, "the beginning of every phase measures fewer disks than it says", timersAdvice)
	case middle > skewWarn:
		return warn(measured, "a report warns about a start of more than a millisecond apart", timersAdvice)
	}
	return pass(measured)
}

func span(ns float64) string { return unit.FormatSeconds(ns / 1e9) }
