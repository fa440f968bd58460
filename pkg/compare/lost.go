package compare

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// losses are what the base measured and the other run did not, or not to its end: phases, disks and searches.
func (p *Pair) losses(other Run) []string {
	var list []string
	add := func(what, why string) { list = append(list, what+" of "+other.Label+why) }
	for _, phase := range p.OnlyBase {
		add(p.Title(phase), "")
	}
	for i := range p.Phases {
		phase := &p.Phases[i]
		for j, d := range phase.Unlike {
			if (j == 0 || phase.Unlike[j-1].Where != d.Where) && !slices.Contains(phase.Lost, d.Where) {
				add(d.Where+" in "+phase.Title, ", for its work is another")
			}
		}
		for _, disk := range phase.Lost {
			add(disk+" in "+phase.Title, "")
		}
		switch {
		case phase.Incomplete && len(phase.Lost) == 0:
			add(phase.Title, ", which was cut short")
		case phase.Unmeasured && len(phase.Lost) == 0:
			add(phase.Title, ", for "+phase.Reason)
		}
	}
	for i := range p.Searches {
		if s := &p.Searches[i]; other.cut(s.Name) || slices.ContainsFunc(s.New, s.Base[0].beyond) {
			add(s.Name, ", which has no answer")
		}
	}
	return list
}

// lost are the disks that worked in the base and did not, did another thing or failed in the other run.
func lost(base Run, b, n part) []string {
	worked := func(d *trace.DiskTrace) bool { return d != nil && len(d.Files)+len(d.Streams)+len(d.Latencies) > 0 }
	var disks []string
	for _, name := range base.Analysis.Order {
		was, is := b.traced.Disk(name), n.traced.Disk(name)
		// In a phase that was cut short, that is why a disk left a file unfinished.
		failed := func(w analysis.Warning) bool {
			return w.Code == "partial" && w.Disk == name && (n.traced.Status != trace.Partial || len(is.Errors) > 0)
		}
		if worked(was) && (!worked(is) || is.Op != was.Op || slices.ContainsFunc(n.found.Warnings, failed)) {
			disks = append(disks, name)
		}
	}
	return disks
}

// cut reports whether a try of a search did not get to its end.
func (r Run) cut(search string) bool {
	return slices.ContainsFunc(r.Trace.Phases, func(p *trace.Phase) bool {
		return p.Search != nil && p.Search.Search == search && p.Status == trace.Partial
	})
}

// beyond reports whether the answer says something that another does not.
func (a Answer) beyond(other Answer) bool {
	found := func(x Answer) bool { return x.Found != nil || x.Unlimited }
	return found(a) && !found(other) || a.Alone != nil && other.Alone == nil && !other.Unlimited
}
