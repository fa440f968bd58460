package coordinator

import (
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// A disk that is slow is not declared dead before its requests in flight, which may all end at once, can be done.
func TestStallTimeout(t *testing.T) {
	io := func(mode string, block int64, depth int) scenario.IO {
		return scenario.IO{Mode: mode, Block: block, Depth: depth}
	}
	for _, tc := range []struct {
		what  string
		stall time.Duration
		io    scenario.IO
		sizes []int64
		want  time.Duration
	}{
		{"large requests", 2 * time.Second, io(scenario.ModeDirect, 8e6, 5), []int64{1e9}, 8 * time.Second},
		{"large requests, and patience", time.Minute, io(scenario.ModeDirect, 8e6, 5), []int64{1e9}, time.Minute},
		{"a file of one request", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), []int64{1e6}, 2 * time.Second},
		{"small requests", 2 * time.Second, io(scenario.ModeDirect, 1e6, 1), []int64{1e9}, 2 * time.Second},
		{"whole files", 2 * time.Second, io(scenario.ModeApp, 0, 1), []int64{1e6, 1e9}, 202 * time.Second},
		{"no files", 2 * time.Second, io(scenario.ModeDirect, 8e6, 4), nil, 2 * time.Second},
	} {
		p := &phaseRun{opts: Options{Stall: tc.stall}}
		c := &child{job: scenario.Job{IO: tc.io, Sizes: tc.sizes}}
		if got := p.stallTimeout(c); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
}
