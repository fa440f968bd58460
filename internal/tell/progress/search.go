package progress

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Tried says what the phase that has ended was to a search, and when the search is over what it has found.
func (p *Progress) Tried(try trace.Try, o search.Outcome, s *search.Search) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := scenario.TryValue(try)
	if try.Alone {
		what += ", alone"
	}
	p.printer.say(indent, fmt.Sprintf("try %d of at most %d: %s: %s", s.Made(), s.AtMost(), what, o.Verdict))
	next := p.state.cooldown()
	if coming, more := s.Next(); more {
		next = p.state.cooldownBefore(&coming)
	} else {
		p.printer.say(indent, found(try, s.Result()))
	}
	if next != "" {
		p.printer.say(indent, next)
	}
}

// found is a search's answer in words.
func found(try trace.Try, r search.Result) string {
	text := answer(try, r)
	if r.AloneOpen || r.FoundOpen {
		text += "; nothing higher was tried"
	}
	return text
}

func answer(try trace.Try, r search.Result) string {
	switch {
	case r.Unlimited:
		return "found: " + try.Disk + " needs no limit"
	case try.Kind == trace.SearchPace && r.Found != nil && *r.Found == 0:
		return "found: the streams are not clean at any pace of " + try.Disk
	case r.Alone != nil || r.AloneBetween != nil:
		return "found: " + value(try, r.Alone, r.AloneBetween) + " alone, " + value(try, r.Found, r.FoundBetween) + " beside the others"
	default:
		return "found: " + value(try, r.Found, r.FoundBetween)
	}
}

// value is one answer in words.
func value(try trace.Try, found *float64, between *search.Between) string {
	text := func(v *float64) string {
		if v != nil && *v == 0 {
			return "no stream"
		}
		if try.Unlimited = v == nil; v != nil {
			try.Value = *v
		}
		return scenario.TryValue(try)
	}
	if found == nil && between != nil {
		return "unsure, between " + text(&between.Low) + " and " + text(between.High)
	}
	return text(found)
}
