package configs

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// played is a scenario on the hub's model: what a run would record, and what the analysis says of it.
type played struct {
	trace  map[string]*trace.Phase
	phases map[string]*analysis.Phase

	searches []analysis.Search
}

// simulate plays phases, one a line of YAML, on disks that are called as the profile has them.
func simulate(t *testing.T, p *hub.Profile, disks, workload string, phases ...string) played {
	t.Helper()
	text := fmt.Sprintf("version: 1\nname: notes\nhub: {profile: %s}\ndisks:\n%sworkload: %s\nphases:\n", p.Name, disks, workload)
	for _, phase := range phases {
		text += "  - {" + phase + "}\n"
	}
	return play(t, p, []byte(text))
}

// play plays a scenario on the hub's model.
func play(t *testing.T, p *hub.Profile, text []byte) played {
	t.Helper()
	run := fixture.Simulated(t, string(text), func(string) (*hub.Profile, error) { return p, nil })
	out := played{trace: map[string]*trace.Phase{}, phases: map[string]*analysis.Phase{}}
	for _, phase := range run.Phases {
		out.trace[phase.Name] = phase
	}
	a := say.Analyze(run, analysis.Options{})
	out.searches = a.Searches
	for i := range a.Phases {
		out.phases[a.Phases[i].Name] = &a.Phases[i]
	}
	return out
}

// simulated is a line of `disks` for each name, or for each NAME=PROFILE.
func simulated(names ...string) string {
	var lines string
	for _, name := range names {
		name, profile, _ := strings.Cut(name, "=")
		lines += fmt.Sprintf("  - {name: %s, connection: hub, simulate: {profile: %s}}\n", name, cmp.Or(profile, name))
	}
	return lines
}

// disk is a disk's summary in a phase.
func (p played) disk(phase, disk string) analysis.Disk { return p.phases[phase].Disks[disk] }

// rate is a disk's in the overlap, or all disks' for "", in GB/s.
func (p played) rate(phase, disk string) float64 {
	o := p.phases[phase].Overlap
	if disk == "" {
		return o.Rate / 1e9
	}
	return o.Disks[disk].Rate / 1e9
}

// recovery is what a disk did after another had ended.
func (p played) recovery(t *testing.T, phase, disk string) (lagS, to float64) {
	t.Helper()
	for _, r := range p.phases[phase].Recoveries {
		if r.Disk == disk {
			if r.LagS == nil {
				t.Fatalf("%s: %s: no lag: %s", phase, disk, r.Reason)
			}
			return *r.LagS, *r.ToRate / 1e9
		}
	}
	t.Errorf("%s: %s does not recover", phase, disk)
	return 0, 0
}
