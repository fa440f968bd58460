package compare

import (
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// planned is a run of two phases whose plan and modes can be changed.
func planned(label string) Run {
	w := trace.Write
	r := runOf(label, still("WW", 1, load{"A", w, 1e9, 9}, load{"B", w, 1e9, 9}), still("W", 1, load{"A", w, 1e9, 9}))
	m := &Method{Tool: "1.0", Host: "mac", System: "darwin/arm64, 8 CPUs", Plan: &scenario.Plan{Seed: 7, Hub: &scenario.Hub{Profile: "goshen-ridge"}}, Effective: map[string]map[string]trace.Effective{}}
	for _, p := range r.Trace.Phases {
		phase := scenario.Phase{Name: p.Name, Roles: p.Roles}
		m.Effective[p.Name] = map[string]trace.Effective{}
		for _, d := range p.Disks {
			phase.Jobs = append(phase.Jobs, scenario.Job{
				Disk: d.Name, Role: d.Op, Sizes: []int64{1e9, 2e9},
				IO: scenario.IO{Mode: "direct", Block: 8 << 20, Depth: 4, Flush: "full", Verify: "off", Preallocate: true},
			})
			m.Effective[p.Name][d.Name] = trace.Effective{Engine: "io_uring", Cache: "direct", Flush: "full", FlushReaches: trace.ReachesMedium, Block: 8 << 20, Depth: 4, Space: trace.SpaceReserved}
		}
		m.Plan.Phases = append(m.Plan.Phases, phase)
	}
	r.Method = m
	return r
}

func TestMethod(t *testing.T) {
	job := func(r Run, phase, job int) *scenario.Job { return &r.Method.Plan.Phases[phase].Jobs[job] }
	drive := func(r Run, phase, disk string, change func(*trace.Effective)) {
		m := r.Method.Effective[phase][disk]
		change(&m)
		r.Method.Effective[phase][disk] = m
	}
	tests := []struct {
		name   string
		change func(Run)
		want   []Difference
	}{
		{"nothing", func(Run) {}, []Difference{}},
		{"flush of one disk", func(r Run) { drive(r, "WW", "B", func(m *trace.Effective) { m.Flush, m.FlushReaches = "none", "" }) },
			[]Difference{{"flush", "B in WW", "full", "none"}}},
		{"how far a flush goes", func(r Run) {
			drive(r, "W", "A", func(m *trace.Effective) { m.Flush, m.FlushReaches = "fsync", trace.ReachesCache })
			drive(r, "WW", "A", func(m *trace.Effective) { m.FlushReaches = "" }) // not noted
		}, []Difference{{"flush", "A in W", "full, to the medium", "fsync, to the drive's cache"}}},
		{"cache everywhere, block by a hair", func(r Run) {
			for _, at := range [][2]string{{"WW", "A"}, {"WW", "B"}, {"W", "A"}} {
				drive(r, at[0], at[1], func(m *trace.Effective) { m.Cache = "buffered" })
			}
			drive(r, "W", "A", func(m *trace.Effective) { m.Block = 8<<20 + 512 })
		}, []Difference{{"cache", "", "direct", "buffered"}, {"block", "A in W", "8.39 MB", "8.39 MB, but different ones"}}},
		{"asked alike, had otherwise", func(r Run) { drive(r, "W", "A", func(m *trace.Effective) { m.Engine = "threads" }) },
			[]Difference{{"engine", "A in W", "io_uring", "threads"}}},
		{"space of new files", func(r Run) {
			drive(r, "W", "A", func(m *trace.Effective) { m.Space = trace.SpaceInOrder })
			drive(r, "WW", "A", func(m *trace.Effective) { m.Space = trace.SpaceNone })
			drive(r, "WW", "B", func(m *trace.Effective) { m.Space = "" }) // not noted
		}, []Difference{{"preallocate", "A in WW", "true", "not possible"}, {"preallocate", "A in W", "true", "in order"}}},
		{"asked otherwise, had alike", func(r Run) { job(r, 0, 0).IO.Flush = "fsync" }, []Difference{}},
		{"asked otherwise, had unknown", func(r Run) { r.Method.Effective = nil; job(r, 0, 0).IO.Flush = "fsync" },
			[]Difference{{"flush", "A in WW", "full", "fsync"}}},
		{"files", func(r Run) { job(r, 0, 1).Sizes = []int64{1e9, 1e9, 5e8} },
			[]Difference{{"files", "B in WW", "2 of 1 GB to 2 GB, 3 GB in total", "3 of 500 MB to 1 GB, 2.5 GB in total"}}},
		{"order of files", func(r Run) { job(r, 0, 1).Sizes = []int64{2e9, 1e9} },
			[]Difference{{"files", "B in WW", "2 of 1 GB to 2 GB, 3 GB in total", "2 of 1 GB to 2 GB, 3 GB in total, but different ones"}}},
		{"access", func(r Run) {
			job(r, 1, 0).IO = scenario.IO{Mode: "direct", Access: "random", OneFile: true, Cap: 5 * time.Second, Rest: time.Second, Discard: 1, Verify: "off", Preallocate: true}
		}, []Difference{{"access", "A in W", "sequential", "random, one file repeatedly, at most 5 s each, 1 s apart, 1 to warm up"}}},
		{"stop and rest", func(r Run) {
			p := &r.Method.Plan.Phases[0]
			p.Stop, p.Limit, p.Cooldown, p.UntilIdle = scenario.StopTime, time.Minute, 10*time.Second, true
			r.Method.Plan.Phases[1].Target = 40 * time.Second
		}, []Difference{
			{"stop", "WW", "race", "time, after 1 min"}, {"stop", "W", "race", "race, with files for 40 s"},
			{"cooldown", "WW", "none", "until idle, at most 10 s"},
		}},
		{"machine", func(r Run) {
			r.Method.Tool, r.Method.Host, r.Method.System, r.Method.Plan.Seed = "1.1", "pc", "linux/amd64, 2 CPUs", 8
			r.Trace.Disks[0].Path = "/mnt/a"
		}, []Difference{
			{"seed", "", "7", "8"}, {"hubbench", "", "1.0", "1.1"}, {"system", "", "darwin/arm64, 8 CPUs", "linux/amd64, 2 CPUs"},
			{"host", "", "mac", "pc"}, {"path", "A", "/Volumes/A", "/mnt/a"},
		}},
		{"played on a model", func(r Run) { r.Method.Simulated = true }, []Difference{{"disks", "", "real", "simulated"}}},
		{"hub", func(r Run) { r.Method.Plan.Hub.Profile = "titan-ridge" }, []Difference{{"hub model", "", "goshen-ridge", "titan-ridge"}}},
		{"simulated, on another port", func(r Run) {
			for i := range r.Trace.Disks {
				r.Trace.Disks[i].Profile = "A"
			}
			r.Trace.Phases[0].Connections = map[string]string{"A": "direct"}
			r.Trace.Phases[1].Test = "SEQ1M QD8"
		}, []Difference{
			{"disks", "", "real", "simulated"}, {"connection", "A in WW", "hub", "direct"}, {"test", "W", "none", "SEQ1M QD8"},
		}},
	}
	for _, tt := range tests {
		base, other := planned("base"), planned("other")
		tt.change(other)
		check.Same(t, tt.name, tt.want, Runs(base, other).Pairs[0].Method)
	}
}

// TestMethodOfTraces: where a run is nothing but its events, these say what they can.
func TestMethodOfTraces(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("W", 1, load{"A", w, 1e9, 9}))
	other := runOf("other", still("W", 2, load{"A", w, 1e9, 9}))
	other.Trace.Phases[0].Stop = scenario.StopHold
	other.Trace.Phases[0].Disks[0].Files[8].Filler = true
	got := Runs(base, other).Pairs[0].Method
	if len(got) != 2 || got[0].What != "files" || got[1] != (Difference{"stop", "", "race", "hold"}) {
		t.Errorf("got %+v, want other files and another stop", got)
	}
	timed := runOf("timed", still("W", 1, load{"A", w, 1e9, 12}))
	timed.Trace.Phases[0].Stop = scenario.StopTime
	if got := Runs(base, timed).Pairs[0].Method; len(got) != 1 || got[0].What != "stop" {
		t.Errorf("a phase that stops by time: got %+v, want no word of how many files there were", got)
	}
}

func TestWhere(t *testing.T) {
	places := []about{{disk: "A"}, {phase: "WW"}, {phase: "WW", disk: "B"}, {phase: "W", disk: "A"}, {phase: "RR", disk: "A"}}
	check.Same(t, "four", "A, WW, B in WW, A in W", where(places[:4]))
	check.Same(t, "five", "A, WW, B in WW, 2 more", where(places))
}
