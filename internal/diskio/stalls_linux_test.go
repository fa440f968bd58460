package diskio

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/hubbench/hubbench/internal/clock"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// stalls is a file system that stands still from one instant to another, as the kernel sees it.
type stalls struct {
	fromNS, toNS atomic.Int64 // by clock.Now
}

func (s *stalls) wait() {
	if now := clock.Now(); now >= s.fromNS.Load() && now < s.toNS.Load() {
		clock.SleepUntil(s.toNS.Load())
	}
}

// stallingNode passes everything on to a folder.
type stallingNode struct {
	*fs.LoopbackNode
	*stalls
}

func (n *stallingNode) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	return &stallingNode{child.(*fs.LoopbackNode), n.stalls}
}

// seenFile has every request pass through here.
type seenFile struct{ *fs.LoopbackFile }

func (seenFile) PassthroughFd() (int, bool) { return 0, false }

func (n *stallingNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, out, errno := n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
	if errno != 0 {
		return nil, 0, errno
	}
	return seenFile{f.(*fs.LoopbackFile)}, out, 0
}

func (n *stallingNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, f, more, errno := n.LoopbackNode.Create(ctx, name, flags&^syscall.O_DIRECT, mode, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	return inode, seenFile{f.(*fs.LoopbackFile)}, more, 0
}

func (n *stallingNode) Read(ctx context.Context, f fs.FileHandle, p []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n.wait()
	return f.(seenFile).Read(ctx, p, off)
}

func (n *stallingNode) Write(ctx context.Context, f fs.FileHandle, p []byte, off int64) (uint32, syscall.Errno) {
	n.wait()
	return f.(seenFile).Write(ctx, p, off)
}

// mountStalling mounts such a file system, or skips the test.
func mountStalling(t *testing.T, s *stalls) string {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no FUSE here")
	}
	behind := t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "hubbench-stalls-"); err == nil { // a disk of its own would stall as it likes
		behind = shm
		t.Cleanup(func() { os.RemoveAll(shm) })
	}
	plain, err := fs.NewLoopbackRoot(behind)
	if err != nil {
		t.Fatal(err)
	}
	node := &stallingNode{plain.(*fs.LoopbackNode), s}
	node.RootData.RootNode = node
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	server, err := fs.Mount(dir, node, &fs.Options{MountOptions: fuse.MountOptions{MaxWrite: 1 << 20, DirectMount: true}})
	if err != nil {
		t.Skipf("FUSE cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A device that really stands still, in real time, under streams of several kinds, some played and some recorded: the late
// frames are those of TestStreamsOverAStall. What this machine itself is late by, which the test sees, may move a frame
// over the stall's edges.
func TestStreamsOverARealStall(t *testing.T) {
	for _, buffer := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		for _, stall := range []time.Duration{300 * time.Millisecond, time.Second, 3 * time.Second} {
			t.Run(fmt.Sprintf("buffer %s, stall %s", buffer, stall), func(t *testing.T) {
				t.Parallel()
				runtime.LockOSThread()
				var gate stalls
				job := streamsJob(mountStalling(t, &gate), stream.Spec{Rate: 2e6, Frame: 40 * time.Millisecond, Count: 2, Buffer: buffer})
				job.Streams = append(job.Streams,
					stream.Spec{Record: true, Rate: 1e6, Frame: time.Second / 60, Count: 2, Buffer: buffer},
					stream.Spec{Rate: 0.5e6, Frame: time.Second / 24, Count: 1, Buffer: buffer})
				job.Sizes, job.IO.Footprint = []int64{6_500_000}, 20<<20
				s := newStreams(job, system{open: openTestFile, ring: noRing})
				eff, err := s.Prepare(t.Context(), func(int64) {})
				if err != nil {
					t.Fatal(err)
				}
				const from = time.Second
				length := from + stall + buffer + 500*time.Millisecond
				release := clock.Now() + 5e6
				gate.toNS.Store(release + (from + stall).Nanoseconds())
				gate.fromNS.Store(release + from.Nanoseconds())
				got := map[string]*stream.Outcome{}
				lastNS := map[string]int64{}
				s.Start(release, func(e trace.Event) {
					if e.Type != trace.StreamType {
						return
					}
					if got[e.Stream] == nil {
						got[e.Stream] = &stream.Outcome{}
					}
					got[e.Stream].Add(stream.Sample{Due: e.Due, Late: e.Late, BufferNS: e.BufferNS, StallNS: e.StallNS})
					lastNS[e.Stream] = e.TNS
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(release-clock.Now())+length)
				defer cancel()
				for seq := 0; ctx.Err() == nil; seq++ {
					if _, err := s.Transfer(ctx, seq, func(_, _, _ int64) {}); err != nil && ctx.Err() == nil {
						t.Fatal(err)
					}
				}
				belated := time.Duration(max(s.belatedNS.MaxNS(), s.asleepNS))
				var report strings.Builder
				for i, p := range s.players {
					want := overStall(p.Spec, i, len(s.players), from, from+stall, time.Duration(lastNS[p.Name]))
					late := got[p.Name].Late
					fmt.Fprintf(&report, " %d of %d", late, want.Late)
					if got[p.Name].Due != want.Due {
						t.Errorf("stream %d: %d frames were due by %d ns, want %d", i+1, got[p.Name].Due, lastNS[p.Name], want.Due)
					}
					may := 1 + int(2*belated/p.Spec.Frame)
					if diff := late - want.Late; diff > may || diff < -may {
						t.Errorf("stream %d: %d late frames, want %d", i+1, late, want.Late)
					}
				}
				t.Logf("%s: late frames%s; frames were requested up to %s after their time", eff.Cache, &report, belated)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
