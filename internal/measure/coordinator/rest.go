package coordinator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// A disk that has been written to goes on working by itself: it flushes its cache and collects
// garbage. It is idle when nothing has moved on it for a while.
const (
	idleFor   = 5 * time.Second
	idleCheck = 500 * time.Millisecond
)

// waitBefore waits as a phase asks before it begins: for a person, and for its cool-down. A disk is
// returned with the error if it hangs.
func waitBefore(
	ctx context.Context, opts Options, index int, phase scenario.Phase,
) (*scenario.Disk, error) {
	if phase.Pause != "" {
		if err := opts.Pause(ctx, phase.Pause); err != nil {
			return nil, err
		}
	}
	cooldown := phase.Cooldown
	if opts.Plan.Simulated() {
		cooldown = time.Duration(float64(cooldown) / opts.Plan.Hub.Speedup)
	}
	if cooldown <= 0 {
		return nil, ctx.Err()
	}
	opts.Watcher.PhaseBegins(index, phase, true)
	r := &rest{
		Options: opts, untilIdle: phase.UntilIdle && !opts.Plan.Simulated(),
		answers: make(chan answer),
	}
	if r.ask == nil {
		r.ask = askDisk
	}
	return r.wait(ctx, phase.Name, cooldown)
}

// rest is a cool-down under way.
type rest struct {
	Options
	untilIdle bool
	answers   chan answer
}

// answer is what a disk that rests has moved so far, for any program, or that it hangs.
type answer struct {
	disk  *scenario.Disk
	moved int64
	known bool
	hang  error
}

// wait returns when the cool-down is over, which is earlier if it is to last only until the disks
// are idle. A disk that hangs meanwhile ends it.
func (r *rest) wait(
	ctx context.Context, phase string, cooldown time.Duration,
) (*scenario.Disk, error) {
	over := time.NewTimer(cooldown)
	defer over.Stop()
	resting, end := context.WithCancel(ctx)
	defer end()
	disks := 0
	for i := range r.Plan.Disks {
		if disk := &r.Plan.Disks[i]; !disk.Simulated() {
			disks++
			go r.watchDisk(resting, disk)
		}
	}
	ends := over.C
	if r.untilIdle && disks > 0 {
		ends = nil // before all disks have answered
	}
	var idle idleWatch
	round := map[string]answer{}
	for warned := false; ; {
		select {
		case <-ends:
			return nil, ctx.Err()
		case <-ctx.Done():
			return nil, ctx.Err()
		case a := <-r.answers:
			if a.hang != nil {
				return a.disk, a.hang
			}
			round[a.disk.Name] = a
		}
		if !r.untilIdle || len(round) < disks {
			continue
		}
		ends = over.C
		moved, known := traffic(round)
		clear(round)
		if !known && !warned && r.Warn != nil {
			warned = true
			r.Warn(fmt.Sprintf("phase %s waits until the disks are idle, but what they move "+
				"cannot be read here: it waits the whole %s",
				phase, unit.FormatSeconds(cooldown.Seconds())))
		}
		if idle.since(moved, known, time.Now()) >= idleFor {
			return nil, ctx.Err()
		}
	}
}

// watchDisk asks a disk again and again until the rest is over, and answers when it hangs.
func (r *rest) watchDisk(ctx context.Context, disk *scenario.Disk) {
	w := r.watch()
	what := "disk " + disk.Name
	err := w.Do(ctx, what, func(ctx context.Context, moved func()) error {
		for ctx.Err() == nil {
			a := answer{disk: disk}
			a.moved, a.known = r.ask(ctx, disk, r.untilIdle)
			moved()
			r.say(ctx, a)
			select {
			case <-ctx.Done():
			case <-time.After(idleCheck):
			}
		}
		return nil
	})
	if hang, ok := errors.AsType[*watch.HangError](err); ok {
		text := strings.TrimPrefix(hang.Error(), what+": ")
		r.say(ctx, answer{disk: disk, hang: errors.New(text)})
	}
}

// say passes on an answer unless the rest is over.
func (r *rest) say(ctx context.Context, a answer) {
	select {
	case r.answers <- a:
	case <-ctx.Done():
	}
}

// askDisk asks a disk whether it is there, which moves nothing on it. Whether it is, the next phase
// finds out: only its silence counts here. If it is to count, it returns what the disk has moved.
func askDisk(ctx context.Context, disk *scenario.Disk, count bool) (moved int64, known bool) {
	if !count {
		_, _ = device.Inspect(disk.Path)
		return 0, false
	}
	counted, err := gauge.Count(ctx, disk.Path)
	return counted.Sum(), err == nil
}

// traffic returns what all disks have moved; it is unknown if one of them has no counter.
func traffic(round map[string]answer) (sum int64, known bool) {
	for _, a := range round {
		if !a.known {
			return 0, false
		}
		sum += a.moved
	}
	return sum, true
}

// idleWatch measures how long a counter stands still.
type idleWatch struct {
	count int64
	at    time.Time // at is when it last moved; zero before it is known.
}

// since returns how long the counter has stood still by now; zero if it is not known.
func (c *idleWatch) since(count int64, known bool, now time.Time) time.Duration {
	if !known || c.at.IsZero() || count != c.count {
		c.count = count
		c.at = now
	}
	return now.Sub(c.at)
}
