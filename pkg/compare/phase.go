package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// matched is a run whose phases are matched to those of the base. Its findings name these.
type matched struct {
	Run
	parts []*part
	found []analysis.Finding // by the run's own names of phases
}

// part is a phase of one run, with the data of its rates.
type part struct {
	name        string  // of the base's phase that it matches
	own         string  // in its own run: without a number if it has repeats
	all         []*part // itself and its repeats in the same run, in order
	found       *analysis.Phase
	traced      *trace.Phase
	title       string
	works       map[string]work.Work // of each disk
	connections map[string]string
	window      []overlap.Span            // the time in which all disks of the phase were active
	curves      map[string]*overlap.Curve // of the disks whose rates were asked for
	flows       map[string]stats.Flow     // and their rates in the window
}

func newPart(r Run, t *trace.Phase) *part {
	p := &part{name: t.Name, own: t.Name, traced: t, title: r.Trace.Title(t), works: map[string]work.Work{},
		connections: map[string]string{}, curves: map[string]*overlap.Curve{}, flows: map[string]stats.Flow{}}
	for _, d := range r.Trace.Disks {
		p.connections[d.Name] = d.Connection
	}
	for _, d := range t.Disks {
		p.works[d.Name] = t.WorkOf(d)
		p.connections[d.Name] = cmp.Or(t.Connections[d.Name], p.connections[d.Name])
	}
	for i := range r.Analysis.Phases {
		if r.Analysis.Phases[i].Name == t.Name {
			p.found = &r.Analysis.Phases[i]
		}
	}
	p.all = []*part{p}
	if p.found.Overlap != nil {
		for _, span := range p.found.Overlap.Spans {
			p.window = append(p.window, overlap.Span{StartNS: ns(span[0]), EndNS: ns(span[1])})
		}
	}
	return p
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// part finds a phase by the base's name for it; nil if there is none.
func (r *matched) part(name string) *part {
	if i := slices.IndexFunc(r.parts, func(p *part) bool { return p.name == name }); i >= 0 {
		return r.parts[i]
	}
	return nil
}

// partsOf are the repeats of a phase in each run. If they are the unit, each is by itself, as if it were a run.
func partsOf(runs []*matched, name string, each bool) (list [][]*part) {
	for _, r := range runs {
		if pool := r.part(name).pool(); each {
			list = slices.AppendSeq(list, slices.Chunk(pool, 1))
		} else {
			list = append(list, pool)
		}
	}
	return list
}

// repeatedBy reports whether q repeats p, which is the first of its entry in the scenario (WW-1, then WW-2). A disk
// that failed may be missing in either.
func (p *part) repeatedBy(q *part) bool {
	a, b := p.traced, q.traced
	first := trace.Unnumbered(b.Name) + "-1"
	return p.all[0].traced.Name == first && b.Name != first && a.Search == nil && b.Search == nil && a.Stop == b.Stop &&
		a.Test == b.Test && p.shared(q) > 0
}

// usable reports whether a phase was measured to its end.
func (p *part) usable() bool { return p.traced.Status != trace.Partial && len(p.window) > 0 }

// pool are those of a phase and its repeats that are compared; p stands for all of them.
func (p *part) pool() []*part {
	unlike := func(q *part) bool { return !q.usable() || len(q.works) != len(p.works) }
	if pool := slices.DeleteFunc(slices.Clone(p.all), unlike); len(pool) > 0 {
		return pool
	}
	return []*part{p}
}

// called is what people call the phase, with all its repeats.
func (p *part) called() string {
	if len(p.all) > 1 {
		return trace.Unnumbered(p.found.Title)
	}
	return p.found.Title
}

func moves(role trace.Role) bool { return role == trace.Read || role == trace.Write }

// flow is the rate that some disks have together in a time in which all are active.
func (p *part) flow(disks []string, time []overlap.Span) stats.Flow {
	flows := make([]stats.Flow, len(disks))
	for i, disk := range disks {
		if p.curves[disk] == nil {
			p.curves[disk] = overlap.NewCurve(p.traced.Disk(disk))
			p.flows[disk] = p.curves[disk].Flow(p.window)
		}
		if flows[i] = p.flows[disk]; !slices.Equal(time, p.window) {
			flows[i] = p.curves[disk].Flow(time)
		}
	}
	return stats.Total(flows)
}

// lasting is why a rate has no verdict whose noise has a memory of more than a tenth of the phase.
const lasting = "the rate changes as slowly as the phase is long, so how far its mean may be off is not known"

// because says why a flow is too little evidence.
func because(doubt stats.Doubt, f stats.Flow) string {
	switch {
	case f.Length < overlap.ShortS:
		return fmt.Sprintf("only %.1f s were measured", f.Length)
	case doubt == stats.TooShort:
		return fmt.Sprintf("the progress is known at only %d points in time", f.Known+1)
	case doubt == stats.TooFew:
		return "one or two files took almost all of the time, so how files differ is not known"
	default:
		return lasting
	}
}

// file is a transfer that lies in the window.
type file struct {
	place int // among all the disk's files, even those outside the window
	bytes int64
	rate  float64 // its logarithm
}

// files are the disk's files that lie in the window and do not overlap another file of the disk.
func (p *part) files(disk string) []file {
	d, place, ended := p.traced.Disk(disk), -1, int64(math.MinInt64)
	files := make([]file, 0, len(d.Files))
	for i := range d.Files {
		f := &d.Files[i]
		if f.Filler || !f.Usable() {
			continue
		}
		place++
		alone := f.StartNS >= ended && (i+1 == len(d.Files) || d.Files[i+1].StartNS >= f.EndNS)
		ended = max(ended, f.EndNS)
		within := func(v overlap.Span) bool { return v.StartNS <= f.StartNS && f.EndNS <= v.EndNS }
		if alone && slices.ContainsFunc(p.window, within) {
			files = append(files, file{place, f.Bytes, math.Log(float64(f.Bytes) / float64(f.EndNS-f.StartNS) * 1e9)})
		}
	}
	return files
}
