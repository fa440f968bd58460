package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// The things that a change may be about.
const (
	aboutDisks      = "disks"
	aboutHub        = "hub"
	aboutConnection = "connection"
	aboutHost       = "host"
	aboutWork       = "work"
)

// subjects are what a difference of the method makes a change about. A hub's profile holds its disks as well: their own
// speeds are in it. What only says how much was measured, in which order or when makes it about nothing.
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

// about fills in what differs between two runs, and so what a change can be about.
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
