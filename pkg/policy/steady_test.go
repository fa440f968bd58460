package policy

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// settledAt is the windows at whose ends a job was steady that moves at rates (bytes per nanosecond, by window of 10 ns)
// and is heard of every so often.
func settledAt(p Policy, role trace.Role, rates []int64, every int64) (windows []int) {
	p.Steady = 10
	j := NewJob("p", p, &scenario.Job{Role: role, Sizes: []int64{1e9}})
	var moved int64
	for ns := range int64(len(rates)) * 10 {
		moved += rates[ns/10]
		if (ns+1)%every == 0 {
			j.Progress(moved, ns+1)
		}
		for w, ok := j.Settled(); ok; w, ok = j.Settled() {
			windows = append(windows, w)
		}
	}
	return windows
}

func TestSettled(t *testing.T) {
	flat := slices.Repeat([]int64{100}, 7)
	fall := slices.Concat(slices.Repeat([]int64{300}, 6), slices.Repeat([]int64{100}, 6))
	for _, tt := range []struct {
		name   string
		policy Policy
		role   trace.Role
		rates  []int64
		want   []int
	}{
		{"flat", Policy{}, trace.Write, flat, []int{5, 6, 7}},
		{"across a fall", Policy{}, trace.Write, fall, []int{5, 6, 11, 12}},
		{"only after a fall", Policy{AfterFall: true}, trace.Write, fall, []int{11, 12}},
		{"it never falls", Policy{AfterFall: true}, trace.Write, flat, nil},
		{"reading has no cache to fill", Policy{AfterFall: true}, trace.Read, flat, []int{5, 6, 7}},
	} {
		for _, every := range []int64{1, 5, 10, 30} { // it does not matter when it is heard of
			got := settledAt(tt.policy, tt.role, tt.rates, every)
			if want := slices.DeleteFunc(slices.Clone(tt.want), func(w int) bool { return int64(w)*10 > int64(len(tt.rates))*10/every*every }); !slices.Equal(got, want) {
				t.Errorf("%s, heard of every %d ns: steady at the ends of windows %v, want %v", tt.name, every, got, want)
			}
		}
	}
}

// A phase is settled when all its jobs but those that accompany them are steady at the end of one and the same window.
func TestSettling(t *testing.T) {
	s := NewSettling(&scenario.Phase{Steady: 10 * time.Second, Jobs: []scenario.Job{{Disk: "A"}, {Disk: "B"}, {Disk: "C", Probe: time.Second}}})
	for _, tt := range []struct {
		window int
		all    bool
	}{{5, false}, {6, false}, {7, false}, {6, true}} {
		endNS, all := s.Add(tt.window)
		if all != tt.all {
			t.Errorf("window %d: all steady %v, want %v", tt.window, all, tt.all)
		}
		if want := int64(tt.window)*10e9 + 5e9; endNS != want {
			t.Errorf("window %d: end at %d, want %d", tt.window, endNS, want)
		}
	}
	if diff := cmp.Diff(Policy{Limit: 9, Steady: 1}, Of(&scenario.Phase{Stop: scenario.StopTime, Limit: 9, Steady: 1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
