package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Search is what a search for the most streams, or for the fastest pace that leaves streams clean, has found. It is told
// by the phases that were its tries, whose lines say so.
type Search struct {
	Name  string      `json:"name"`
	Kind  string      `json:"kind"`            // streams | pace
	Disk  string      `json:"disk"`            // whose streams were counted, or whose pace was sought
	Alone *float64    `json:"alone,omitempty"` // the largest value that was clean without the other disks, 0: none; null where that was not found
	Found *float64    `json:"found"`           // the largest that was clean with them, 0: none; null where that was not found
	Tries []SearchTry `json:"tries"`
	// The streams stay clean however fast the disk goes; found is null then.
	Unlimited bool `json:"unlimited,omitempty"`
	// All that was tried was clean: it may be more.
	AloneOpen bool `json:"alone_open,omitempty"`
	FoundOpen bool `json:"found_open,omitempty"`
}

// SearchTry is one phase of a search.
type SearchTry struct {
	Phase     string         `json:"phase"`
	Value     float64        `json:"value"`
	Unlimited bool           `json:"unlimited,omitempty"` // without a limit: there is no value
	Alone     bool           `json:"alone,omitempty"`
	Verdict   stream.Verdict `json:"verdict"` // the worst of its streams; empty where it did not end as it should
}

// searches are the run's, in the order of their first tries. Complete says that the run, and so they, got to the end.
func searches(phases []*phase, complete bool) []Search {
	var all []Search
	index := map[string]int{}
	for _, p := range phases {
		t := p.trace.Search
		if t == nil || number(t.Value) == nil {
			continue
		}
		i, known := index[t.Search]
		if !known {
			i = len(all)
			index[t.Search] = i
			all = append(all, Search{Name: t.Search, Kind: t.Kind, Disk: t.Disk})
		}
		all[i].Tries = append(all[i].Tries, SearchTry{p.out.Phase, t.Value, t.Unlimited, t.Alone, p.streamVerdict()})
	}
	for i := range all {
		all[i].answer(complete)
	}
	return all
}

// streamVerdict is the worst of the phase's streams; empty if it has none, or was cut short, or if a disk beside them stopped
// before they did: what stays clean without it says nothing.
func (p *phase) streamVerdict() stream.Verdict {
	if p.trace.Status == trace.Partial {
		return ""
	}
	var last int64
	for i := range p.parts {
		for _, s := range p.parts[i].Trace.Streams {
			if n := len(s.Samples); n > 0 {
				last = max(last, s.Samples[n-1].TNS)
			}
		}
	}
	for i := range p.parts {
		if part := &p.parts[i]; last > 0 && !part.Limited() && (len(part.Active) == 0 || search.Stopped(part.EndNS(), last)) {
			return ""
		}
	}
	var worst stream.Verdict
	for i := range p.out.Streams {
		worst = stream.Worst(worst, p.out.Streams[i].Verdict)
	}
	return worst
}

// answer fills in what the tries have found.
func (s *Search) answer(complete bool) {
	free := 0
	for _, t := range s.Tries {
		if t.Unlimited && t.Verdict == stream.Clean {
			free++
		}
	}
	if s.Unlimited = free >= search.CleanTries; s.Unlimited {
		return
	}
	s.Alone, s.Found = s.largest(true, complete), s.largest(false, complete)
	if s.Alone != nil && *s.Alone == 0 {
		s.Found = s.Alone
	}
	s.AloneOpen, s.FoundOpen = s.open(s.Alone, true), s.open(s.Found, false)
}

// open reports whether no larger value has failed. What fails alone fails with the other disks too.
func (s *Search) open(value *float64, alone bool) bool {
	return value != nil && !slices.ContainsFunc(s.Tries, func(t SearchTry) bool {
		fails := t.Verdict != "" && t.Verdict != stream.Clean && (t.Alone || !alone)
		return fails && (t.Unlimited || t.Value > *value)
	})
}

// largest is the largest value that was clean in each of its tries, where these are as many as it takes to confirm it;
// zero where it is certain that there is none, and nil where nothing was tried or the search did not get to its end.
func (s *Search) largest(alone, complete bool) *float64 {
	clean, failed := map[float64]int{}, map[float64]bool{}
	best, tried := 0.0, false
	for _, t := range s.Tries {
		if t.Alone != alone || t.Verdict == "" {
			continue
		}
		tried = true
		if t.Unlimited {
			continue // of which one that was not clean says that there is an answer below
		}
		if t.Verdict == stream.Clean {
			clean[t.Value]++
		} else {
			failed[t.Value] = true
		}
	}
	for value, n := range clean {
		if !failed[value] && n >= search.CleanTries {
			best = max(best, value)
		}
	}
	none := failed[1] // there are no fewer streams to try
	if s.Kind == trace.SearchPace {
		none = complete && len(clean) == 0
	}
	if !tried || best == 0 && !none {
		return nil
	}
	return &best
}
