package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/awake"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// atWork is the part of a core that an active service uses at least.
const atWork = 0.05

// judgePrograms asks whether programs are running that load disks.
func judgePrograms(f *facts) answer {
	var found, advice []string
	named := map[string]bool{} // A program may have many processes, but is named once.
	for _, p := range f.processes {
		program := p.Program()
		if program == nil {
			continue
		}
		works := true
		on := ", which loads disks"
		switch program.Sign {
		case device.Worked:
			works = p.Busy >= atWork
		case device.OnADisk:
			disk := f.worksOn(p)
			works = disk != "" && (p.Busy > 0 || p.Blocked)
			on = " on disk " + disk
		}
		if !works || named[p.Name] {
			continue
		}
		named[p.Name] = true
		found = append(found,
			fmt.Sprintf("%s (process %d) %s%s", p.Name, p.PID, program.Does, on))
		if !slices.Contains(advice, program.Try) {
			advice = append(advice, program.Try)
		}
	}
	if found == nil {
		return pass("none is seen")
	}
	return warn(strings.Join(found, "; "), "", strings.Join(advice, "; "))
}

// worksOn names the first disk under test that a process has to do with: with the device, or with
// files on it.
func (f *facts) worksOn(p device.Process) string {
	for _, disk := range f.plan.Disks {
		place := f.places[disk.Name]
		names := []string{place.Path, place.Mount, place.Source}
		if own, _ := f.machine.Holding(place.Path); own != nil {
			names = append(names, "/dev/"+own.Name)
		}
		for _, arg := range slices.Concat(p.Args, p.Places) {
			if _, value, ok := strings.Cut(arg, "="); ok { // dd's of=, or a long option
				arg = value
			}
			for _, name := range names {
				if len(name) > len("/") && strings.HasPrefix(arg+"/", name+"/") {
					return disk.Name
				}
			}
		}
	}
	return ""
}

// judgeDisplay looks on the hubs that all disks share.
func judgeDisplay(f *facts) answer {
	known := 0
	carries := map[*hardware.Hub]int{} // carries counts the disks on each hub.
	for _, disk := range f.plan.Disks {
		hubs := f.hubs(disk)
		if len(hubs) > 0 {
			known++
		}
		for _, hub := range hubs {
			carries[hub]++
		}
	}
	for i := range f.machine.Hubs {
		hub := &f.machine.Hubs[i]
		for _, attached := range hub.Devices {
			if known > 0 && carries[hub] == known && attached.Kind == hardware.DisplayKind {
				return warn(fmt.Sprintf("%s is on the hub of the disks (%s)",
					cmp.Or(attached.Name, "a display"), hub.Name),
					"a display's picture goes before their data",
					"unplug it, or plug it in elsewhere")
			}
		}
	}
	return pass("")
}

func judgeTranslated(f *facts) answer {
	for _, host := range f.machine.Hosts {
		if host.Translated {
			return warn("this hubbench is made for Intel processors, and macOS translates it "+
				"(Rosetta)",
				"it sees only a quarter of what the system's cache holds",
				"take the archive for darwin and arm64")
		}
	}
	return pass("made for this processor")
}

func judgeBattery(f *facts) answer {
	known := false
	for _, host := range f.machine.Hosts {
		if host.Power == hardware.Battery {
			return warn("the computer runs on battery, which may slow its processor and ports down",
				"", "plug it in")
		}
		known = known || host.Power != ""
	}
	if !known {
		return notKnown()
	}
	return pass("on mains")
}

func judgePowersave(f *facts) answer {
	if f.powerSaving == "" {
		return pass("the processor is not seen to be held back")
	}
	kind, _, _ := strings.Cut(f.powerSaving, " ")
	return warn(fmt.Sprintf("the processor is held back to save power (%s)", f.powerSaving), "",
		map[string]string{
			"governor": "set it with `cpupower frequency-set -g performance`",
			"energy":   "set it with `powerprofilesctl set performance`",
			"Low":      "turn it off in System Settings > Battery",
			"power":    "choose Balanced or High performance",
		}[kind])
}

func judgePriority(f *facts) answer {
	switch {
	case f.lowPriority:
		return fail(f.priority,
			"the system holds this program back, so disks look slower than they are",
			"start hubbench from a terminal in the foreground, not as a background service, "+
				"and without ionice")
	case f.niceness > 0:
		return warn(f.priority,
			"other programs go first, so on a busy machine disks look slower than they are",
			"start hubbench without nice")
	}
	return pass(f.priority)
}

func (f *facts) tryAwake(ctx context.Context) error {
	f.awakeErr = awake.Check(ctx)
	return nil
}

func judgeAwake(f *facts) answer {
	if f.awakeErr == nil {
		return pass("kept awake on request")
	}
	return warn("not kept awake: "+f.awakeErr.Error(),
		"the computer may go to sleep in a long run, which takes disks off their ports",
		"turn sleep off in the system's settings while measuring")
}

func judgeDisks(f *facts) answer {
	if n := len(f.plan.Disks); n > 0 {
		return pass(unit.Plural(n, "disk") + " checked")
	}
	return answer{Verdict: trace.Skip, Measured: "no disk was checked",
		Advice: "name a folder on each: hubbench doctor /Volumes/A"}
}
