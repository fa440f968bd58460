package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/trace"
)

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
	measured := fmt.Sprintf("%+.0f ppm against wall time over %.1f s; %s from the shared clock", off*1e6, d.wall.Seconds(), span(math.Abs(float64(d.watch-d.shared))))
	switch {
	case d.wall <= 0:
		return warn("the wall clock was set back meanwhile", "Drift cannot be measured.", "try again")
	case (d.watch - d.shared).Abs() > apartFail:
		return fail(measured, "The stopwatch that times transfers runs apart from the clock that processes share: rates and overlaps contradict each other.",
			"restart the computer, and report this with the result")
	case math.Abs(off) > driftFail:
		return fail(measured, "This machine's seconds are wrong, and all rates by as much, unless the wall clock was set meanwhile.",
			"try again; in a virtual machine, give it a stable clock source")
	case math.Abs(off) > driftWarn:
		return warn(measured, "The wall clock was set meanwhile, or rates are off by as much.", "try again")
	}
	return pass(measured, "The clock is right, and so are rates.")
}

// stopwatches are the three clocks, started together.
type stopwatches struct {
	watch  clock.Stopwatch
	shared int64
	wall   time.Time
}

func startWatch() stopwatches {
	return stopwatches{clock.Start(), clock.Now(), time.Now().Round(0)} // Round drops Go's monotonic reading
}

// stop waits until there is enough to see, and reads.
func (s stopwatches) stop(ctx context.Context) (drift, error) {
	if err := wait(ctx, minWatch-time.Duration(clock.Now()-s.shared)); err != nil {
		return drift{}, err
	}
	// A turn that another program takes between the readings is no drift: the closest of some counts.
	best, apart := drift{}, time.Duration(math.MaxInt64)
	for range 20 {
		now := time.Now().Round(0)
		d := drift{time.Duration(s.watch.Now() - s.watch.StartNS()), time.Duration(clock.Now() - s.shared), now.Sub(s.wall)}
		if off := (d.watch - d.shared).Abs() + (d.watch - d.wall).Abs(); off < apart {
			best, apart = d, off
		}
	}
	return best, nil
}
