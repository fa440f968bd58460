package device

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

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
