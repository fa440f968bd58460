package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/probe"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const timersAdvice = "close other programs, plug the computer in, and keep the terminal in the " +
	"foreground"

// ClockCommand is the hidden command of hubbench that calls AnswerClock.
const ClockCommand = "clock"

const (
	// clockTries is how often another process is asked for its clock: the quickest answers tell
	// most.
	clockTries = 200
	// clockBound is how closely two clocks must be known to agree, in nanoseconds: a run warns of a
	// start skew of 1 ms.
	clockBound = 1e6
)

// readings bound the difference between the clock of another process and ours, in nanoseconds.
// Every reading of its clock was taken between two of ours.
type readings struct{ low, high int64 }

func (f *facts) readClocks(ctx context.Context) (err error) {
	cmd := f.opts.Command(ClockCommand)
	ask, noPipe := cmd.StdinPipe()
	answers, noAnswers := cmd.StdoutPipe()
	if err := errors.Join(noPipe, noAnswers); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a second process: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	defer func() { err = errors.Join(err, ask.Close(), cmd.Wait()) }()
	f.clocks = readings{math.MinInt64, math.MaxInt64}
	lines := bufio.NewReader(answers)
	for range clockTries {
		before := clock.Now()
		if _, err := io.WriteString(ask, "\n"); err != nil {
			return fmt.Errorf("ask a second process for its clock: %w", err)
		}
		line, err := lines.ReadString('\n')
		after := clock.Now()
		if err != nil {
			return fmt.Errorf("wait for a second process's clock: %w", err)
		}
		other, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return fmt.Errorf("read a second process's clock: %w", err)
		}
		f.clocks.low = max(f.clocks.low, other-after)
		f.clocks.high = min(f.clocks.high, other-before)
	}
	return nil
}

// AnswerClock is the second process: it answers each line with its clock, until there are no more.
func AnswerClock(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, clock.Now()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// judgeClocks: if the clocks are the same, every reading lies between ours, and zero within the
// bounds.
func judgeClocks(f *facts) answer {
	low, high := float64(f.clocks.low), float64(f.clocks.high)
	differ := fmt.Sprintf("the clocks of two processes differ by %s to %s", span(low), span(high))
	const try = "restart the computer; in a virtual machine, give it a stable clock source " +
		"(Linux: /sys/devices/system/clocksource)"
	agree := fmt.Sprintf("two processes agree within %s", span(max(-low, high)))
	switch {
	case low > high || low > clockBound || high < -clockBound:
		return fail(differ, "the times of two disks cannot be compared, and overlaps are wrong",
			try)
	case low > 0 || high < 0:
		return warn(differ, "starts and overlaps are uncertain by as much", try)
	case max(-low, high) > clockBound:
		return warn(agree, "the machine is too busy to show that clocks agree within a millisecond",
			"close other programs, and try again")
	}
	return pass(agree)
}

const (
	// minWatch is the minimum time of watching drift: 1 ms of wall clock being set is then 100 ppm.
	minWatch = 10 * time.Second
	// driftWarn is more than the 500 ppm by which time servers slew a clock (adjtime, RFC 5905), as
	// a part of the time.
	driftWarn = 1000e-6
	// driftFail makes every rate wrong in its second digit.
	driftFail = 0.01
)

// instant is one moment by two clocks.
type instant struct {
	clockNS int64
	wall    time.Time
}

func now() instant {
	return instant{clock.Now(), time.Now().Round(0)} // Round drops Go's monotonic reading.
}

// watchDrift waits until the checks have gone on for long enough to see drift.
func (f *facts) watchDrift(ctx context.Context) error {
	select {
	case <-time.After(minWatch - time.Duration(clock.Now()-f.began.clockNS)):
	case <-ctx.Done():
		return ctx.Err()
	}
	f.ended = now()
	// A stopwatch that agrees lies between two readings, however long another program takes there.
	before, read, after := clock.Now(), f.stopwatch.Now(), clock.Now()
	f.stopwatchErrorNS = float64(max(before-read, read-after, 0))
	return nil
}

func judgeDrift(f *facts) answer {
	wall := f.ended.wall.Sub(f.began.wall)
	off := float64(time.Duration(f.ended.clockNS-f.began.clockNS)-wall) / float64(wall)
	measured := fmt.Sprintf("%+.0f ppm against wall time over %.1f s", off*1e6, wall.Seconds())
	switch {
	case wall <= 0:
		return warn("the wall clock was set back meanwhile", "drift cannot be measured",
			"try again")
	case f.stopwatchErrorNS > clockBound:
		return fail(fmt.Sprintf("the stopwatch of transfers is %s apart from the clock that "+
			"processes share", span(f.stopwatchErrorNS)),
			"rates and overlaps contradict each other",
			"restart the computer, and report this with the result")
	case math.Abs(off) > driftFail:
		return fail(measured, "this machine's seconds are wrong, and all rates by as much, unless "+
			"the wall clock was set meanwhile",
			"try again; in a virtual machine, give it a stable clock source")
	case math.Abs(off) > driftWarn:
		return warn(measured, "the wall clock was set meanwhile, or rates are off by as much",
			"try again")
	}
	return pass(measured)
}

func quantile(values []float64, part float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), part)
}

