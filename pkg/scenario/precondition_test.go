package scenario

import (
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

func TestFilling(t *testing.T) {
	const gb = int64(1e9)
	for _, tt := range []struct {
		name   string
		volume Volume
		share  float64
		needed int64
		want   int64
		whole  bool
	}{
		{"an empty volume", Volume{Size: 1000 * gb, Free: 1000 * gb}, 0.5, 100 * gb, 500 * gb, true},
		{"what is there counts", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.5, 0, 200 * gb, true},
		{"fuller already", Volume{Size: 1000 * gb, Used: 600 * gb, Free: 400 * gb}, 0.5, 0, 0, true},
		{"room for the test files", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.9, 100 * gb, 580*gb - 64<<20, false},
		{"no room at all", Volume{Size: 1000 * gb, Used: 300 * gb, Free: 700 * gb}, 0.9, 800 * gb, 0, false},
		{"full, and that is enough", Volume{Size: 1000 * gb, Used: 990 * gb, Free: 10 * gb}, 0.5, 800 * gb, 0, true},
	} {
		if got, whole := tt.volume.Filling(tt.share, tt.needed); got != tt.want || whole != tt.whole {
			t.Errorf("%s: %d bytes, whole %v; want %d, %v", tt.name, got, whole, tt.want, tt.whole)
		}
	}
}

func TestFillings(t *testing.T) {
	phase := func(share float64, disks ...string) Phase {
		p := Phase{Precondition: share}
		for _, d := range disks {
			p.Jobs = append(p.Jobs, Job{Disk: d, Role: trace.Write, Sizes: []int64{1e9}})
		}
		return p
	}
	plan := &Plan{Phases: []Phase{phase(0, "A"), phase(0.5, "A"), phase(0.5, "B"), phase(0.5, "A"), phase(0.6, "A"), phase(0.6, "B")}}
	v := Volume{Size: 100e9, Used: 10e9, Free: 90e9}
	for disk, want := range map[string][]int64{
		"A": {0, 40e9, 0, 0, 50e9, 0},
		"B": {0, 0, 40e9, 0, 0, 50e9},
	} {
		if got := plan.Fillings(disk, v); !slices.Equal(got, want) {
			t.Errorf("disk %s: %v, want %v", disk, got, want)
		}
	}
	for i, want := range []bool{false, true, true, false, true, false} {
		if got := plan.KeepsFilling(i); got != want {
			t.Errorf("phase %d keeps what it was filled with: %v, want %v", i, got, want)
		}
	}
}
