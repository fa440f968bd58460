package forecast

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// held reports whether what came is what was said, by its bound. What is about so much may be half
// or twice that.
func held(bound scenario.Bound, said, is int64) bool {
	switch bound {
	case scenario.AtMost:
		return is <= said
	case scenario.AtLeast:
		return is >= said
	case scenario.About:
		return is <= 2*said && said <= 3*is
	}
	return max(is-said, said-is) <= said/1e6 // of a mix, the bytes of each request go one way
}

// What plan says of real disks, of which only the link is known, holds for the disks of a model.
func TestPlanAgainstTheModel(t *testing.T) {
	const names = "ABC"
	for name, body := range map[string]string{
		"race":              "workload: {files: 20}\nphases: [{pattern: WWW}, {pattern: RRR}, {pattern: WRR}, {pattern: RWW}, {pattern: --R}]",
		"files of each":     "phases: [{pattern: WWW, files: {A: 4, B: 20, C: 30}}]",
		"hold":              "workload: {files: 10}\nphases: [{pattern: WRW, stop: hold, files: {A: 4, B: 20}}, {pattern: --W, stop: hold}]",
		"duration":          "phases: [{pattern: WWW, stop: 20 s}, {pattern: WR-, stop: 20 s}, {pattern: R--, stop: 10 s}]",
		"auto":              "workload: {files: auto, target: 20 s}\nphases: [{pattern: WWW}, {pattern: -WR}, {pattern: W--}]",
		"footprint":         "workload: {files: 40, footprint: 10 GB}\nphases: [{pattern: WWW}, {pattern: W--}]",
		"footprint of time": "workload: {footprint: 10 GB}\nphases: [{pattern: WWW, stop: 30 s}]",
		"steady":            "phases: [{pattern: WWW, until: steady, stop: 5 min}, {pattern: W-R, until: {steady: 2 s}, stop: 1 min}]",
		"saturation":        "workload: {preset: saturation}",
		"saturation of one": "phases: [{pattern: W-R, preset: saturation}]",
		"streams":           "workload: {files: 20}\nphases: [{streams: {A: {play: prores-422-hq-uhd-25, count: 4}}, roles: {B: write}}, {streams: {A: {record: prores-422-hq-uhd-25}}, stop: 20 s}]",
		"probe":             "workload: {files: 20}\nphases: [{probe: {A: 4 KiB}, roles: {B: write}}, {probe: {A: 4 KiB}, roles: {B: read}, stop: 10 s}]",
		"mix":               "workload: {files: 20}\nphases: [{mix: {A: 70/30, B: 50/50}}, {mix: {A: 70/30}, stop: 10 s}]",
		"pace":              "workload: {files: 20}\nphases: [{pattern: WW-, pace: {A: 200 MB/s}}, {pattern: WW-, pace: {A: 200 MB/s}, stop: 10 s}]",
		"think":             "workload: {files: 20, think: 100 ms}\nphases: [{pattern: WWW}, {pattern: W-R, files: auto, target: 10 s}, {pattern: R--, stop: 5 s}]",
		"warm up":           "workload: {files: 20, warm_up: 3}\nphases: [{pattern: WWW}, {pattern: RRR}]",
		"search of streams": "workload: {files: 20}\nphases: [{streams: {A: {play: prores-422-hq-uhd-25}}, roles: {B: write}, search: {streams: A, most: 12}, hold: 10 s}]",
		"search, recorded":  "workload: {files: 20}\nphases: [{streams: {A: {record: prores-422-hq-uhd-25}}, roles: {B: write, C: read}, search: {streams: A, most: 12}, hold: 10 s}]",
		"search of a pace":  "workload: {files: 20}\nphases: [{streams: {A: {record: prores-422-hq-uhd-25}}, roles: {B: write}, search: {pace: B}, hold: 10 s}]",
		"study":             "workload: {files: auto, target: 10 s}\nstudy: [solo, all_but_one, all, mixed]",
		"blackmagic":        "workload: {preset: blackmagic}\nphases: [{pattern: WRW}]",
	} {
		t.Run(name, func(t *testing.T) {
			load := func(hub, disk string) *scenario.Plan {
				text := "version: 1\nname: t\n" + hub + "disks:\n"
				for _, n := range names {
					text += fmt.Sprintf("  - {name: %c, "+disk+"}\n", n, n)
				}
				s, err := scenario.Load("s.yaml", []byte(text+body+"\n"))
				check.Must(t, err)
				plan, err := s.Plan()
				check.Must(t, err)
				return plan
			}
			real, model := load("", "path: %c"),
				load("hub: {profile: goshen-ridge}\n", "simulate: {profile: %c}")
			data, _ := configs.Hub("goshen-ridge")
			profile, err := hub.Load("goshen-ridge", data)
			check.Must(t, err)
			planned, err := Of(real, nil, nil)
			check.Must(t, err)
			exact, err := Of(model, profile, nil)
			check.Must(t, err)
			var moved, wrote int64 // in all, by the events themselves
			open, roles := map[string]int64{}, map[string]trace.Role{}
			end := func() {
				for disk, bytes := range open {
					if moved += bytes; roles[disk] == trace.Write {
						wrote += bytes
					}
				}
				clear(open)
			}
			check.Must(t, hub.Simulate(model, profile, func(e *trace.Event) error {
				switch e.Type {
				case trace.PhaseType:
					end()
					roles = e.Roles
				case trace.ProgressType:
					open[e.Disk] = e.Bytes
				case trace.FileType:
					open[e.Disk] = 0
					if moved += e.Bytes; e.Op == trace.Write {
						wrote += e.Bytes
					}
				}
				return nil
			}))
			end()
			for i, is := range exact {
				f, phase := planned[i], real.Phases[i]
				if !held(f.MoveBound, f.Moves, is.Moves) ||
					!held(f.WriteBound, f.Written(), is.Written()) {
					t.Errorf("%s: moves %s %d, in the model %d; writes %s %d, in the model %d",
						phase.Name, f.MoveBound,
						f.Moves, is.Moves, f.WriteBound, f.Written(), is.Written())
				}
				// The model's hub carries 3.52 GB/s, and files that are to fill a time do so
				// nearly.
				if is.Min < f.Min*19/20 || !f.Open && is.Min > f.Max*11/10 {
					t.Errorf("%s: from %s to %s (%v), in the model %s", phase.Name, f.Min, f.Max,
						f.Open, is.Min)
				}
			}
			total, totals, all := Total(planned), real.Totals(), Total(exact)
			for i, d := range real.Disks {
				if is := all.Writes[d.Name]; !held(totals[i].Bound, total.Writes[d.Name], is) {
					t.Errorf("disk %s: writes %s %d, in the model %d", d.Name, totals[i].Bound,
						total.Writes[d.Name], is)
				}
				for _, stock := range model.Stock(d.Name) {
					wrote += stock.Before
				}
			}
			if all.Moves != moved || all.Written() != wrote {
				t.Errorf("simulated: moves %d and writes %d, planned %d and %d", moved, wrote,
					all.Moves, all.Written())
			}
		})
	}
}
