package compare

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// planned is a run of two phases whose plan and modes can be changed.
func planned(label string) Input {
	w := trace.Write
	r := runOf(label, still("WW", 1, load{"A", w, 1e9, 9}, load{"B", w, 1e9, 9}),
		still("W", 1, load{"A", w, 1e9, 9}))
	m := &Method{Tool: "1.0", Host: "mac", System: "darwin/arm64, 8 CPUs",
		Plan:      &scenario.Plan{Seed: 7, Hub: &scenario.Hub{Profile: "goshen-ridge"}},
		Effective: map[string]map[string]trace.Effective{}}
	for _, p := range r.Trace.Phases {
		phase := scenario.Phase{Name: p.Name, Roles: p.Roles, Cooldown: 10 * time.Second}
		m.Effective[p.Name] = map[string]trace.Effective{}
		for _, d := range p.Disks {
			phase.Jobs = append(phase.Jobs, scenario.Job{
				Disk: d.Name, Role: d.Op, Sizes: []int64{1e9, 2e9},
				IO: scenario.IO{Mode: "direct", Block: 8 << 20, Depth: 4, Flush: "full",
					Verify: "off", Preallocate: true},
			})
			m.Effective[p.Name][d.Name] = trace.Effective{Engine: "io_uring", Cache: "direct",
				Flush: "full", FlushReaches: trace.ReachesMedium, Block: 8 << 20, Depth: 4,
				Space: trace.SpaceReserved}
		}
		m.Plan.Phases = append(m.Plan.Phases, phase)
	}
	r.Method = m
	return r
}

func withoutCause() gocmp.Option { return cmpopts.IgnoreFields(Difference{}, "Cause") }

func TestMethod(t *testing.T) {
	job := func(r Input, phase, job int) *scenario.Job {
		return &r.Method.Plan.Phases[phase].Jobs[job]
	}
	drive := func(r Input, phase, disk string, change func(*trace.Effective)) {
		m := r.Method.Effective[phase][disk]
		change(&m)
		r.Method.Effective[phase][disk] = m
	}
	tests := []struct {
		name   string
		change func(Input)
		want   []Difference
	}{
		{"nothing", func(Input) {}, []Difference{}},
		{"flush of one disk", func(r Input) {
			drive(r, "WW", "B", func(m *trace.Effective) { m.Flush, m.FlushReaches = "none", "" })
		},
			[]Difference{{"flush", "B in WW", "full", "none", ""}}},
		{"how far a flush goes", func(r Input) {
			drive(r, "W", "A", func(m *trace.Effective) {
				m.Flush, m.FlushReaches = "fsync", trace.ReachesCache
			})
			drive(r, "WW", "A", func(m *trace.Effective) { m.FlushReaches = "" }) // not noted
		}, []Difference{{"flush", "A in W", "full", "fsync", ""},
			{"flush reaches", "A in W", "the medium", "the drive's cache", ""}}},
		{"cache everywhere, block by a hair", func(r Input) {
			for _, at := range [][2]string{{"WW", "A"}, {"WW", "B"}, {"W", "A"}} {
				drive(r, at[0], at[1], func(m *trace.Effective) { m.Cache = "buffered" })
			}
			drive(r, "W", "A", func(m *trace.Effective) { m.Block = 8<<20 + 512 })
		}, []Difference{{"block", "A in W", "8 MiB", "8.39 MB", ""},
			{"cache", "", "direct", "buffered", ""}}},
		{"asked alike, had otherwise", func(r Input) {
			drive(r, "W", "A", func(m *trace.Effective) { m.Engine = "threads" })
		},
			[]Difference{{"engine", "A in W", "io_uring", "threads", ""}}},
		{"space of new files", func(r Input) {
			drive(r, "W", "A", func(m *trace.Effective) { m.Space = trace.SpaceInOrder })
			drive(r, "WW", "A", func(m *trace.Effective) { m.Space = trace.SpaceNone })
			drive(r, "WW", "B", func(m *trace.Effective) { m.Space = "" }) // not noted
		}, []Difference{{"space", "A in W", "reserved", "in order", ""},
			{"space", "A in WW", "reserved", "none", ""}}},
		{"asked otherwise, had alike", func(r Input) {
			job(r, 0, 0).IO.Flush = "fsync"
		}, []Difference{}},
		{"rest", func(r Input) { r.Method.Plan.Phases[1].Cooldown = 20 * time.Second },
			[]Difference{{"cooldown", "W", "10 s", "20 s", ""}}},
		{"machine", func(r Input) {
			r.Method.Tool, r.Method.Host, r.Method.System, r.Method.Plan.Seed = "1.1", "pc",
				"linux/amd64, 2 CPUs", 8
		}, []Difference{
			{"system", "", "darwin/arm64, 8 CPUs", "linux/amd64, 2 CPUs", ""},
			{"hubbench", "", "1.0", "1.1", ""},
			{"seed", "", "7", "8", ""},
			{"host", "", "one computer", "another", ""},
		}},
		{"played on a model", func(r Input) {
			r.Method.Simulated = true
		}, []Difference{{"disks", "", "real", "simulated", ""}}},
		{"hub", func(r Input) {
			r.Method.Plan.Hub.Profile = "titan-ridge"
		}, []Difference{{"hub model", "", "goshen-ridge", "titan-ridge", ""}}},
		{"simulated, on another port", func(r Input) {
			for i := range r.Trace.Disks {
				r.Trace.Disks[i].Profile = "A"
			}
			r.Trace.Phases[0].Connections = map[string]string{"A": "direct"}
			r.Trace.Phases[1].Test = "SEQ1M QD8"
		}, []Difference{
			{"disks", "", "real", "simulated", ""}, {"connection", "A in WW", "hub", "direct", ""},
			{"test", "W", "none", "SEQ1M QD8", ""},
		}},
	}
	for _, tt := range tests {
		base, other := planned("base"), planned("other")
		tt.change(other)
		check.Same(t, tt.name, tt.want, Runs(base, other).Pairs[0].Method, withoutCause())
	}
}

// TestMethodOfTraces: where a run is nothing but its events, these say what they can.
func TestMethodOfTraces(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("W", 1, load{"A", w, 1e9, 9}))
	other := runOf("other", still("W", 2, load{"A", w, 1e9, 9}))
	other.Trace.Phases[0].Stop = scenario.StopHold
	got := Runs(base, other).Pairs[0].Method
	check.Same(t, "of events", []Difference{{"stop", "", "race", "hold", ofNothing}}, got)
}
