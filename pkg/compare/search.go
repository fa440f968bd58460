package compare

import (
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/work"
)

// SearchPair is what a search that is in both runs found. Its tries differ from run to run and are
// not compared. A result has no interval: one stream more or less, or a pace that differs by a
// twentieth, may be chance.
type SearchPair struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // streams | pace
	Disk string `json:"disk"`
	// Base has the results of each run of the base: one, or as many as it was repeated.
	Base []analysis.SearchResult `json:"base"`
	New  []analysis.SearchResult `json:"new"`
	// Work is what was searched in the base and here, if that differs.
	Work *[2]string `json:"work,omitempty"`
}

// searches returns those that are in all runs, with the results of each.
func searches(base, other []*matchedRun) []SearchPair {
	var list []SearchPair
	for _, s := range base[0].Analysis.Searches {
		out := SearchPair{
			Name: s.Name,
			Kind: s.Kind,
			Disk: s.Disk,
			Base: results(base, &s),
			New:  results(other, &s),
		}
		if len(out.Base) < len(base) || len(out.New) < len(other) {
			continue
		}
		if b, n := searched(base[0], &s), searched(other[0], &s); b != n {
			out.Work = &[2]string{b, n}
		}
		list = append(list, out)
	}
	return list
}

// results returns what a search found in each run that has it.
func results(runs []*matchedRun, s *analysis.SearchSummary) (list []analysis.SearchResult) {
	for _, r := range runs {
		for _, f := range r.Analysis.Searches {
			if f.Name == s.Name && f.Kind == s.Kind && f.Disk == s.Disk {
				list = append(list, f.SearchResult)
			}
		}
	}
	return list
}

// searched returns what the disks did in a search's first try: "A: 1 x hq, buffer 1 s; C writes".
func searched(r *matchedRun, s *analysis.SearchSummary) string {
	var texts []string
	for _, p := range r.Trace.Phases {
		if p.Search == nil || p.Search.Search != s.Name || len(p.Disks) <= len(texts) {
			continue
		}
		texts = nil
		for _, d := range p.Disks {
			w := p.WorkOf(d)
			text := d.Name + " " + w.Does().One
			if len(w.Streams) > 0 {
				text = d.Name + ": " + w.Value(work.KeyStreams)
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}
