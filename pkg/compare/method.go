package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Method is how a run was made, beyond what its trace says.
type Method struct {
	Tool      string // hubbench's version
	Host      string
	System    string                                // operating system, processor
	Plan      *scenario.Plan                        // never nil
	Effective map[string]map[string]trace.Effective // by phase and disk
	Simulated bool                                  // on a hub model in virtual time, even if the plan's disks are real
}

// Difference is something that differed between the two runs. It may be what they are meant to compare, or make the
// comparison unfair.
type Difference struct {
	What  string `json:"what"`
	Where string `json:"where,omitempty"` // phases and disks; empty: everywhere
	Base  string `json:"base"`
	New   string `json:"new"`
}

// aspects are the things that are compared, the most important first, each with the possible causes of a change
// that a difference in it is one of. A hub's profile includes the speeds of its disks. How much was measured,
// in which order or when is not a cause.
func aspects() [][]string {
	const disks, hub, connection, host, work = "disks", "hub", "connection", "host", "work"
	return [][]string{
		{"disks", disks}, {"roles", work}, {"connection", connection}, {"hub model", disks, hub}, {"model", disks},
		{"firmware", disks}, {"hub", hub}, {"hub firmware", hub}, {"port", connection}, {"links", connection},
		{"file system", disks}, {"encrypted", disks}, {"compressed", disks}, {"mounted", disks}, {"fill level", disks},
		{"described as", disks}, {"hub described as", hub}, {"power source", host}, {"operating system", host},
		{"host model", host}, {"processor", host}, {"engine", work}, {"cache", work}, {"flush", work}, {"block", work},
		{"depth", work}, {"access", work}, {"verify", work}, {"preallocate", work}, {"footprint", work},
		{"precondition", work}, {"warm_up", work}, {"test", work}, {"files"}, {"stop"}, {"cooldown"}, {"seed"},
		{"hubbench"}, {"system", host}, {"host", host}, {"path"},
	}
}

// rank is how important an aspect is, from 0 on; below zero if it is none.
func rank(what string) int {
	return slices.IndexFunc(aspects(), func(aspect []string) bool { return aspect[0] == what })
}

// fact is one thing about how a run was made.
type fact struct {
	about
	is   string
	like string // what is compared if that is more than is shown
}

// about is what a fact is about: a phase, a disk, or a disk in a phase, or the run as a whole.
type about struct{ what, phase, disk string }

type facts []fact

// add notes what some things are.
func (l *facts) add(phase, disk string, are map[string]string) {
	for what, is := range are {
		*l = append(*l, fact{about: about{what, phase, disk}, is: is})
	}
}

// addKnown notes those that are known.
func (l *facts) addKnown(disk string, are map[string]string) {
	maps.DeleteFunc(are, func(_, is string) bool { return is == "" })
	l.add("", disk, are)
}

// addSizes compares files by all their sizes, and shows how many there are and their total.
func (l *facts) addSizes(phase, disk string, sizes []int64) {
	text := "none"
	all := make([]byte, 0, 8*len(sizes))
	if len(sizes) > 0 {
		var sum int64
		for _, size := range sizes {
			sum += size
			all = binary.LittleEndian.AppendUint64(all, uint64(size))
		}
		low, high := unit.FormatBytes(slices.Min(sizes)), unit.FormatBytes(slices.Max(sizes))
		if text = fmt.Sprintf("%d of %s", len(sizes), low); low != high {
			text += " to " + high
		}
		text += ", " + unit.FormatBytes(sum) + " in total"
	}
	*l = append(*l, fact{about{"files", phase, disk}, text, fmt.Sprintf("%x", sha256.Sum256(all))})
}

// differences lists what differed in the phases that are in both runs, the most important first.
func differences(base, other *matched, phases []Phase) []Difference {
	known := map[about]fact{}
	for _, f := range factsOf(other, base, phases) {
		known[f.about] = f
	}
	list := []Difference{}
	at, places, all := map[Difference]int{}, map[int][]about{}, map[string]int{}
	for _, f := range factsOf(base, other, phases) {
		g, ok := known[f.about]
		if !ok {
			continue
		}
		if all[f.what]++; f == g {
			continue
		}
		if f.is == g.is {
			g.is += ", but different ones"
		}
		d := Difference{What: f.what, Base: f.is, New: g.is}
		if _, ok := at[d]; !ok {
			at[d] = len(list)
			list = append(list, d)
		}
		places[at[d]] = append(places[at[d]], f.about)
	}
	for i := range list {
		if d := &list[i]; len(places[i]) < all[d.What] {
			d.Where = where(places[i])
		}
	}
	slices.SortStableFunc(list, func(a, b Difference) int { return rank(a.What) - rank(b.What) })
	return list
}

// where names the places of facts: whole phases, disks, or disks in phases.
func where(places []about) string {
	var names []string
	for _, a := range places {
		if a.disk != "" && a.phase != "" {
			names = append(names, a.disk+" in "+a.phase)
		} else {
			names = append(names, a.disk+a.phase)
		}
	}
	return few(names, ", ")
}

