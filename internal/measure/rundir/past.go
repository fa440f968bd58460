package rundir

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// past is how far a run got, by its events.
type past struct {
	plan   *scenario.Plan
	done   int              // phases of the plan that are complete
	tried  []search.Outcome // the complete tries of the next one's search
	search *search.Search   // that search; nil before its first try, and if the next phase has none
	judge  *search.Judge    // of its next try
}

// read follows the events to the end of the last complete phase, which may be a try of a search: that many bytes of the file
// stay. The phases must be those of the plan, in its order.
func (p *past) read(path string) (keep int64, err error) {
	file, err := openRegular(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	r := trace.NewReader(file, path)
	next := p.next()
	for r.Next() {
		e := r.Event()
		if p.judge != nil {
			p.judge.Add(e)
		}
		if e.Type != trace.PhaseEndType {
			continue
		}
		if e.Phase != next {
			return 0, fmt.Errorf("%s: phase %s is not the next in the plan: the plan and the events belong to different runs", path, e.Phase)
		}
		if e.Status != trace.Complete || !p.complete() {
			return keep, nil
		}
		keep, next = r.Offset(), p.next()
	}
	// A bad line is where a crash tore the file: what follows it is dropped too. A disk that cannot be read is not.
	if disk := (*fs.PathError)(nil); errors.As(r.Err(), &disk) {
		return 0, r.Err()
	}
	return keep, nil
}

// next is the name of the phase that comes next; empty after the last.
func (p *past) next() string {
	if p.done == len(p.plan.Phases) {
		return ""
	}
	phase := &p.plan.Phases[p.done]
	if phase.Search == nil {
		return phase.Name
	}
	if p.search == nil {
		p.search = search.New(phase)
	}
	try, _ := p.search.Next()
	p.judge = search.NewJudge(&try)
	return try.Name
}

// complete notes that the next phase is complete. A try without a result is not: it is repeated.
func (p *past) complete() bool {
	if p.search != nil {
		o, err := p.judge.Outcome()
		if err != nil {
			return false
		}
		p.search.Add(o)
		p.tried = append(p.tried, o)
		if _, more := p.search.Next(); more {
			return true
		}
	}
	p.done++
	p.tried, p.search, p.judge = nil, nil, nil
	return true
}
