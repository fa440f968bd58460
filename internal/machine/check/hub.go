package check

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// hubs returns those between a disk that should be on the hub and the computer, the nearest to the
// disk first; none if they are not known.
func (f *facts) hubs(disk scenario.Disk) []*hardware.Hub {
	for _, under := range f.physicalDisks(f.places[disk.Name]) {
		if disk.Connection == trace.OnHub && f.connectedElsewhere(under) == "" {
			return f.machine.Above(under)
		}
	}
	return nil
}

// connectedElsewhere says what a disk that is surely on no hub is connected to. It is empty if the
// disk is on one, or may be.
func (f *facts) connectedElsewhere(d *hardware.Drive) string {
	if _, hubs := f.machine.Way(d); len(hubs) > 0 || d.External == nil {
		return ""
	}
	if !*d.External {
		return "is inside the computer"
	}
	for _, link := range d.Path.Links {
		if link.Segment == hardware.Uplink {
			return ""
		}
	}
	if len(d.Path.Links) == 0 {
		return ""
	}
	return "is on a port of its own"
}

func judgeNotOnHub(f *facts) answer {
	for _, under := range f.under {
		if where := f.connectedElsewhere(under); where != "" && f.disk.Connection == trace.OnHub {
			return warn(fmt.Sprintf("should be on the hub (connection: hub), but %s %s",
				described(under), where), "",
				"plug it into the hub, or correct `connection`")
		}
	}
	return pass("")
}

// judgeDifferentHubs compares the hubs nearest to the computer: what they share, all disks on them
// share.
func judgeDifferentHubs(f *facts) answer {
	own := f.hubs(f.disk)
	for _, disk := range f.disksBefore() {
		others := f.hubs(disk)
		if len(own) == 0 || len(others) == 0 {
			continue
		}
		hub, other := own[len(own)-1], others[len(others)-1]
		if hub == other {
			return pass("")
		}
		return warn(fmt.Sprintf("is on %s, but disk %s on %s", cmp.Or(hub.Name, hub.ID), disk.Name,
			cmp.Or(other.Name, other.ID)), "they share no hub",
			"plug both into one, or correct `connection`")
	}
	return pass("")
}

// judgeLink asks whether a disk, or a hub on its way, has fallen back to USB 2, which every SSD
// outruns.
func judgeLink(f *facts) answer {
	known := ""
	for _, under := range f.under {
		for i := range under.Path.Links {
			link := &under.Path.Links[i]
			if link.Kind != hardware.USBLink || link.RxBps > 480e6 {
				known = link.String()
			}
			if link.Kind != hardware.USBLink || link.RxBps <= 0 || link.RxBps > 480e6 {
				continue
			}
			who := described(under)
			if hub := f.machine.FindHub(link.Hub); hub != nil {
				who += " is connected to " + hub.Product() + ", which"
			}
			return warn(fmt.Sprintf("%s negotiated %s", who, link), "", usb2Advice)
		}
	}
	if known == "" {
		return notKnown()
	}
	return pass(known)
}

const usb2Advice = "check the cable and the port, as a USB 2 cable fits both"