// few lists names, after the third only how many more there are.
func few(names []string, separator string) string {
	if more := len(names) - 3; more > 1 {
		names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, separator)
}

// factsOf are what is known about how a run was made, in the given phases; its method only if the other run has
// one too.
func factsOf(r, other *matched, phases []Phase) facts {
	var l facts
	l.add("", "", map[string]string{"disks": map[bool]string{true: "simulated", false: "real"}[r.simulated()]})
	for _, d := range r.Trace.Disks {
		l.add("", d.Name, map[string]string{"path": cmp.Or(d.Path, "none")})
	}
	l.addSetup(r.Trace)
	planned := r.Method != nil && other.Method != nil
	if planned {
		m := r.Method
		l.add("", "", map[string]string{"hubbench": m.Tool, "system": m.System, "host": m.Host,
			"seed": strconv.FormatUint(m.Plan.Seed, 10)})
		if hub := m.Plan.Hub; hub != nil {
			l.add("", "", map[string]string{"hub model": cmp.Or(hub.Profile, hub.Name)})
		}
	}
	for _, phase := range phases {
		p := r.part(phase.Name)
		var disks []string
		does := map[string]work.Work{}
		for _, d := range r.Trace.Disks {
			disks = append(disks, d.Name)
			if moves(p.traced.Roles[d.Name]) {
				connection := cmp.Or(p.traced.Connections[d.Name], d.Connection, "not recorded")
				l.add(p.name, d.Name, map[string]string{"connection": connection})
			}
		}
		for _, d := range p.traced.Disks {
			does[d.Name] = work.Work{Op: d.Op}
		}
		l.add(p.name, "", map[string]string{"roles": work.Who(disks, does), "test": cmp.Or(p.traced.Test, "none")})
		if planned {
			l.addPlan(r.Method, p, other.Method.Effective[other.part(p.name).traced.Name])
		} else {
			l.addTrace(p)
		}
	}
	return l
}

// simulated reports whether the run was simulated on a model, even if its disks are real.
func (r *matched) simulated() bool {
	real := func(d trace.Disk) bool { return d.Profile == "" }
	return r.Method != nil && r.Method.Simulated || len(r.Trace.Disks) > 0 && !slices.ContainsFunc(r.Trace.Disks, real)
}

// addTrace notes what the trace of a phase tells about what was planned: its files and, if that was recorded,
// how each disk moves them.
func (l *facts) addTrace(p *part) {
	l.add(p.name, "", map[string]string{"stop": cmp.Or(p.traced.Stop, scenario.StopRace)})
	for _, d := range p.traced.Disks {
		sizes := make([]int64, 0, len(d.Files))
		for i := range d.Files {
			if f := &d.Files[i]; !f.Filler {
				sizes = append(sizes, f.Bytes)
			}
		}
		if p.traced.Stop != scenario.StopTime {
			l.addSizes(p.name, d.Name, sizes)
		}
		w := p.works[d.Name]
		if !w.Declared() {
			continue
		}
		l.add(p.name, d.Name, waysOf(w))
	}
}

// waysOf are how work moves its files, by aspect.
func waysOf(w work.Work) map[string]string {
	are := map[string]string{}
	for _, k := range work.Ways() {
		are[string(k)] = w.Value(k)
	}
	are["engine"] = w.Value(work.KeyIO)
	delete(are, string(work.KeyIO))
	return are
}

// addPlan notes what the plan says about a phase, and how the disks were really driven in it if both runs say so.
func (l *facts) addPlan(m *Method, part *part, others map[string]trace.Effective) {
	i := slices.IndexFunc(m.Plan.Phases, func(p scenario.Phase) bool { return p.Name == part.traced.Name })
	if i < 0 {
		return
	}
	p, had := &m.Plan.Phases[i], m.Effective[part.traced.Name]
	rest := cmp.Or(timed("%s", p.Cooldown), "none")
	if p.UntilIdle {
		rest = "until idle, at most " + rest
	}
	l.add(part.name, "", map[string]string{
		"stop": joined(cmp.Or(p.Stop, scenario.StopRace), timed("after %s", p.Limit),
			timed("with files for %s", p.Target)),
		"cooldown": rest,
	})
	for _, job := range p.Jobs {
		io := job.IO
		mode := trace.Effective{Engine: io.Mode, Flush: io.Flush, Block: io.Block, Depth: io.Depth}
		if _, ok := others[job.Disk]; ok {
			if effective, ok := had[job.Disk]; ok {
				mode = effective
			}
		}
		again, warmUp := "", ""
		if io.OneFile {
			again = "one file repeatedly"
		}
		if io.Discard > 0 {
			warmUp = fmt.Sprintf("%d to warm up", io.Discard)
		}
		l.addSizes(part.name, job.Disk, job.Sizes)
		are := waysOf(p.Works()[job.Disk])
		delete(are, string(work.KeyWarmUp)) // access says it
		maps.Copy(are, map[string]string{
			"engine": mode.Engine, "cache": mode.Cache, "depth": strconv.Itoa(mode.Depth),
			"flush": flushed(mode, others[job.Disk]),
			"access": joined(cmp.Or(io.Access, scenario.AccessSequential), again, timed("at most %s each", io.Cap),
				timed("%s apart", io.Rest), warmUp),
			"verify":      cmp.Or(io.Verify, scenario.VerifyOff),
			"preallocate": preallocated(io, had[job.Disk].Space, others[job.Disk].Space),
		})
		delete(are, string(work.KeyBlock)) // compared to the byte
		l.add(part.name, job.Disk, are)
		block := fact{about{"block", part.name, job.Disk}, unit.FormatBytes(mode.Block), strconv.FormatInt(mode.Block, 10)}
		*l = append(*l, block)
	}
}

