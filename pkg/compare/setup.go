package compare

import (
	"cmp"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// nearlyFull is how full a volume is when its disk may have few blocks left that it can write to at once.
const nearlyFull = 0.9

// setupFacts are what a run was measured on, as far as that is known: what only one of the runs knows is left out.
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
