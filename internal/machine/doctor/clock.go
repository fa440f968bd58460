package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/trace"
)

// ClockCommand is the hidden command of hubbench that calls AnswerClock.
const ClockCommand = "clock"

const (
	exchanges = 200
	// clockFail is the difference between two processes' clocks that fails: a run warns of a start skew of 1 ms.
	clockFail = 1e6
	// clockWarn is how closely their agreement should be known.
	clockWarn = 1e6
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
	measured := fmt.Sprintf("two processes differ by %s to %s (%d exchanges)", span(float64(r.low)), span(float64(r.high)), r.n)
	bound := float64(max(-r.low, r.high))
	switch {
	case r.n == 0:
		return fail("no exchange", "The clocks of other processes could not be read.", "try again")
	case r.low > r.high || r.low > clockFail || r.high < -clockFail:
		return fail(measured, "Processes read different clocks: the times of two disks cannot be compared, and overlaps are wrong.",
			"restart the computer; in a virtual machine, give it a stable clock source (Linux: /sys/devices/system/clocksource)")
	case r.low > 0 || r.high < 0:
		return warn(measured, "The clocks of two processes differ by a little: the start of disks is uncertain by that.", "restart the computer, and close what sets its clock")
	case bound > clockWarn:
		return warn(fmt.Sprintf("two processes agree within %s (%d exchanges)", span(bound), r.n),
			"The machine is too busy to show that they agree within a millisecond.", "close other programs, and try again")
	}
	return pass(fmt.Sprintf("two processes agree within %s (%d exchanges)", span(bound), r.n), "Times of different disks can be compared.")
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
