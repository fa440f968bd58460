package analysis

import (
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Search is what a search for the most streams, or for the fastest pace that leaves streams clean, has found. It is
// reported by the phases that were its tries, whose lines say so.
type Search struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // streams | pace
	Disk string `json:"disk"` // whose streams were counted, or whose pace was sought
	// The largest value that was clean without the other disks, 0: none; null if that was not found.
	Alone *float64    `json:"alone,omitempty"`
	Found *float64    `json:"found"` // the largest that was clean with them, 0: none; null if that was not found
	Tries []SearchTry `json:"tries"`
	// The range in which they lie if the tries contradict one another too much for an answer.
	AloneBetween *Between `json:"alone_between,omitempty"`
	FoundBetween *Between `json:"found_between,omitempty"`
	// The streams stay clean however fast the disk goes; found is null then.
	Unlimited bool `json:"unlimited,omitempty"`
	// All tries were clean: the limit may be higher.
	AloneOpen bool `json:"alone_open,omitempty"`
	FoundOpen bool `json:"found_open,omitempty"`
}

// Between is the range in which an uncertain limit lies.
type Between = search.Between

// SearchResult is what a search found.
type SearchResult = search.Result

// SearchTry is one phase of a search.
type SearchTry struct {
	Phase     string         `json:"phase"`
	Value     float64        `json:"value"`
	Unlimited bool           `json:"unlimited,omitempty"` // without a limit: there is no value
	Alone     bool           `json:"alone,omitempty"`
	Verdict   stream.Verdict `json:"verdict"` // the worst of its streams; empty if it did not end as it should
	Step      int            `json:"step,omitempty"`
	Steps     int            `json:"steps,omitempty"` // as in trace.Try
}

func searches(phases []*phase) []Search {
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
		all[i].Tries = append(all[i].Tries, SearchTry{p.out.Name, t.Value, t.Unlimited, t.Alone, p.streamVerdict(),
			t.Step, t.Steps})
	}
	for i := range all {
		all[i].answer()
	}
	return all
}

// streamVerdict is the worst of the phase's streams; empty if it has none, or was cut short, or if a disk beside them
// stopped before they did: what stays clean without it says nothing.
func (p *phase) streamVerdict() stream.Verdict {
	if p.trace.Status == trace.Partial {
		return ""
	}
	var last int64
	for _, part := range p.parts {
		for _, s := range part.Trace.Streams {
			if n := len(s.Samples); n > 0 {
				last = max(last, s.Samples[n-1].TNS)
			}
		}
	}
	for _, part := range p.parts {
		if last > 0 && !part.Limited() && (len(part.Active) == 0 || search.Stopped(part.EndNS(), last)) {
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
func (s *Search) answer() {
	made := make([]search.Made, len(s.Tries))
	for i, t := range s.Tries {
		try := trace.Try{Kind: s.Kind, Value: t.Value, Unlimited: t.Unlimited, Alone: t.Alone, Step: t.Step, Steps: t.Steps}
		made[i] = search.Made{Try: try, Verdict: t.Verdict}
	}
	r := search.Recall(made)
	if r.Alone != nil && *r.Alone == 0 {
		r.Found = r.Alone
	}
	s.Alone, s.Found, s.Unlimited = r.Alone, r.Found, r.Unlimited
	s.AloneBetween, s.FoundBetween = r.AloneBetween, r.FoundBetween
	s.AloneOpen, s.FoundOpen = r.AloneOpen, r.FoundOpen
}
