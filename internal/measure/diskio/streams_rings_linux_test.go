package diskio

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// When the disk's own queue is full, beginning a request takes as long as the disk does. That
// happens once: from then on other threads wait, and neither the frames whose time comes meanwhile
// nor this computer are late for it.
func TestStreamsDoNotWaitForAFullDisk(t *testing.T) {
	const ms = time.Millisecond
	for _, full := range []time.Duration{0, 30 * ms, 300 * ms} {
		t.Run(full.String(), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				job := streamsJob(dir,
					stream.Spec{Rate: 1e6, Frame: 40 * ms, Count: 4, Buffer: 500 * ms})
				p := playStreams(t, virtualStreams(job, serving(ms), likeRing(full)), 4*time.Second)
				if p.late > 0 || p.host > ms {
					t.Errorf("%d late frames, host late by %s", p.late, p.host)
				}
			})
		})
	}
}

// Requests that are interrupted or move less than they should are made again until all is moved.
func TestRingCompletesRequests(t *testing.T) {
	eintr, eagain, eio := -int32(syscall.EINTR), -int32(syscall.EAGAIN), -int32(syscall.EIO)
	for _, tt := range []struct {
		op   trace.Role
		want int64
		res  []int32 // all but the last leave something
		err  error
	}{
		{trace.Read, 4096, []int32{4096}, nil},
		{trace.Read, 4096, []int32{eintr, 1024, eagain, 3072}, nil},
		{trace.Read, 700, []int32{512, 188}, nil},
		{trace.Read, 4096, []int32{512, 0}, truncatedAt(8192 + 512)},
		{trace.Read, 4096, []int32{700}, truncatedAt(8192 + 700)},
		{trace.Write, 4096, []int32{1000, 3096}, nil},
		{trace.Write, 4096, []int32{1000, 0}, errNothingWritten},
		{trace.Write, 4096, []int32{512, eio}, syscall.EIO},
	} {
		q := request{op: tt.op, off: 8192, want: tt.want}
		for i, res := range tt.res {
			if all := q.completed(res); all != (i == len(tt.res)-1) {
				t.Errorf("%+v: after %d results: over is %v", tt, i+1, all)
			}
		}
		check.Same(t, fmt.Sprintf("%+v: error", tt), fmt.Sprint(tt.err), fmt.Sprint(q.err))
	}
}

// Streams on the kernel's own rings, in each way that kernels and limits allow: what was played is
// right, what was recorded can be checked, and every request's time is reported.
func TestStreamsOnRings(t *testing.T) {
	for how, sys := range systems {
		if how == "threads" {
			continue
		}
		for _, kinds := range [][]bool{{false}, {true}, {false, true}} {
			t.Run(fmt.Sprint(how, ", record ", kinds), func(t *testing.T) {
				job := streamsJob(t.TempDir(), stream.Spec{})
				job.Streams = nil
				for _, record := range kinds {
					job.Streams = append(job.Streams,
						stream.Spec{Record: record, Rate: 4e6, Frame: 10 * time.Millisecond,
							Count: 3, Buffer: time.Second})
				}
				job.Sizes = []int64{int64(stream.TotalRate(job.Streams) / 10)}
				job.IO.Verify, job.IO.Footprint, job.IO.Block = scenario.VerifyStamps, 64<<20,
					16<<10
				checkStreams(t, newStreams(job, sys))
			})
		}
	}
}

func truncatedAt(at int64) error {
	return fmt.Errorf("the file ends at byte %d: it was truncated during the run", at)
}

// checkStreams plays a streams job and checks the result of it.
func checkStreams(t *testing.T, s *streams) {
	t.Helper()
	runtime.LockOSThread()
	var direct bool
	pieces := 0 // of one frame of each stream, by which the bytes of all files are counted in frames
	p := playStreams(t, s, 500*time.Millisecond, func() {
		direct = s.traits.direct
		for i, player := range s.players {
			from, to := s.paths[i].frame(player.Spec, 0)
			pieces += int((to - from + s.job.IO.Block - 1) / s.job.IO.Block)
		}
	})
	if !direct {
		t.Skip("no direct requests on this file system")
	}
	check.Same(t, "engine", "io_uring", p.effective.Engine)
	counted := p.latencies.sum(t, trace.Read).TotalCount() +
		p.latencies.sum(t, trace.Write).TotalCount()
	// A file is a tenth of a second of all streams: ten frames of each.
	least := int64(10 * pieces * len(p.spans))
	if counted < least*95/100 || counted > least+int64(20*pieces) {
		t.Errorf("the times of %d requests of %d files are counted, want some %d", counted,
			len(p.spans), least)
	}
}
