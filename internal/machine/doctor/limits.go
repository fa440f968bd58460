package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// evenPart: no disk moves random blocks of 4 KiB, four at a time, nearly as fast as large ones, unless something
	// allows so many bytes a second and no more.
	evenPart = 0.8
	// evenBelow is the rate above which that is no limit but a very fast disk.
	evenBelow = 1.5e9
	// slowRequest is longer than any SSD takes for a small request, and shorter than a spinning disk does.
	slowRequest = 5e6 // ns
	// slowRate is what USB 2 carries.
	slowRate = 60e6
)

// pace is how fast requests of both sizes go.
type pace struct {
	role         [2]trace.Role
	large, small [2]float64 // bytes per second; small is 0 if those requests went through the cache
	limits       []string   // that the system itself sets to this process, in words
}

// paceOf takes a write and a read in large blocks, and both in small ones.
func paceOf(all []moved, limits []string) pace {
	p := pace{limits: limits}
	if len(all) < 4 { // the missing ones have errors
		return p
	}
	for i := range 2 {
		p.role[i], p.large[i] = all[i].role, all[i].rate()
		if all[2].Effective.Cache == "direct" && all[3].Effective.Cache == "direct" {
			p.small[i] = all[i+2].rate()
		}
	}
	return p
}

func (o Options) limits(path string) []string {
	if o.Limits != nil {
		return o.Limits(path)
	}
	return ioLimits(path)
}

// each is how long a small request takes, in nanoseconds.
func (p pace) each(i int) float64 { return depth * smallBlock / p.small[i] * 1e9 }

// judgeLimits checks whether only the disk itself limits its rate.
func judgeLimits(p pace) trace.Check {
	var how []string
	for i, role := range p.role {
		text := fmt.Sprintf("%s %s in large requests", role, unit.FormatRate(p.large[i]))
		if p.small[i] > 0 {
			text += fmt.Sprintf(", %s in 4 KiB ones (%s each)", unit.FormatRate(p.small[i]), span(p.each(i)))
		}
		how = append(how, text)
	}
	measured := strings.Join(how, "; ")
	const means = "Rates are those of the limit, not of the disk."
	if len(p.limits) > 0 {
		return fail(strings.Join(p.limits, "; ")+": "+measured, means, "lift the limit (systemd: IOReadBandwidthMax and the like; containers: --device-write-bps), or start hubbench outside of it")
	}
	for i, role := range p.role {
		switch {
		case p.small[i] == 0: // memory's rate would be compared
		case p.each(i) > slowRequest:
			return fail(measured, fmt.Sprintf("A small %s takes longer than on any SSD: the disk spins, or something holds each request up.", role),
				"check that the disk is an SSD, that nothing limits requests a second, and that no other program keeps it busy")
		case p.small[i] > evenPart*p.large[i] && p.large[i] < evenBelow:
			return fail(measured, fmt.Sprintf("Small requests (%s) move as many bytes as large ones, as no disk does: something limits it to %s. %s", role, unit.FormatRate(p.large[i]), means),
				"look for a limit on this process, container or virtual machine")
		}
	}
	if fastest := slices.Max(p.large[:]); fastest < slowRate { // a link is as slow both ways
		return warn(measured, "The disk is as slow as USB 2.", "check the cable and the port: a USB 2 cable fits both")
	}
	return pass(measured, "Nothing but the disk and its link is seen to limit it.")
}
