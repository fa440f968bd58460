package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// facts are what is known of how a run was made, in the given phases: of its method only where the other has one too.
func facts(r, other Run, phases []Phase) []fact {
	var list []fact
	planned := r.Method != nil && other.Method != nil
	add := func(what, disk, is string) { list = append(list, fact{what: what, at: place{"", disk}, is: is}) }
	kind := "real"
	if simulated(r) {
		kind = "simulated"
	}
	add(whatKind, "", kind)
	for _, d := range r.Trace.Disks {
		add(whatPath, d.Name, cmp.Or(d.Path, "none"))
	}
	list = append(list, setupFacts(r.Trace)...)
	if planned {
		m := r.Method
		add(whatTool, "", m.Tool)
		add(whatSystem, "", m.System)
		add(whatHost, "", m.Host)
		add(whatSeed, "", strconv.FormatUint(m.Plan.Seed, 10))
		if hub := m.Plan.Hub; hub != nil {
			add(whatHub, "", cmp.Or(hub.Profile, hub.Name))
		}
	}
	for _, p := range phases {
		_, traced := r.phase(p.Phase)
		list = append(list, phaseFacts(r.Trace, traced)...)
		if planned {
			list = append(list, planFacts(r.Method, other.Method, p.Phase)...)
		} else {
			list = append(list, fileFacts(traced)...)
			list = append(list, workFacts(r.asked(traced))...)
		}
	}
	return list
}

// simulated reports whether the run was played on a model, whatever its disks.
func simulated(r Run) bool {
	real := func(d trace.Disk) bool { return d.Profile == "" }
	return r.Method != nil && r.Method.Simulated || len(r.Trace.Disks) > 0 && !slices.ContainsFunc(r.Trace.Disks, real)
}

// phaseFacts are what every trace says of a phase.
func phaseFacts(run *trace.Run, p *trace.Phase) []fact {
	at := place{phase: p.Name}
	list := []fact{
		{what: whatWork, at: at, is: who(run, p)},
		{what: whatTest, at: at, is: cmp.Or(p.Test, "none")},
	}
	for _, d := range run.Disks {
		if role := p.Roles[d.Name]; role == trace.Read || role == trace.Write {
			hangs := cmp.Or(p.Connections[d.Name], d.Connection, "not said")
			list = append(list, fact{what: whatConnection, at: place{p.Name, d.Name}, is: hangs})
		}
	}
	return list
}

// fileFacts are what the files of a trace say of what was to be done.
func fileFacts(p *trace.Phase) []fact {
	list := []fact{{what: whatStop, at: place{phase: p.Name}, is: cmp.Or(p.Stop, scenario.StopRace)}}
	for _, d := range p.Disks {
		var sizes []int64
		for i := range d.Files {
			if f := &d.Files[i]; !f.Filler {
				sizes = append(sizes, f.Bytes)
			}
		}
		if p.Stop != scenario.StopTime {
			list = append(list, sizesFact(place{p.Name, d.Name}, sizes))
		}
	}
	return list
}

// workFacts are how each disk moves its files, where that was written down.
func workFacts(a asked) []fact {
	var list []fact
	for _, d := range a.phase.Disks {
		w := a.works[d.Name]
		if !w.Declared() {
			continue
		}
		for what, key := range map[string]work.Key{
			whatEngine: work.KeyIO, whatBlock: work.KeyBlock, whatDepth: work.KeyDepth, whatAccess: work.KeyAccess, whatFlush: work.KeyFlush,
			whatVerify: work.KeyVerify, whatPrealloc: work.KeyPreallocate, whatFootprint: work.KeyFootprint, whatFull: work.KeyPrecondition, whatWarmUp: work.KeyWarmUp,
		} {
			list = append(list, fact{what: what, at: place{a.phase.Name, d.Name}, is: w.Value(key)})
		}
	}
	return list
}

// planFacts are what the plan says of a phase, and how the disks were really driven in it, where both runs say that.
func planFacts(m, other *Method, name string) []fact {
	i := slices.IndexFunc(m.Plan.Phases, func(p scenario.Phase) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	p := &m.Plan.Phases[i]
	at := place{phase: name}
	list := []fact{{what: whatStop, at: at, is: stop(p)}, {what: whatRest, at: at, is: rest(p)}}
	for _, job := range p.Jobs {
		at := place{name, job.Disk}
		mode := trace.Effective{Engine: job.IO.Mode, Flush: job.IO.Flush, Block: job.IO.Block, Depth: job.IO.Depth}
		if had, ok := m.Effective[name][job.Disk]; ok {
			if _, ok := other.Effective[name][job.Disk]; ok {
				mode = had
			}
		}
		list = append(list, sizesFact(at, job.Sizes))
		for _, f := range []fact{
			{what: whatEngine, is: mode.Engine},
			{what: whatCache, is: mode.Cache},
			{what: whatFlush, is: mode.Flush},
			{what: whatBlock, is: unit.FormatBytes(mode.Block), like: strconv.FormatInt(mode.Block, 10)},
			{what: whatDepth, is: strconv.Itoa(mode.Depth)},
			{what: whatAccess, is: access(job.IO)},
			{what: whatVerify, is: cmp.Or(job.IO.Verify, scenario.VerifyOff)},
			{what: whatPrealloc, is: preallocated(job.IO, m.Effective[name][job.Disk].Space, other.Effective[name][job.Disk].Space)},
		} {
			f.at = at
			list = append(list, f)
		}
	}
	return list
}

// preallocated says how the space of new files was reserved, where that was noted in the other run as well.
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

// stop says what ended the phase.
func stop(p *scenario.Phase) string {
	text := cmp.Or(p.Stop, scenario.StopRace)
	if p.Limit > 0 {
		text += ", after " + seconds(p.Limit)
	}
	if p.Target > 0 {
		text += ", with files for " + seconds(p.Target)
	}
	return text
}

// rest says what the disks did just before.
func rest(p *scenario.Phase) string {
	text := "none"
	if p.Cooldown > 0 {
		text = seconds(p.Cooldown)
	}
	if p.UntilIdle {
		text = "until idle, " + text + " at most"
	}
	return text
}

// access says in what order, how often and how long a job touches its files.
func access(io scenario.IO) string {
	text := cmp.Or(io.Access, scenario.AccessSequential)
	if io.OneFile {
		text += ", one file again and again"
	}
	if io.Cap > 0 {
		text += ", at most " + seconds(io.Cap) + " each"
	}
	if io.Rest > 0 {
		text += ", " + seconds(io.Rest) + " apart"
	}
	if io.Discard > 0 {
		text += fmt.Sprintf(", %d to warm up", io.Discard)
	}
	return text
}

func seconds(d time.Duration) string { return unit.FormatSeconds(d.Seconds()) }

// sizesFact tells files apart by all their sizes, and shows how many there are and of how much.
func sizesFact(at place, sizes []int64) fact {
	var sum int64
	all := make([]string, len(sizes))
	for i, size := range sizes {
		sum += size
		all[i] = strconv.FormatInt(size, 10)
	}
	text := "none"
	if len(sizes) > 0 {
		least, most := unit.FormatBytes(slices.Min(sizes)), unit.FormatBytes(slices.Max(sizes))
		if text = fmt.Sprintf("%d of %s", len(sizes), least); least != most {
			text += " to " + most
		}
		text += ", " + unit.FormatBytes(sum) + " in all"
	}
	return fact{what: whatSizes, at: at, is: text, like: strings.Join(all, " ")}
}
