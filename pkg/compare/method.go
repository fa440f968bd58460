package compare

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
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

// fact is one thing about how a run was made: of a phase, a disk, or a disk in a phase, or of the run as a whole.
type fact struct {
	what, phase, disk string
	is                string
	like              string // what is compared if that is more than is shown
}

// differences lists what differed in the phases that are in both runs, the most important first.
func differences(base, other Run, phases []Phase) []Difference {
	known := map[[3]string]fact{}
	for _, f := range facts(other, base, phases) {
		known[[3]string{f.what, f.phase, f.disk}] = f
	}
	type change struct{ what, base, new string }
	var order []change
	changed, all := map[change][]fact{}, map[string]int{}
	for _, f := range facts(base, other, phases) {
		g, ok := known[[3]string{f.what, f.phase, f.disk}]
		if !ok {
			continue
		}
		all[f.what]++
		if f == g {
			continue
		}
		if f.is == g.is {
			g.is += ", but different ones"
		}
		c := change{f.what, f.is, g.is}
		if changed[c] == nil {
			order = append(order, c)
		}
		changed[c] = append(changed[c], f)
	}
	list := []Difference{}
	for _, aspect := range aspects() {
		for _, c := range order {
			if c.what != aspect[0] {
				continue
			}
			d := Difference{What: c.what, Base: c.base, New: c.new}
			if len(changed[c]) < all[c.what] {
				d.Where = where(changed[c])
			}
			list = append(list, d)
		}
	}
	return list
}

