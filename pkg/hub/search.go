package hub

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// recordSearch plays and records the tries of a phase's search.
func (s *Sim) recordSearch(plan *scenario.Plan, phase *scenario.Phase, emit func(*trace.Event) error) error {
	sought := search.New(phase)
	for {
		try, ok := sought.Next()
		if !ok {
			return nil
		}
		judge := search.NewJudge(&try)
		err := s.Record(plan, &try, func(e *trace.Event) error {
			judge.Add(e)
			return emit(e)
		})
		if err != nil {
			return err
		}
		outcome, err := judge.Outcome()
		if err != nil {
			return fmt.Errorf("simulate phase %s: %w", try.Name, err)
		}
		sought.Add(outcome)
	}
}
