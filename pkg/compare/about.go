package compare

import (
	"fmt"
	"slices"
	"strings"
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
	so := "A change is about it."
	switch n := len(p.Differs); {
	case n == 0 && !known:
		p.Headline = "What the two runs were made on is not recorded in both, so nothing says what a change is about."
		return
	case n == 0:
		p.Headline = "The same disks, hub and work, as far as is recorded: a change is one from run to run."
		return
	case n > 1:
		so = "A change may be of any of them, and is not that of one alone."
	case !known:
		so = "What else does is not recorded in both."
	}
	p.Headline = fmt.Sprintf("What differs: %s (%s). %s", strings.Join(p.Differs, ", "), strings.Join(details, "; "), so)
}
