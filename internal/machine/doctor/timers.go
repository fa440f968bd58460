package doctor

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/trace"
)

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

// lateness is by how many nanoseconds sleeps ended late.
type lateness struct {
	waits []float64 // of the wait for a start
	plain []float64 // of plain sleeps
}

func judgeTimers(l lateness) trace.Check {
	waits, plain := quantile(l.waits, 0.5), quantile(l.plain, 0.5)
	measured := fmt.Sprintf("the wait for the start ends %s late (median of %d; 90th percentile %s), a plain sleep %s",
		span(waits), len(l.waits), span(quantile(l.waits, 0.9)), span(plain))
	switch {
	case waits > lateFail:
		return fail(measured, "Disks cannot be started together: each begins when the system happens to wake it.", timersAdvice)
	case waits > lateWarn:
		return warn(measured, "Disks start late, and by different times.", timersAdvice)
	case plain > coarse:
		return warn(measured, "Pauses between files come out longer than asked for.", timersAdvice)
	}
	return pass(measured, "Disks can be started at one instant.")
}

const timersAdvice = "close other programs, plug the computer in, and keep the terminal in the foreground"

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

// quantile is the value that a part of the values does not exceed; 0 of none.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}
