package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestCarryOver(t *testing.T) {
	job := func(disk string, role trace.Role, sizes ...int64) Job {
		return Job{Disk: disk, Role: role, Sizes: sizes}
	}
	pass := job("A", trace.Write, 5, 5)
	pass.IO.OneFile = true
	plan := &Plan{Phases: []Phase{
		{Jobs: []Job{job("A", trace.Write, 1, 2), job("B", trace.Read, 9)}},
		{Jobs: []Job{job("B", trace.Read, 7)}},
		{Jobs: []Job{job("A", trace.Write, 3)}},
		{Jobs: []Job{job("A", trace.Read, 1, 2, 2)}},
		{Jobs: []Job{pass}},
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
		if diff := cmp.Diff(tt.want, plan.CarryOver(tt.phase, tt.disk)); diff != "" {
			t.Errorf("CarryOver(%d, %s) (-want +got):\n%s", tt.phase, tt.disk, diff)
		}
	}
}

func TestStock(t *testing.T) {
	job := func(role trace.Role, io IO, sizes ...int64) Job {
		return Job{Disk: "A", Role: role, Sizes: sizes, IO: io}
	}
	var plain IO
	passes := IO{OneFile: true}
	const w, r = trace.Write, trace.Read
	for _, tt := range []struct {
		name string
		jobs []Job
		want []Stock
	}{
		{"nothing shared", []Job{job(w, plain, 1, 2), job(r, plain, 4, 8)}, []Stock{{Space: 3}, {12, 12}}},
		{"written and read", []Job{job(w, plain, 4, 8), job(r, plain, 8, 4)}, []Stock{{Space: 12}, {Space: 12}}},
		{"written in part", []Job{job(w, plain, 4, 8), job(r, plain, 8, 8)}, []Stock{{Space: 12}, {16, 8}}},
		{"a read set waits while others are written", []Job{job(r, plain, 4, 8), job(w, plain, 4, 100), job(r, plain, 4, 8)},
			[]Stock{{12, 12}, {Space: 112}, {Space: 12}}},
		{"kept", []Job{job(w, IO{Keep: true}, 5), job(w, plain, 7)}, []Stock{{Space: 5}, {Space: 12}}},
		{"kept, and read before more is kept", []Job{job(w, IO{Keep: true}, 5), job(r, IO{Keep: true}, 5), job(w, IO{Keep: true}, 7)}, []Stock{{Space: 5}, {Space: 5}, {Space: 12}}},
		{"a footprint", []Job{job(w, IO{Footprint: 10}, 6, 6, 6)}, []Stock{{Space: 10}}},
		{"a footprint below a file", []Job{job(w, IO{Footprint: 4}, 6, 6, 6)}, []Stock{{Space: 6}}},
		{"passes", []Job{job(w, passes, 6, 6, 6), job(r, passes, 6, 6), job(r, plain, 6)}, []Stock{{6, 6}, {Space: 6}, {Space: 6}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := &Plan{}
			for _, j := range tt.jobs {
				other := j
				other.Disk = "B"
				plan.Phases = append(plan.Phases, Phase{Jobs: []Job{other, j}})
			}
			if diff := cmp.Diff(tt.want, plan.Stock("A")); diff != "" {
				t.Errorf("Stock() (-want +got):\n%s", diff)
			}
		})
	}
}