// flushed says what was flushed, and how far that went if it was recorded in the other run as well.
func flushed(had, other trace.Effective) string {
	if had.FlushReaches == "" || other.FlushReaches == "" {
		return had.Flush
	}
	return had.Flush + ", to " + had.FlushReaches
}

// timed puts a duration into a text; empty for none.
func timed(format string, d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf(format, unit.FormatSeconds(d.Seconds()))
}

// joined lists the parts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// preallocated says how the space of new files was reserved, if that was recorded in the other run as well.
func preallocated(io scenario.IO, had, other string) string {
	switch {
	case had == "" || other == "" || had == trace.SpaceReserved:
		return strconv.FormatBool(io.Preallocate)
	case had == trace.SpaceNone:
		return "not possible"
	case had == trace.SpaceZeros:
		return "by zeros"
	default:
		return had
	}
}

// addSetup notes what a run was measured on, as far as recorded.
func (l *facts) addSetup(run *trace.Run) {
	setup := run.Hardware
	if setup == nil {
		return
	}
	l.addKnown("", map[string]string{"port": setup.Port, "hub described as": setup.About})
	if hub := setup.Hub; hub != nil {
		l.addKnown("", map[string]string{"hub": hub.Product(), "hub firmware": hub.Firmware})
	}
	if host := setup.Host; host != nil {
		l.addKnown("", map[string]string{"host model": host.Model, "operating system": host.OS, "processor": host.CPU,
			"power source": string(host.Power)})
	}
	yesNo := map[bool]string{true: "yes", false: "no"}
	for _, disk := range run.Disks {
		unit, known := setup.Disks[disk.Name]
		if !known {
			continue
		}
		are := map[string]string{"model": unit.Model, "firmware": unit.Firmware, "links": unit.Path.String(),
			"described as": unit.About}
		if v := unit.Volume; v != nil {
			if v.Filesystem != "" {
				are["file system"] = v.Filesystem
				are["mounted"] = cmp.Or(strings.Join(v.Options, ", "), "by default")
			}
			if v.Encrypted != nil {
				are["encrypted"] = yesNo[*v.Encrypted]
			}
			if v.Compressed != nil {
				are["compressed"] = yesNo[*v.Compressed]
			}
			if v.SizeBytes > 0 && v.Mount != "" {
				// A disk that is nearly full may have few blocks left that it can write to without erasing.
				are["fill level"] = map[bool]string{true: "over 90 % full", false: "at most 90 % full"}[v.Fill() > 0.9]
			}
		}
		l.addKnown(disk.Name, are)
	}
}

// about fills in what differs between two runs and may so be the cause of a change.
func (p *Pair) about(base, other *matched) {
	var details []string
	p.Differs = []string{}
	add := func(d Difference, where string) {
		about := []string{"work"}
		if i := rank(d.What); i >= 0 {
			about = aspects()[i][1:]
		}
		before := len(p.Differs)
		for _, cause := range about {
			if !slices.Contains(p.Differs, cause) {
				p.Differs = append(p.Differs, cause)
			}
		}
		if len(p.Differs) > before {
			details = append(details, strings.TrimSpace(d.What+" "+where)+": "+d.Base+" → "+d.New)
		}
	}
	for _, d := range p.Method {
		add(d, d.Where)
	}
	for _, phase := range p.Phases {
		for _, d := range phase.Unlike {
			add(d, d.Where+" in "+phase.Title)
		}
	}
	known := base.Trace.Hardware != nil && other.Trace.Hardware != nil ||
		base.simulated() && other.simulated() && base.Method != nil && other.Method != nil
	what := fmt.Sprintf("%s (%s)", unit.List(p.Differs), strings.Join(details, "; "))
	switch n := len(p.Differs); {
	case n == 0 && !known:
		p.Headline = "What the runs were made on is not recorded in both, so nothing tells what a change is due to."
	case n == 0:
		p.Headline = "Same disks, hub and work, as far as recorded, so a change would be run-to-run variation."
	case n > 1:
		p.Headline = "Different " + what + ": any of them may be the cause."
	case !known:
		p.Headline = "Different " + what + "; what else differs is not recorded in both."
	default:
		p.Headline = "Different " + what + ", which may be the cause."
	}
}
