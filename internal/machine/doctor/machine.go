package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

const timersAdvice = "close other programs, plug the computer in, and keep the terminal in the foreground"

// ClockCommand is the hidden command of hubbench that calls AnswerClock.
const ClockCommand = "clock"

const (
	exchanges = 200
	// clockFail is the difference in nanoseconds between two processes' clocks that fails, and how closely
	// their agreement should be known: a run warns of a start skew of 1 ms.
	clockFail = 1e6
)

// readings bound the difference between the clocks of another process and ours, in nanoseconds: its reading in each
// exchange was taken between two of ours.
type readings struct {
	low, high int64
	n         int
}

// add takes an exchange: our reading before, the other's, and ours after.
func (r *readings) add(before, other, after int64) {
	low, high := other-after, other-before
	if r.n == 0 {
		r.low, r.high = low, high
	}
	r.low, r.high = max(r.low, low), min(r.high, high)
	r.n++
}

// judgeClocks: if the clocks are the same, every reading lies between ours, and zero within the bounds.
func judgeClocks(r readings) trace.Check {
	low, high, bound := float64(r.low), float64(r.high), float64(max(-r.low, r.high))
	apart := fmt.Sprintf("two processes differ by %s to %s (%d exchanges)", span(low), span(high), r.n)
	agree := fmt.Sprintf("two processes agree within %s (%d exchanges)", span(bound), r.n)
	switch {
	case r.n == 0:
		return fail("no exchange", "The clocks of other processes could not be read.", "try again")
	case low > high || low > clockFail || high < -clockFail:
		return fail(apart,
			"Processes read different clocks: the times of two disks cannot be compared, and overlaps are wrong.",
			"restart the computer; in a virtual machine, give it a stable clock source "+
				"(Linux: /sys/devices/system/clocksource)")
	case low > 0 || high < 0:
		return warn(apart, "The clocks of two processes differ by a little: the start of disks is uncertain by that.",
			"restart the computer, and close what sets its clock")
	case bound > clockFail:
		return warn(agree, "The machine is too busy to show that they agree within a millisecond.",
			"close other programs, and try again")
	}
	return pass(agree, "Times of different disks can be compared.")
}

// readClocks exchanges readings with another process.
func readClocks(ctx context.Context, cmd *exec.Cmd) (r readings, err error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("start a second process: %w", err)
	}
	defer func() { err = errors.Join(err, stdin.Close(), cmd.Wait()) }()
	lines := bufio.NewReader(stdout)
	for i := 0; i < exchanges+1 && ctx.Err() == nil; i++ {
		before := clock.Now()
		if _, err := io.WriteString(stdin, "\n"); err != nil {
			return r, fmt.Errorf("ask a second process for its clock: %w", err)
		}
		line, err := lines.ReadString('\n')
		after := clock.Now()
		if err != nil {
			return r, fmt.Errorf("wait for a second process's clock: %w", err)
		}
		other, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			return r, fmt.Errorf("read a second process's clock: %w", err)
		}
		if i > 0 { // the first waits for the process to start
			r.add(before, other, after)
		}
	}
	return r, ctx.Err()
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

func judgeDrift(d drift) trace.Check {
	off := float64(d.watch-d.wall) / float64(d.wall)
	measured := fmt.Sprintf("%+.0f ppm against wall time over %.1f s; %s from the shared clock",
		off*1e6, d.wall.Seconds(), span(math.Abs(float64(d.watch-d.shared))))
	switch {
	case d.wall <= 0:
		return warn("the wall clock was set back meanwhile", "Drift cannot be measured.", "try again")
	case (d.watch - d.shared).Abs() > apartFail:
		return fail(measured, "The stopwatch that times transfers runs apart from the clock that processes share: "+
			"rates and overlaps contradict each other.", "restart the computer, and report this with the result")
	case math.Abs(off) > driftFail:
		return fail(measured, "This machine's seconds are wrong, and all rates by as much, unless the wall clock was set "+
			"meanwhile.",
			"try again; in a virtual machine, give it a stable clock source")
	case math.Abs(off) > driftWarn:
		return warn(measured, "The wall clock was set meanwhile, or rates are off by as much.", "try again")
	}
	return pass(measured, "The clock is right, and so are rates.")
}

