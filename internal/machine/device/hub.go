package device

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

func isSystem(d *hardware.Disk) bool { return d.System }

// judgeShared asks whether an earlier disk of the plan is the same one.
func judgeShared(e *evidence, index int, place Place, found *findings) {
	disk := e.plan.Disks[index]
	for _, other := range e.plan.Disks[:index] {
		q, ok := e.places[other.Name]
		if !ok {
			continue
		}
		if place.sameFolder(q) {
			found.refuse("same_folder", disk.Name, "%s is the folder of disk %s too; give each disk its own", disk.Path, other.Name)
			continue
		}
		if place.sameVolume(q) {
			found.warn("same_disk", disk.Name, "is on the same file system as disk %s; the two compete for one disk, not for the hub", other.Name)
			return
		}
		if both := e.shared(place, q); both != nil {
			found.warn("same_disk", disk.Name, "is on the same physical disk as disk %s, %s; the two compete for one disk, not for the hub: give a folder on another disk", other.Name, described(both))
			return
		}
	}
}

// described is a disk as a person knows it: its name, and its model if known.
func described(d *hardware.Disk) string {
	if d.Model == "" {
		return d.Name
	}
	return d.Name + " (" + d.Model + ")"
}

// judgeLinks asks whether a disk, or a hub on its way, has fallen back to USB 2, which every SSD outruns.
func judgeLinks(e *evidence, disk scenario.Disk, place Place, found *findings) {
	for _, under := range e.beneath(place) {
		for i := range under.Path.Links {
			link := &under.Path.Links[i]
			if link.Kind != hardware.USBLink || link.RxBps <= 0 || link.RxBps > 480e6 {
				continue
			}
			who := described(under)
			if hub := slices.IndexFunc(e.machine.Hubs, func(h hardware.Hub) bool { return h.ID == link.Hub }); hub >= 0 {
				who += " is connected to " + e.machine.Hubs[hub].Product() + ", which"
			}
			found.warn("slow_link", disk.Name, "%s negotiated %s: check the cable and the port, as a USB 2 cable fits both", who, link)
			break
		}
	}
}

// judgeHubs asks whether the disks that the scenario says to be on the hub are on one, and who else is.
func judgeHubs(e *evidence, found *findings) {
	var first scenario.Disk // on a hub
	var common []*hardware.Hub
	for _, disk := range e.plan.Disks {
		if _, real := e.places[disk.Name]; !real || disk.Connection != trace.OnHub {
			continue
		}
		for _, under := range e.beneath(e.places[disk.Name]) {
			if where := e.elsewhere(under); where != "" {
				found.warn("not_on_hub", disk.Name, "should be on the hub (connection: hub), but %s %s; plug it into the hub, or correct `connection`", described(under), where)
				continue
			}
			chain := e.machine.Above(under)
			switch {
			case len(chain) == 0: // not known
			case first.Name == "":
				first, common = disk, chain
			default:
				both := slices.DeleteFunc(slices.Clone(common), func(h *hardware.Hub) bool { return !slices.Contains(chain, h) })
				if len(both) == 0 {
					found.warn("different_hubs", disk.Name, "is on %s, but disk %s on %s: they share no hub; plug both into one, or correct `connection`", hubName(chain), first.Name, hubName(common))
					continue
				}
				common = both
			}
		}
	}
	for _, hub := range common {
		for _, device := range hub.Devices {
			if device.Kind == hardware.DisplayKind {
				found.warn("display", "", "%s is on the hub of the disks (%s), and a display's picture goes before their data; unplug it, or plug it in elsewhere", cmp.Or(device.Name, "a display"), hub.Name)
			}
		}
	}
}

// elsewhere says what a disk that is surely on no hub is connected to; empty if it is on one, or if that is not known.
func (e *evidence) elsewhere(d *hardware.Disk) string {
	_, hubs := e.machine.Way(d)
	switch {
	case len(hubs) > 0:
		return ""
	case d.External != nil && !*d.External:
		return "is inside the computer"
	case len(d.Path.Links) > 0 && d.External != nil && !slices.ContainsFunc(d.Path.Links, func(l hardware.Link) bool { return l.Segment == hardware.Uplink }):
		return "is on a port of its own"
	}
	return ""
}

// hubName names a chain of hubs, the nearest to the host first.
func hubName(chain []*hardware.Hub) string {
	var names []string
	for _, h := range slices.Backward(chain) {
		names = append(names, cmp.Or(h.Name, h.ID))
	}
	return strings.Join(names, ", ")
}

// quietRate is what may move on an idle disk, in bytes per second: journals and access times, not a backup.
const quietRate = 1e6

// judgeTraffic asks whether something else moves bytes on the disks.
func judgeTraffic(e *evidence, found *findings) {
	for _, disk := range e.plan.Disks {
		if rate := e.traffic[disk.Name]; rate > quietRate {
			found.warn("busy", disk.Name, "something else moves %s on it now; find it and let it finish, or pause it, before measuring", unit.FormatRate(rate))
		}
	}
}

// judgeHost asks whether the computer can do its best.
func judgeHost(e *evidence, found *findings) {
	if slices.ContainsFunc(e.machine.Hosts, func(h hardware.Host) bool { return h.Power == hardware.Battery }) {
		found.warn("battery", "", "the computer runs on battery, which may slow its processor and ports down; plug it in")
	}
	if e.saving != "" {
		found.warn("powersave", "", "the processor is held back to save power (%s); %s", e.saving, howToWake(e.saving))
	}
}

// judgeKnowledge asks whether the machine has reported enough for the checks of hubs and physical disks.
func judgeKnowledge(e *evidence, disk scenario.Disk, place Place, found *findings) {
	if own, _ := e.at(place); !e.looked || own != nil || notDisk(place.Filesystem) != "" {
		return
	}
	why := slices.Clone(e.machine.Warnings)
	if e.unlooked != nil {
		why = append(why, oneLine(e.unlooked))
	}
	reason := ""
	if len(why) > 0 {
		reason = " (" + strings.Join(why, "; ") + ")"
	}
	found.warn("unknown_hardware", disk.Name, "which disk holds %s is not known%s, so it was not checked whether it is another one's, or on the hub; make sure of that by hand", disk.Path, reason)
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