// dryRun starts as many workers as most hubs have disks, like a run on real ones, and moves almost
// nothing.
const dryRun = `version: 1
name: dry
hub: {profile: ideal, speedup: 1000}
disks:
  - {name: A, simulate: {profile: A}}
  - {name: B, simulate: {profile: B}}
  - {name: C, simulate: {profile: C}}
workload: {files: 1, sizes: [1 MB]}
phases: [{pattern: WWW, repeat: 20}]
`

const (
	// lateWarn is the half of the skew at a start that is warned about, in nanoseconds.
	lateWarn = 500e3
	// lateFail: a start is late by as much as a small file takes.
	lateFail = 10e6
	// skewWarn is the skew that a run's own report warns about, in nanoseconds.
	skewWarn = 1e6
	skewFail = 50e6
)

func (f *facts) releaseWorkers(ctx context.Context) (err error) {
	if f.skewsNS != nil || f.releaseErr != nil {
		return f.releaseErr // Another check has reported it.
	}
	defer func() { f.releaseErr = err }()
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
	events, err := probe.Run(ctx, coordinator.Options{
		Plan: plan, RunID: "doctor", Profile: profile, Stall: time.Minute, Command: f.opts.Command,
	})
	if err != nil {
		return err
	}
	run, err := trace.Load(events, "the dry run")
	if err != nil {
		return err
	}
	for _, phase := range run.Phases {
		var late []float64
		for _, disk := range phase.Disks {
			if disk.LateNS == nil {
				return fmt.Errorf("%s: worker %s did not start", phase.Name, disk.Name)
			}
			late = append(late, float64(*disk.LateNS))
		}
		f.lateNS = append(f.lateNS, late...)
		f.skewsNS = append(f.skewsNS, slices.Max(late)-slices.Min(late))
	}
	return nil
}

func judgeTimers(f *facts) answer {
	late := quantile(f.lateNS, 0.5)
	measured := fmt.Sprintf(
		"the wait for the start ends %s late (median of %d; 90th percentile %s)",
		span(late), len(f.lateNS), span(quantile(f.lateNS, 0.9)))
	switch {
	case late > lateFail:
		return fail(measured,
			"disks cannot be started together, as each begins when the system happens to wake it",
			timersAdvice)
	case late > lateWarn:
		return warn(measured, "disks start late, and by different times", timersAdvice)
	}
	return pass(measured)
}

// judgeStart goes by the median: a busy moment spoils one start, which the run's report says; the
// median shows a machine that usually starts badly.
func judgeStart(f *facts) answer {
	middle := quantile(f.skewsNS, 0.5)
	measured := fmt.Sprintf(
		"workers start within %s of each other (median of %d releases; at most %s)",
		span(middle), len(f.skewsNS), span(slices.Max(f.skewsNS)))
	switch {
	case middle > skewFail:
		return fail(measured, "the beginning of every phase measures fewer disks than it says",
			timersAdvice)
	case middle > skewWarn:
		return warn(measured, "a report warns about a start of more than a millisecond apart",
			timersAdvice)
	}
	return pass(measured)
}

func span(ns float64) string { return unit.FormatSeconds(ns / 1e9) }