// watchDrift starts the three clocks; stop waits until there is enough to see, and reads them.
func watchDrift() (stop func(context.Context) (drift, error)) {
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

// lateness is by how many nanoseconds sleeps ended late: the wait for a start, and plain ones.
type lateness struct{ waits, plain []float64 }

func judgeTimers(l lateness) trace.Check {
	waits, plain := quantile(l.waits, 0.5), quantile(l.plain, 0.5)
	measured := fmt.Sprintf("the wait for the start ends %s late (median of %d; 90th percentile %s), a plain sleep %s",
		span(waits), len(l.waits), span(quantile(l.waits, 0.9)), span(plain))
	switch {
	case waits > lateFail:
		return fail(measured, "Disks cannot be started together: each begins when the system happens to wake it.",
			timersAdvice)
	case waits > lateWarn:
		return warn(measured, "Disks start late, and by different times.", timersAdvice)
	case plain > coarse:
		return warn(measured, "Pauses between files come out longer than asked for.", timersAdvice)
	}
	return pass(measured, "Disks can be started at one instant.")
}

// sleepOften measures both kinds of waiting.
func sleepOften(ctx context.Context) (l lateness, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range sleeps {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		at := clock.Now() + int64(sleepFor)
		clock.WaitUntil(at)
		l.waits = append(l.waits, float64(clock.Now()-at))
		at = clock.Now() + int64(sleepFor)
		time.Sleep(sleepFor)
		l.plain = append(l.plain, float64(clock.Now()-at))
	}
	return l, nil
}

func quantile(values []float64, part float64) float64 {
	return stats.Quantile(slices.Sorted(slices.Values(values)), part)
}

const (
	releases = 20
	workers  = 3 // in a dry release: as many as disks on most hubs
	// skewWarn is the skew that a run's own report warns about, in nanoseconds.
	skewWarn = 1e6
	skewFail = 50e6
)

// judgeStart judges the start skews of the releases, in nanoseconds. A busy moment spoils one start, which the run's
// report says; the median shows a machine that usually starts badly.
func judgeStart(skews []float64) trace.Check {
	if len(skews) < releases {
		measured := fmt.Sprintf("%d of %d releases succeeded", len(skews), releases)
		return fail(measured, "Workers could not be started together.",
			"look for a program that delays new processes, such as a virus scanner, and try again")
	}
	middle := quantile(skews, 0.5)
	measured := fmt.Sprintf("%d workers start within %s of each other (median of %d releases; at most %s)",
		workers, span(middle), len(skews), span(slices.Max(skews)))
	switch {
	case middle > skewFail:
		return fail(measured, "Disks do not begin together: the beginning of every phase measures fewer disks than it says.",
			timersAdvice)
	case middle > skewWarn:
		return warn(measured, "Disks begin more than a millisecond apart, which a report warns about.", timersAdvice)
	}
	return pass(measured, "All disks begin at one instant.")
}

// dryReleases runs phases on simulated disks that move almost nothing, on a hub without a limit: they start like a
// run on real ones.
func dryReleases(ctx context.Context, command func(args ...string) *exec.Cmd) (skews []float64, err error) {
	const total = workers * 1e9
	profile := &hub.Profile{
		Name: "dry", Capacity: hub.Capacity{Read: total, Write: total, Both: total, ReadWeight: 1, WriteWeight: 1},
	}
	plan := &scenario.Plan{Name: "dry", Hub: &scenario.Hub{Profile: "dry", Speedup: 1000}}
	phase := scenario.Phase{Roles: map[string]trace.Role{}}
	for i := range workers {
		name, side := string(rune('A'+i)), hub.Side{Hub: 1e9, Direct: 1e9, Weight: 1}
		profile.Disks = append(profile.Disks, hub.Disk{Name: name, Read: side, Write: side})
		plan.Disks = append(plan.Disks, scenario.Disk{Name: name, Profile: name})
		phase.Roles[name] = trace.Write
		phase.Jobs = append(phase.Jobs, scenario.Job{Disk: name, Role: trace.Write, Sizes: []int64{1e6}})
	}
	for i := range releases {
		phase.Name = fmt.Sprintf("release %d", i+1)
		plan.Phases = append(plan.Phases, phase)
	}
	seen := starts{}
	out, err := coordinator.Run(ctx, coordinator.Options{
		Plan: plan, RunID: "doctor", Profile: profile, Journal: seen, WorkerLog: io.Discard,
		Stall: time.Minute, Log: zap.NewNop(),
		Command: command,
		Pause:   func(context.Context, string) error { return nil },
		Modes:   func(string, map[string]trace.Effective) error { return nil },
	})
	if err == nil && len(out.Failures) > 0 {
		err = errors.New(out.Failures[0].String())
	}
	if err != nil {
		return nil, err
	}
	for _, late := range seen {
		if len(late) == workers {
			skews = append(skews, slices.Max(late)-slices.Min(late))
		}
	}
	return skews, nil
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

// judgeAwake takes why the machine may go to sleep; nil if it does not.
func judgeAwake(why error) trace.Check {
	if why != nil {
		return warn("not kept awake: "+why.Error(),
			"The computer may go to sleep in a long run, which takes disks off their ports.",
			"turn sleep off in the system's settings while measuring")
	}
	return pass("kept awake on request", "The computer does not go to sleep during a run.")
}

// priority is this process's priority.
type priority struct {
	nice       int  // above zero: after others
	background bool // the system holds back its processor or its requests to disks
	how        string
}

func judgePriority(p priority) trace.Check {
	switch {
	case p.background:
		return fail(p.how, "The system holds this program back: disks look slower than they are.",
			"start hubbench from a terminal in the foreground, not as a background service, and without ionice")
	case p.nice > 0:
		return warn(p.how, "Other programs have priority: on a busy machine disks look slower than they are.",
			"start hubbench without nice")
	}
	return pass(p.how, "The program runs at normal priority.")
}

// power is what limits the machine's speed.
type power struct {
	battery, known bool
	saving         string
}

func judgePower(p power) trace.Check {
	source := "power source not known"
	if p.known {
		source = map[bool]string{true: "on battery", false: "on mains"}[p.battery]
	}
	var doubts []string
	if p.battery {
		doubts = append(doubts, "plug the computer in")
	}
	measured := source + ", the processor is not held back"
	if p.saving != "" {
		doubts = append(doubts, "choose performance in the system's power settings")
		measured = fmt.Sprintf("%s, the processor is held back (%s)", source, p.saving)
	}
	if len(doubts) > 0 {
		return warn(measured, "The processor and the ports may be slowed down to save power, and disks with them.",
			strings.Join(doubts, "; "))
	}
	return pass(measured, "No power saving slows the computer down, as far as the system reports.")
}
