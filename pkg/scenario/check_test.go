package scenario

import (
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestPlanCheck(t *testing.T) {
	plan := func() *Plan {
		return &Plan{
			Hub:   &Hub{Profile: "goshen-ridge", Speedup: 20},
			Disks: []Disk{{Name: "A", Profile: "A"}},
			Phases: []Phase{{Name: "W", Jobs: []Job{{Disk: "A", Role: trace.Write, Sizes: []int64{1}}}},
				{Name: "R", Stop: StopTime, Limit: time.Second, Jobs: []Job{{Disk: "A", Role: trace.Read, Sizes: []int64{1}}}}},
		}
	}
	if err := plan().Check(); err != nil {
		t.Errorf("a plan: %v", err)
	}
	for name, change := range map[string]func(*Plan){
		"time runs backwards": func(p *Plan) { p.Hub.Speedup = -1 },
		"time stands still":   func(p *Plan) { p.Hub.Speedup = 0 },
		"one name twice":      func(p *Plan) { p.Phases[1].Name = "W" },
		"no end":              func(p *Plan) { p.Phases[1].Limit = 0 },
		"a rest below zero":   func(p *Plan) { p.Phases[1].Cooldown = -1 },
		"no such disk":        func(p *Plan) { p.Phases[1].Jobs[0].Disk = "B" },
		"an idle job":         func(p *Plan) { p.Phases[1].Jobs[0].Role = trace.Idle },
		"no files":            func(p *Plan) { p.Phases[1].Jobs[0].Sizes = nil },
		"a file of nothing":   func(p *Plan) { p.Phases[1].Jobs[0].Sizes[0] = 0 },
		"no block":            func(p *Plan) { p.Disks[0] = Disk{Name: "A", Path: "/"} },
		"a pace below zero":   func(p *Plan) { p.Phases[1].Jobs[0].Pace = -1 },
		"reads alone":         func(p *Plan) { p.Phases[1].Jobs[0].Reads = 1 },
	} {
		p := plan()
		change(p)
		if p.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
