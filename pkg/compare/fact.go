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

// facts are what is known about how a run was made, in the given phases; its method only if the other run has one too.
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

// simulated reports whether the run was simulated on a model, even if its disks are real.
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
			connection := cmp.Or(p.Connections[d.Name], d.Connection, "not recorded")
			list = append(list, fact{what: whatConnection, at: place{p.Name, d.Name}, is: connection})
		}
	}
	return list
}

// fileFacts are what the files of a trace tell about what was planned.
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

// workFacts are how each disk moves its files, if that was recorded.
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

// planFacts are what the plan says about a phase, and how the disks were really driven in it if both runs say so.
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
		text = "until idle, at most " + text
	}
	return text
}

// access says in which order, how often and for how long a job accesses its files.
func access(io scenario.IO) string {
	text := cmp.Or(io.Access, scenario.AccessSequential)
	if io.OneFile {
		text += ", one file repeatedly"
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

// sizesFact compares files by all their sizes, and shows how many there are and their total.
func sizesFact(at place, sizes []int64) fact {
	var sum int64
	all := make([]string, len(sizes))
	for i, size := range sizes {
		sum += size
		all[i] = strconv.FormatInt(size, 10)
	}
	text := "none"
	if len(sizes) > 0 {
		low, high := unit.FormatBytes(slices.Min(sizes)), unit.FormatBytes(slices.Max(sizes))
		if text = fmt.Sprintf("%d of %s", len(sizes), low); low != high {
			text += " to " + high
		}
		text += ", " + unit.FormatBytes(sum) + " in total"
	}
	return fact{what: whatSizes, at: at, is: text, like: strings.Join(all, " ")}
}

// nearlyFull is how full a volume is if its disk may have few blocks left that it can write to without erasing.
const nearlyFull = 0.9

// setupFacts are what a run was measured on, as far as recorded.
func setupFacts(run *trace.Run) []fact {
	setup := run.Hardware
	if setup == nil {
		return nil
	}
	var list []fact
	add := func(what, disk, is string) {
		if is != "" {
			list = append(list, fact{what: what, at: place{"", disk}, is: is})
		}
	}
	if hub := setup.Hub; hub != nil {
		add(whatHubName, "", hub.Product())
		add(whatHubFirmware, "", hub.Firmware)
	}
	add(whatPort, "", setup.Port)
	add(whatSetup, "", setup.About)
	if host := setup.Host; host != nil {
		add(whatHostModel, "", host.Model)
		add(whatOS, "", host.OS)
		add(whatCPU, "", host.CPU)
		add(whatPower, "", string(host.Power))
	}
	for _, disk := range run.Disks {
		name := disk.Name
		unit, known := setup.Disks[name]
		if !known {
			continue
		}
		add(whatModel, name, unit.Model)
		add(whatFirmware, name, unit.Firmware)
		add(whatLink, name, unit.Path.String())
		add(whatAbout, name, unit.About)
		v := unit.Volume
		if v == nil {
			continue
		}
		add(whatFilesystem, name, v.Filesystem)
		if v.Filesystem != "" {
			add(whatMounted, name, cmp.Or(strings.Join(v.Options, ", "), "by default"))
		}
		if v.Encrypted != nil {
			add(whatEncrypted, name, yesNo(*v.Encrypted))
		}
		if v.Compressed != nil {
			add(whatCompressed, name, yesNo(*v.Compressed))
		}
		if v.SizeBytes > 0 && v.Mount != "" {
			full := "at most 90 % full"
			if v.Fill() > nearlyFull {
				full = "over 90 % full"
			}
			add(whatFill, name, full)
		}
	}
	return list
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
