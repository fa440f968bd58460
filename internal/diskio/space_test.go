package diskio

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
)

func TestLeave(t *testing.T) {
	job := func(disk string, role scenario.Role, sizes ...int64) scenario.Job {
		return scenario.Job{Disk: disk, Role: role, Sizes: sizes}
	}
	pass := job("A", scenario.Write, 5, 5)
	pass.IO.OneFile = true
	plan := &scenario.Plan{Phases: []scenario.Phase{
		{Jobs: []scenario.Job{job("A", scenario.Write, 1, 2), job("B", scenario.Read, 9)}},
		{Jobs: []scenario.Job{job("B", scenario.Read, 7)}},
		{Jobs: []scenario.Job{job("A", scenario.Write, 3)}},
		{Jobs: []scenario.Job{job("A", scenario.Read, 1, 2, 2)}},
		{Jobs: []scenario.Job{pass}},
	}}
	for _, tt := range []struct {
		phase int
		disk  string
		want  []int64
	}{
		{0, "A", []int64{1, 2, 2}},
		{0, "B", []int64{7}},
		{1, "B", nil},
		{3, "A", []int64{5}},
		{4, "A", nil},
		{0, "C", nil},
	} {
		if diff := cmp.Diff(tt.want, Leave(plan, tt.phase, tt.disk)); diff != "" {
			t.Errorf("Leave(%d, %s) (-want +got):\n%s", tt.phase, tt.disk, diff)
		}
	}
}

func TestSpace(t *testing.T) {
	job := func(role scenario.Role, io scenario.IO, sizes ...int64) scenario.Job {
		return scenario.Job{Disk: "A", Role: role, Sizes: sizes, IO: io}
	}
	var plain scenario.IO
	const w, r = scenario.Write, scenario.Read
	for _, tt := range []struct {
		name string
		jobs []scenario.Job
		want []int64
	}{
		{"nothing shared", []scenario.Job{job(w, plain, 1, 2), job(r, plain, 4, 8)}, []int64{3, 12}},
		{"written and read", []scenario.Job{job(w, plain, 4, 8), job(r, plain, 8, 4)}, []int64{12, 12}},
		{"a read set waits while others are written", []scenario.Job{job(r, plain, 4, 8), job(w, plain, 4, 100), job(r, plain, 4, 8)}, []int64{12, 112, 12}},
		{"kept", []scenario.Job{job(w, scenario.IO{Keep: true}, 5), job(w, plain, 7)}, []int64{5, 12}},
		{"a footprint", []scenario.Job{job(w, scenario.IO{Footprint: 10}, 6, 6, 6)}, []int64{10}},
		{"a footprint below a file", []scenario.Job{job(w, scenario.IO{Footprint: 4}, 6, 6, 6)}, []int64{6}},
		{"passes", []scenario.Job{job(w, scenario.IO{OneFile: true}, 6, 6, 6), job(r, plain, 6)}, []int64{6, 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := &scenario.Plan{}
			for _, j := range tt.jobs {
				other := j
				other.Disk = "B"
				plan.Phases = append(plan.Phases, scenario.Phase{Jobs: []scenario.Job{other, j}})
			}
			if diff := cmp.Diff(tt.want, Space(plan, "A")); diff != "" {
				t.Errorf("Space() (-want +got):\n%s", diff)
			}
		})
	}
}
