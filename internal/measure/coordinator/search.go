package coordinator

import (
	"bytes"
	"cmp"
	"context"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// runSearch runs the tries of a phase's search that are not done yet, up to the first that is incomplete.
func runSearch(ctx context.Context, opts Options, index int, starter *starter, sim *hub.Sim) ([]trace.RunFailure, error) {
	s := search.New(&opts.Plan.Phases[index])
	var done []search.Outcome
	if index == opts.Done {
		done = opts.Tried
	}
	for {
		try, ok := s.Next()
		if !ok {
			return nil, nil
		}
		if s.Made() < len(done) {
			if err := replay(sim, opts.Plan, &try); err != nil {
				return nil, err
			}
			s.Add(done[s.Made()])
			continue
		}
		judge := search.NewJudge(&try)
		judged := opts
		judged.Journal = judgedJournal{opts.Journal, judge}
		failures, err := runPhase(ctx, judged, index, try, starter, sim)
		if len(failures) > 0 || err != nil {
			return failures, err
		}
		outcome, err := judge.Outcome()
		if err != nil {
			return []trace.RunFailure{{Phase: try.Name, Cause: err.Error()}}, appendTo(opts.Journal, ended(try, trace.Partial))
		}
		if err := appendTo(opts.Journal, ended(try, trace.Complete)); err != nil {
			return nil, err
		}
		s.Add(outcome)
		opts.Watcher.Tried(*try.Try, outcome, s)
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
