package coordinator

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// A disk that has been written to goes on working by itself: it flushes its cache and collects garbage. It is idle when
// nothing has moved on it for a while.
const (
	idleFor   = 5 * time.Second
	idleCheck = 500 * time.Millisecond
)

// waitBefore waits as a phase asks before it begins: for a person, and for its cool-down, which ends earlier if it
// is to last only until the disks are idle.
func waitBefore(ctx context.Context, opts Options, phase scenario.Phase) error {
	if phase.Pause != "" {
		if err := opts.Pause(ctx, phase.Pause); err != nil {
			return err
		}
	}
	cooldown := phase.Cooldown
	if opts.Plan.Simulated() {
		cooldown = time.Duration(float64(cooldown) / opts.Plan.Hub.Speedup)
	}
	over := time.NewTimer(cooldown)
	defer over.Stop()
	var idle idleWatch
	var check <-chan time.Time // never, unless
	if phase.UntilIdle && !opts.Plan.Simulated() {
		if _, known := traffic(ctx, opts.Plan.Disks); !known && opts.Say != nil {
			opts.Say(fmt.Sprintf("phase %s waits until the disks are idle, but what they move cannot be read "+
				"here: it waits the whole %s",
				phase.Name, unit.FormatSeconds(cooldown.Seconds())))
		}
		tick := time.NewTicker(idleCheck)
		defer tick.Stop()
		check = tick.C
	}
	for {
		select {
		case <-over.C:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		case now := <-check:
			count, known := traffic(ctx, opts.Plan.Disks)
			if idle.since(count, known, now) >= idleFor {
				return ctx.Err()
			}
		}
	}
}

// traffic is what all disks have moved, for any program; it is unknown if one of them has no counter.
func traffic(ctx context.Context, disks []scenario.Disk) (sum int64, known bool) {
	for _, d := range disks {
		if d.Simulated() {
			return 0, false
		}
		count, err := gauge.Count(ctx, d.Path)
		if err != nil {
			return 0, false
		}
		sum += count.Sum()
	}
	return sum, true
}

// idleWatch measures how long a counter stands still.
type idleWatch struct {
	count int64
	at    time.Time // when it last moved; zero before it is known
}

// since is how long the counter has stood still by now; zero if it is not known.
func (c *idleWatch) since(count int64, known bool, now time.Time) time.Duration {
	if !known || c.at.IsZero() || count != c.count {
		c.count, c.at = count, now
	}
	return now.Sub(c.at)
}

// runSearch runs the tries of a phase's search that are not done yet, up to the first that is incomplete.
func (s *session) runSearch(ctx context.Context, index int) ([]trace.RunFailure, error) {
	sought := search.New(&s.Plan.Phases[index])
	var done []search.Outcome
	if index == s.Done {
		done = s.Tried
	}
	for {
		try, ok := sought.Next()
		if !ok {
			return nil, nil
		}
		if sought.Made() < len(done) {
			if err := s.replay(&try); err != nil {
				return nil, err
			}
			sought.Add(done[sought.Made()])
			continue
		}
		judge := search.NewJudge(&try)
		judged := *s
		judged.Journal = judgedJournal{s.Journal, judge}
		failures, err := judged.runPhase(ctx, index, try)
		if len(failures) > 0 || err != nil {
			return failures, err
		}
		outcome, err := judge.Outcome()
		if err != nil {
			return []trace.RunFailure{{Phase: try.Name, Cause: err.Error()}}, s.end(&try, trace.Partial)
		}
		if err := s.end(&try, trace.Complete); err != nil {
			return nil, err
		}
		sought.Add(outcome)
		s.Watcher.Tried(*try.Try, outcome, sought)
	}
}

// judgedJournal is a Journal whose events are judged.
type judgedJournal struct {
	Journal
	judge *search.Judge
}

func (j judgedJournal) AppendLines(lines []byte) error {
	events := trace.NewReader(bytes.NewReader(lines), "events")
	for events.Next() {
		j.judge.Add(events.Event())
	}
	return cmp.Or(events.Err(), j.Journal.AppendLines(lines))
}
