package say

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// bottleneck says how much of a link's capacity disks used: "A, B and C together read 3.35 GB/s, 98 % of what the hub's
// uplink (Thunderbolt 4) can carry one way".
func bottleneck(f *analysis.Finding) string {
	u := f.Link
	together := ""
	verb := string(u.Op) + "s"
	if len(u.Disks) > 1 {
		together, verb = " together", string(u.Op)
	}
	part := "as much as" // what links carry is known to a few per cent
	if u.Share < 0.995 {
		part = fmt.Sprintf("%.0f %% of what", 100*u.Share)
	}
	text := fmt.Sprintf("%s%s %s %s, %s %s (%s) can carry one way, about %s",
		unit.List(u.Disks), together, verb, rate(u.Rate), part, linkOf(u), u.Link, rate(u.Capacity))
	if u.Could != "" {
		text += fmt.Sprintf("; the link fell back from the %s that both its ends support", u.Could)
		if u.Segment != hardware.Lanes { // which lie inside the enclosure or the computer
			text += ": try another cable or port"
		}
	}
	return text
}

// linkOf names the part of the path that a link is.
func linkOf(u *analysis.LinkUse) string {
	switch u.Segment {
	case hardware.HostPort:
		return "the host's port"
	case hardware.Uplink:
		if u.Hub != "" {
			return "the uplink of " + u.Hub
		}
		return "the hub's uplink"
	case hardware.Lanes:
		return "the link of the disk itself"
	default:
		return "the link to its enclosure"
	}
}
