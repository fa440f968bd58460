package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func newLive(t *testing.T, stall time.Duration, say func(string)) *Live {
	t.Helper()
	dir, err := Create(t.TempDir()+"/out", nil)
	check.Must(t, err)
	return dir.Live(stall, say)
}

// stick has the disk take nothing more until the test is over.
func stick(t *testing.T, l *Live) {
	t.Helper()
	release := make(chan struct{})
	check.Must(t, l.record.put(1, func() error { <-release; return nil }))
	t.Cleanup(func() {
		close(release)
		<-l.syncs.ended
	})
}

// A results disk that hangs holds up neither who records nor who gives up on it, and is named.
func TestLiveOnADiskThatHangs(t *testing.T) {
	l := newLive(t, time.Hour, func(string) {})
	stick(t, l)
	for i := range 100 {
		check.Must(t, l.Append(trace.Event{Type: trace.EndType, Seq: i}))
	}
	check.Must(t, l.SaveInfo(&Info{}))
	giveUp := make(chan struct{})
	close(giveUp)
	if hang, ok := errors.AsType[*HangError](l.Close(giveUp)); !ok || hang.Folder != l.Path {
		t.Errorf("close: %v, want that %s hangs", hang, l.Path)
	}
}

// By itself it is given up after a while, and whoever goes on recording gets an error.
func TestLiveGivesUp(t *testing.T) {
	l := newLive(t, 3*lookEvery, func(string) {})
	stick(t, l)
	var err error
	select {
	case <-l.GivenUp():
		err = l.Append(trace.Event{Type: trace.EndType})
	case <-time.After(20 * time.Second):
	}
	if _, ok := errors.AsType[*HangError](err); !ok || !strings.Contains(err.Error(), "results folder "+l.Path+": nothing written for ") {
		t.Errorf("append: %v, want that %s hangs", err, l.Path)
	}
	if closed := l.Close(nil); !errors.Is(closed, err) {
		t.Errorf("close: %v, want %v", closed, err)
	}
}

// One that is only busy is not: each write that returns begins a new wait.
func TestLiveOnASlowDisk(t *testing.T) {
	l := newLive(t, 4*lookEvery, func(text string) { t.Errorf("it said %s", text) })
	for range 16 {
		check.Must(t, l.record.put(1, func() error { <-time.After(lookEvery / 2); return nil }))
	}
	check.Must(t, l.Close(nil))
}

// Events and run.json come to the folder in the order in which they were recorded.
func TestLiveKeepsTheOrder(t *testing.T) {
	l := newLive(t, time.Hour, func(string) {})
	var mu sync.Mutex
	var order []int
	for i := range 100 {
		check.Must(t, l.record.put(1, func() error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			return nil
		}))
	}
	for _, e := range events() {
		check.Must(t, l.Append(e))
	}
	check.Must(t, errors.Join(l.SaveInfo(&Info{Name: "kept"}), l.Flush(t.Context())))
	for i, n := range order {
		if i != n {
			t.Fatalf("write %d was number %d", i, n)
		}
	}
	if info, err := LoadInfo(l.Path); err != nil || info.Name != "kept" || len(order) != 100 {
		t.Errorf("after a flush: %v, %v, %d writes", info, err, len(order))
	}
	check.Must(t, l.Close(nil))
	if run, err := Load(l.Path); err != nil || len(run.Trace.Phases) == 0 {
		t.Errorf("loaded: %v, %v", run, err)
	}
}

// What cannot be written, and more than may wait, are errors, and no event is left out in silence.
func TestWriterRefuses(t *testing.T) {
	w := newWriter(2)
	release := make(chan struct{})
	broken := errors.New("broken")
	for range 2 {
		check.Must(t, w.put(1, func() error { <-release; return broken }))
	}
	if err := w.put(1, nil); !errors.Is(err, errFull) {
		t.Errorf("one more than may wait: %v", err)
	}
	close(release)
	<-w.ended
	if err := w.put(1, nil); !errors.Is(err, broken) {
		t.Errorf("after a failure: %v, want %v", err, broken)
	}
}

