package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
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

// place is a phase, a disk, or a disk in a phase; that of the run as a whole is empty.
type place struct{ phase, disk string }

// fact is one thing about how a run was made.
type fact struct {
	what string
	at   place
	is   string
	like string // what is compared if that is more than is shown
}

// differences lists what differed in the phases that are in both runs, the most important first.
func differences(base, other Run, phases []Phase) []Difference {
	b, n := facts(base, other, phases), facts(other, base, phases)
	type key struct {
		what string
		at   place
	}
	known := map[key]fact{}
	for _, f := range n {
		known[key{f.what, f.at}] = f
	}
	type change struct{ what, base, new string }
	var order []change
	changed, all := map[change][]place{}, map[string]int{}
	for _, f := range b {
		g, ok := known[key{f.what, f.at}]
		if !ok {
			continue
		}
		all[f.what]++
		if f.is == g.is && f.like == g.like {
			continue
		}
		if f.is == g.is {
			g.is += ", but different ones"
		}
		c := change{f.what, f.is, g.is}
		if changed[c] == nil {
			order = append(order, c)
		}
		changed[c] = append(changed[c], f.at)
	}
	slices.SortStableFunc(order, func(a, b change) int { return weight(a.what) - weight(b.what) })
	list := make([]Difference, 0, len(order))
	for _, c := range order {
		d := Difference{What: c.what, Base: c.base, New: c.new}
		if len(changed[c]) < all[c.what] {
			d.Where = where(changed[c])
		}
		list = append(list, d)
	}
	return list
}

// The things that are compared, the most important first.
const (
	whatKind       = "disks"
	whatWork       = "roles"
	whatConnection = "connection"
	whatHub        = "hub model"

	whatModel       = "model" // of a disk, as the next
	whatFirmware    = "firmware"
	whatLink        = "links"
	whatFilesystem  = "file system"
	whatEncrypted   = "encrypted"
	whatCompressed  = "compressed"
	whatFill        = "fill level"
	whatAbout       = "described as"
	whatHubName     = "hub"
	whatHubFirmware = "hub firmware"
	whatPort        = "port"
	whatSetup       = "hub described as"
	whatMounted     = "mounted"
	whatOS          = "operating system"
	whatCPU         = "processor"
	whatPower       = "power source"
	whatHostModel   = "host model"

	whatEngine    = "engine"
	whatCache     = "cache"
	whatFlush     = "flush"
	whatBlock     = "block"
	whatDepth     = "depth"
	whatAccess    = "access"
	whatVerify    = "verify"
	whatPrealloc  = "preallocate"
	whatFootprint = "footprint"
	whatFull      = "precondition"
	whatWarmUp    = "warm_up"
	whatTest      = "test"
	whatSizes     = "files"
	whatStop      = "stop"
	whatRest      = "cooldown"
	whatSeed      = "seed"
	whatTool      = "hubbench"
	whatSystem    = "system"
	whatHost      = "host"
	whatPath      = "path"
)

func weight(what string) int {
	return slices.Index([]string{
		whatKind, whatWork, whatConnection, whatHub, whatModel, whatFirmware, whatHubName, whatHubFirmware, whatPort, whatLink, whatFilesystem,
		whatEncrypted, whatCompressed, whatMounted, whatFill, whatAbout, whatSetup, whatPower, whatOS, whatHostModel, whatCPU, whatEngine, whatCache, whatFlush, whatBlock, whatDepth, whatAccess,
		whatVerify, whatPrealloc, whatFootprint, whatFull, whatWarmUp, whatTest, whatSizes, whatStop, whatRest, whatSeed, whatTool, whatSystem, whatHost, whatPath,
	}, what)
}

// where names places: whole phases, or disks in phases.
func where(places []place) string {
	var names []string
	for _, p := range places {
		switch {
		case p.phase == "":
			names = append(names, p.disk)
		case p.disk == "":
			names = append(names, p.phase)
		default:
			names = append(names, p.disk+" in "+p.phase)
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

// The possible causes of a change.
const (
	aboutDisks      = "disks"
	aboutHub        = "hub"
	aboutConnection = "connection"
	aboutHost       = "host"
	aboutWork       = "work"
)

// subjects are the possible causes that a difference in the method is one of. A hub's profile includes the speeds of its
// disks. How much was measured, in which order or when is not a cause.
func subjects(what string) []string {
	switch what {
	case whatHub:
		return []string{aboutDisks, aboutHub}
	case whatKind, whatModel, whatFirmware, whatFilesystem, whatEncrypted, whatCompressed, whatMounted, whatFill, whatAbout:
		return []string{aboutDisks}
	case whatHubName, whatHubFirmware, whatSetup:
		return []string{aboutHub}
	case whatConnection, whatLink, whatPort:
		return []string{aboutConnection}
	case whatPower, whatOS, whatHostModel, whatCPU, whatSystem, whatHost:
		return []string{aboutHost}
	case whatWork, whatEngine, whatCache, whatFlush, whatBlock, whatDepth, whatAccess, whatVerify, whatPrealloc, whatFootprint, whatFull, whatWarmUp, whatTest:
		return []string{aboutWork}
	}
	return nil
}

// about fills in what differs between two runs and may so be the cause of a change.
func (p *Pair) about(base, other Run) {
	var details []string
	add := func(d Difference, about ...string) {
		fresh := false
		for _, subject := range about {
			if !slices.Contains(p.Differs, subject) {
				p.Differs, fresh = append(p.Differs, subject), true
			}
		}
		if fresh {
			details = append(details, strings.TrimSpace(d.What+" "+d.Where)+": "+d.Base+" → "+d.New)
		}
	}
	p.Differs = []string{}
	for _, d := range p.Method {
		add(d, subjects(d.What)...)
	}
	for _, phase := range p.Phases {
		for _, d := range phase.Unlike {
			d.Where += " in " + phase.Title
			add(d, aboutWork)
		}
	}
	known := base.Trace.Hardware != nil && other.Trace.Hardware != nil || simulated(base) && simulated(other) && base.Method != nil && other.Method != nil
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
