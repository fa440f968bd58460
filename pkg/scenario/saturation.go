package scenario

import (
	"time"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// The preset saturation writes past the end of a disk's fast cache, in phases: each disk that writes does so alone until it
// has fallen and is steady again, then in short bursts after longer and longer rests, which show how much of the cache
// has come back; and in the end all disks of the phase work together, for what the others gain when one falls.
const (
	saturationMax    = 5 * time.Minute  // for a disk to fall and become steady; several hundred gigabytes at the speed of a link
	saturationWindow = 5 * time.Second  // a fall may come after a few seconds, and must not be lost in its window
	saturationBurst  = 20 * time.Second // 46 GB at 2.3 GB/s: more than most caches have regained
	shortestRest     = 10 * time.Second
	saturationRests  = 6 // each twice as long as the one before: up to 5 min 20 s
)

// rests are the pauses before the bursts.
func rests() [saturationRests]time.Duration {
	var all [saturationRests]time.Duration
	for i := range all {
		all[i] = shortestRest << i
	}
	return all
}

func (s *Scenario) saturation(p PhaseSpec) []test {
	var steps []test
	working := 0
	for _, d := range s.Disks {
		switch p.Roles[d.Name] {
		case trace.Idle:
			continue
		case trace.Write:
			steps = append(steps, test{name: d.Name + " alone", saturation: &trace.Saturation{Step: trace.SaturationAlone, Disk: d.Name}})
			for _, rest := range rests() {
				steps = append(steps, test{
					name:       d.Name + " after " + unit.FormatSeconds(rest.Seconds()),
					saturation: &trace.Saturation{Step: trace.SaturationBurst, Disk: d.Name, RestNS: rest.Nanoseconds()},
				})
			}
		}
		working++
	}
	if working > 1 {
		steps = append(steps, test{name: "together", saturation: &trace.Saturation{Step: trace.SaturationTogether}})
	}
	return steps
}

// saturate makes a phase one step of the preset.
func (p *Phase) saturate(step trace.Saturation) {
	p.Stop, p.Target = StopTime, 0
	if p.Limit == 0 {
		p.Limit = saturationMax
	}
	switch step.Step {
	case trace.SaturationAlone, trace.SaturationTogether:
		p.Steady, p.AfterFall = saturationWindow, true
		if step.Step == trace.SaturationTogether {
			p.Cooldown = max(p.Cooldown, rests()[saturationRests-1])
		}
	case trace.SaturationBurst:
		p.Limit, p.Test = min(p.Limit, saturationBurst), unit.FormatSeconds(float64(step.RestNS)/1e9)+" of rest"
		p.Cooldown, p.UntilIdle = time.Duration(step.RestNS), false
	}
	p.Saturation = &step
}

// only makes every other disk of the phase idle.
func (p PhaseSpec) only(disk string) PhaseSpec {
	roles := map[string]trace.Role{}
	for name, role := range p.Roles {
		roles[name] = trace.Idle
		if name == disk {
			roles[name] = role
		}
	}
	p.Roles = roles
	return p
}

// saturationRules refuse keys that the preset decides itself.
func (w *Workload) saturationRules() []strictyaml.Rule {
	return []strictyaml.Rule{{
		Key: "preset", Is: presetsWith(preset.saturates), Now: &w.Preset,
		Refuse: []string{"until", "search", "hold", "streams", "mix", "probe", "pace", "warm_up"}, Say: "preset %[2]s is phases of disks that work as fast as they can until they fall; delete %[1]s",
	}}
}

// checkSaturation checks a phase of the preset, or a study.
func (p *PhaseSpec) checkSaturation(m *strictyaml.Mapping) {
	preset := presetByName(p.Workload.Preset)
	if !preset.saturates() {
		return
	}
	if n, ok := m.Get("stop"); ok && p.Stop != StopTime {
		n.Errorf("preset %s ends each phase when its disks have fallen, and stop is the latest time for that; try 10 min, or delete stop", preset.name)
	}
	if n, ok := m.Get("stop"); ok && p.Stop == StopTime && p.Limit < stats.SteadyWindows*saturationWindow {
		n.Errorf("stop comes before the five windows of %s have passed over which preset %s judges rates; try %s, or delete stop",
			unit.FormatSeconds(saturationWindow.Seconds()), preset.name, unit.FormatSeconds(saturationMax.Seconds()))
	}
	if n, ok := m.Get("files"); ok && p.Workload.Target > 0 {
		n.Errorf("preset %s writes its files again and again; give their number, or delete files", preset.name)
	}
	writes := false
	for _, role := range p.Roles {
		writes = writes || role == trace.Write
	}
	switch {
	case p.study:
		m.Errorf("preset %s is a study by itself; delete study, or add the preset to phases, as in {preset: %[1]s, pattern: WW}", preset.name)
	case p.Roles != nil && !writes:
		m.Errorf("preset %s writes until a disk's fast cache is full, and no disk writes here; give one the letter W", preset.name)
	}
}