func TestAnonymous(t *testing.T) {
	hub := "4d0c1a90-uuid"
	var events []byte
	for _, e := range []trace.Event{
		{Type: trace.RunType, Version: 1, Name: "triple", Disks: []trace.Disk{{Name: "A", Path: "/Volumes/Janes SSD"}, {Name: "B", Path: "/Volumes/Janes SSD 2"}},
			Hardware: &hardware.Setup{
				Host: &hardware.Host{Name: "janes-mac", Model: "Mac15,14"}, Hub: &hardware.Hub{ID: hub, Name: "Element Hub", Upstream: "dock-of-jane", Link: &hardware.Link{Hub: hub, RxBps: 40e9}},
				About: "see /Users/jane/desk.jpg", Competitors: []hardware.Attached{{Kind: hardware.NetworkKind, ID: "x-jane", Name: "LAN (enx00e04c680001)"}},
				Disks: map[string]hardware.Unit{"A": {
					Disk: hardware.Disk{
						Name: "disk4", Model: "X5", Serial: "S4PNNF0M", Hub: &hub,
						Path:    hardware.Path{Links: []hardware.Link{{Segment: hardware.Uplink, Hub: hub}}},
						Volumes: []hardware.Volume{{Mount: "/Volumes/Janes SSD"}},
					},
					Volume: &hardware.Volume{Mount: "/Volumes/Janes SSD", Label: "Janes SSD", Filesystem: "apfs"}, About: "cable of /home/jane",
				}, "B": {Disk: hardware.Disk{Name: "loop0", Model: "file /data/jane.img"}, About: "file /data/jane.img, 2 GB, ext4"}},
			}},
		{Type: trace.PhaseType, Phase: "W", Roles: map[string]trace.Role{"A": "write"}},
		{Type: trace.FileType, Phase: "W", Disk: "A", Op: "write", Bytes: 10, EndNS: 10},
		{Type: trace.ErrorType, Phase: "W", Disk: "B", Error: "open /Volumes/Janes SSD 2/f: no such file; see /Users/jane/log"},
		{Type: trace.EndType, Status: trace.Partial},
	} {
		events = trace.AppendEvent(events, &e)
	}
	run := &Loaded{Folder: "/Users/jane/results/x", Info: &Info{
		Host: Host{Name: "janes-mac", OS: "darwin"}, Plan: &scenario.Plan{
			Hub:   &scenario.Hub{Profile: "/data/jane/my-hub.yaml"},
			Disks: []scenario.Disk{{Name: "A", Path: "/Volumes/Janes SSD", About: "cable of /home/jane"}, {Name: "B", About: "file /data/jane.img, 2 GB, ext4"}},
		},
		Warnings: []string{"disk A: /Volumes/Janes SSD is nearly full", `C:\Users\jane\x is on janes-mac`, "/home/jane/y"},
		Doctor:   &Doctor{Checks: []trace.Check{{Name: "direct", Path: "/Volumes/Janes SSD", Measured: "open /Users/jane/x", Text: "janes-mac", Advice: "/home/jane"}}},
		Failures: []trace.RunFailure{{Phase: "W", Disk: "B", Cause: "write /Volumes/Janes SSD 2/f: input/output error"}},
	}}
	var err error
	run.Trace, err = trace.Load(bytes.NewReader(events), "events.jsonl")
	check.Must(t, err)
	hidden, err := run.Anonymous(bytes.NewReader(events))
	check.Must(t, err)
	all, err := json.Marshal(run)
	check.Must(t, err)
	for _, text := range []string{string(hidden), string(all)} {
		for _, secret := range []string{"jane", "Jane", "S4PNNF0M", hub, "00e04c680001"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is still in %s", secret, text)
			}
		}
	}
	for _, kept := range []string{"X5", "Element Hub", "apfs", "LAN (enx…)", `"model":"file"`, "(path of disk B)/f: no such file; see /Users/…/log", "Mac15,14"} {
		if !strings.Contains(string(hidden), kept) {
			t.Errorf("%q is gone from %s", kept, hidden)
		}
	}
	unit := run.Trace.Hardware.Disks["A"]
	if got := unit.Path.Links[0].Hub; got != run.Trace.Hardware.Hub.ID || got != *unit.Hub || got != run.Trace.Hardware.Hub.Link.Hub {
		t.Errorf("the link is of hub %q, the disk on %q, and the hub is %q", got, *unit.Hub, run.Trace.Hardware.Hub.ID)
	}
	check.Same(t, "failure", "write (path of disk B)/f: input/output error", run.Info.Failures[0].Cause)
}