// where names the places of facts: whole phases, disks, or disks in phases.
func where(facts []fact) string {
	var names []string
	for _, f := range facts {
		if f.disk != "" && f.phase != "" {
			names = append(names, f.disk+" in "+f.phase)
		} else {
			names = append(names, f.disk+f.phase)
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

// facts are what is known about how a run was made, in the given phases; its method only if the other run has
// one too.
func facts(r, other Run, phases []Phase) []fact {
	kind := "real"
	if simulated(r) {
		kind = "simulated"
	}
	list := []fact{{what: "disks", is: kind}}
	for _, d := range r.Trace.Disks {
		list = append(list, fact{what: "path", disk: d.Name, is: cmp.Or(d.Path, "none")})
	}
	list = append(list, setupFacts(r.Trace)...)
	planned := r.Method != nil && other.Method != nil
	if planned {
		m := r.Method
		list = append(list, fact{what: "hubbench", is: m.Tool}, fact{what: "system", is: m.System},
			fact{what: "host", is: m.Host},
			fact{what: "seed", is: strconv.FormatUint(m.Plan.Seed, 10)})
		if hub := m.Plan.Hub; hub != nil {
			list = append(list, fact{what: "hub model", is: cmp.Or(hub.Profile, hub.Name)})
		}
	}
	for _, p := range phases {
		_, traced := r.phase(p.Phase)
		list = append(list, fact{what: "roles", phase: p.Phase, is: who(r.Trace, traced)},
			fact{what: "test", phase: p.Phase, is: cmp.Or(traced.Test, "none")})
		for _, d := range r.Trace.Disks {
			if role := traced.Roles[d.Name]; role == trace.Read || role == trace.Write {
				connection := cmp.Or(traced.Connections[d.Name], d.Connection, "not recorded")
				list = append(list, fact{what: "connection", phase: p.Phase, disk: d.Name, is: connection})
			}
		}
		if planned {
			list = append(list, planFacts(r.Method, other.Method, p.Phase)...)
		} else {
			list = append(list, traceFacts(r.asked(traced))...)
		}
	}
	return list
}

// simulated reports whether the run was simulated on a model, even if its disks are real.
func simulated(r Run) bool {
	real := func(d trace.Disk) bool { return d.Profile == "" }
	return r.Method != nil && r.Method.Simulated || len(r.Trace.Disks) > 0 && !slices.ContainsFunc(r.Trace.Disks, real)
}

// traceFacts are what the trace of a phase tells about what was planned: its files and, if that was recorded,
// how each disk moves them.
func traceFacts(a asked) []fact {
	p := a.phase
	list := []fact{{what: "stop", phase: p.Name, is: cmp.Or(p.Stop, scenario.StopRace)}}
	for _, d := range p.Disks {
		var sizes []int64
		for i := range d.Files {
			if f := &d.Files[i]; !f.Filler {
				sizes = append(sizes, f.Bytes)
			}
		}
		if p.Stop != scenario.StopTime {
			list = append(list, sizesFact(p.Name, d.Name, sizes))
		}
		w := a.works[d.Name]
		if !w.Declared() {
			continue
		}
		for what, key := range map[string]work.Key{
			"engine": work.KeyIO, "block": work.KeyBlock, "depth": work.KeyDepth, "access": work.KeyAccess,
			"flush": work.KeyFlush, "verify": work.KeyVerify, "preallocate": work.KeyPreallocate,
			"footprint": work.KeyFootprint, "precondition": work.KeyPrecondition, "warm_up": work.KeyWarmUp,
		} {
			list = append(list, fact{what: what, phase: p.Name, disk: d.Name, is: w.Value(key)})
		}
	}
	return list
}

// planFacts are what the plan says about a phase, and how the disks were really driven in it if both runs say so.
func planFacts(m, other *Method, name string) []fact {
	i := slices.IndexFunc(m.Plan.Phases, func(p scenario.Phase) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	p := &m.Plan.Phases[i]
	rest := cmp.Or(timed("%s", p.Cooldown), "none")
	if p.UntilIdle {
		rest = "until idle, at most " + rest
	}
	stop := joined(cmp.Or(p.Stop, scenario.StopRace), timed("after %s", p.Limit), timed("with files for %s", p.Target))
	list := []fact{{what: "stop", phase: name, is: stop}, {what: "cooldown", phase: name, is: rest}}
	for _, job := range p.Jobs {
		io, had, others := job.IO, m.Effective[name], other.Effective[name]
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
		access := joined(cmp.Or(io.Access, scenario.AccessSequential), again,
			timed("at most %s each", io.Cap), timed("%s apart", io.Rest), warmUp)
		list = append(list, sizesFact(name, job.Disk, job.Sizes))
		for _, f := range []fact{
			{what: "engine", is: mode.Engine},
			{what: "cache", is: mode.Cache},
			{what: "flush", is: mode.Flush},
			{what: "block", is: unit.FormatBytes(mode.Block), like: strconv.FormatInt(mode.Block, 10)},
			{what: "depth", is: strconv.Itoa(mode.Depth)},
			{what: "access", is: access},
			{what: "verify", is: cmp.Or(io.Verify, scenario.VerifyOff)},
			{what: "preallocate", is: preallocated(io, had[job.Disk].Space, others[job.Disk].Space)},
		} {
			f.phase, f.disk = name, job.Disk
			list = append(list, f)
		}
	}
	return list
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

// sizesFact compares files by all their sizes, and shows how many there are and their total.
func sizesFact(phase, disk string, sizes []int64) fact {
	text := "none"
	all := fnv.New64a()
	if len(sizes) > 0 {
		var sum int64
		for _, size := range sizes {
			sum += size
			_ = binary.Write(all, binary.LittleEndian, size) // a hash never fails
		}
		low, high := unit.FormatBytes(slices.Min(sizes)), unit.FormatBytes(slices.Max(sizes))
		if text = fmt.Sprintf("%d of %s", len(sizes), low); low != high {
			text += " to " + high
		}
		text += ", " + unit.FormatBytes(sum) + " in total"
	}
	return fact{what: "files", phase: phase, disk: disk, is: text, like: strconv.FormatUint(all.Sum64(), 16)}
}

// setupFacts are what a run was measured on, as far as recorded.
func setupFacts(run *trace.Run) []fact {
	setup := run.Hardware
	if setup == nil {
		return nil
	}
	list := []fact{{what: "port", is: setup.Port}, {what: "hub described as", is: setup.About}}
	add := func(what, disk, is string) { list = append(list, fact{what: what, disk: disk, is: is}) }
	if hub := setup.Hub; hub != nil {
		add("hub", "", hub.Product())
		add("hub firmware", "", hub.Firmware)
	}
	if host := setup.Host; host != nil {
		add("host model", "", host.Model)
		add("operating system", "", host.OS)
		add("processor", "", host.CPU)
		add("power source", "", string(host.Power))
	}
	yesNo := map[bool]string{true: "yes", false: "no"}
	for _, disk := range run.Disks {
		name := disk.Name
		unit, known := setup.Disks[name]
		if !known {
			continue
		}
		add("model", name, unit.Model)
		add("firmware", name, unit.Firmware)
		add("links", name, unit.Path.String())
		add("described as", name, unit.About)
		v := unit.Volume
		if v == nil {
			continue
		}
		if v.Filesystem != "" {
			add("file system", name, v.Filesystem)
			add("mounted", name, cmp.Or(strings.Join(v.Options, ", "), "by default"))
		}
		if v.Encrypted != nil {
			add("encrypted", name, yesNo[*v.Encrypted])
		}
		if v.Compressed != nil {
			add("compressed", name, yesNo[*v.Compressed])
		}
		// A disk that is nearly full may have few blocks left that it can write to without erasing.
		switch known := v.SizeBytes > 0 && v.Mount != ""; {
		case known && v.Fill() > 0.9:
			add("fill level", name, "over 90 % full")
		case known:
			add("fill level", name, "at most 90 % full")
		}
	}
	return slices.DeleteFunc(list, func(f fact) bool { return f.is == "" })
}

// about fills in what differs between two runs and may so be the cause of a change.
func (p *Pair) about(base, other Run) {
	var details []string
	p.Differs = []string{}
	add := func(d Difference, where string) {
		i := slices.IndexFunc(aspects(), func(aspect []string) bool { return aspect[0] == d.What })
		about := []string{"work"}
		if i >= 0 {
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
		simulated(base) && simulated(other) && base.Method != nil && other.Method != nil
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
