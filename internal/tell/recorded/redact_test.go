package recorded

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What a page carries and shows has no host, user, path or serial number.
func TestRedacted(t *testing.T) {
	hub := "4d0c1a90-uuid"
	var events []byte
	for _, e := range []trace.Event{
		{Type: trace.RunType, Version: 1, Name: "triple",
			Disks: []trace.Disk{{Name: "A", Path: "/Volumes/Janes SSD"},
				{Name: "B", Path: "/Volumes/Janes SSD 2"}},
			Hardware: &hardware.Setup{
				Host: &hardware.Host{Name: "janes-mac", Model: "Mac15,14"},
				Hub: &hardware.Hub{ID: hub, Name: "Element Hub", Upstream: "dock-of-jane",
					Link: &hardware.Link{Hub: hub, RxBps: 40e9}},
				About: "see /Users/jane/desk.jpg",
				Competitors: []hardware.Attached{{Kind: hardware.NetworkKind, ID: "x-jane",
					Name: "LAN (enx00e04c680001)"}},
				Disks: map[string]hardware.Unit{"A": {
					Drive: hardware.Drive{
						Name: "disk4", Model: "X5", Serial: "S4PNNF0M", Hub: &hub,
						Path: hardware.Path{Links: []hardware.Link{{Segment: hardware.Uplink,
							Hub: hub}}},
						Volumes: []hardware.Volume{{Mount: "/Volumes/Janes SSD"}},
					},
					Volume: &hardware.Volume{Mount: "/Volumes/Janes SSD", Label: "Janes SSD",
						Filesystem: "apfs"}, About: "cable of /home/jane",
				}, "B": {Drive: hardware.Drive{Name: "loop0", Model: "file /data/jane.img"},
					About: "file /data/jane.img, 2 GB, ext4"}},
			}},
		{Type: trace.PhaseType, Phase: "W", Roles: map[string]trace.Role{"A": "write"}},
		{Type: trace.FileType, Phase: "W", Disk: "A", Op: "write", Bytes: 10, EndNS: 10},
		{Type: trace.ErrorType, Phase: "W", Disk: "B",
			Error: "open /Volumes/Janes SSD 2/f: no such file; see /Users/jane/log"},
		{Type: trace.EndType, Status: trace.Partial},
	} {
		events = trace.AppendEvent(events, &e)
	}
	run := &Run{Loaded: &rundir.Loaded{Folder: "/Users/jane/results/x", Info: &rundir.Info{
		Host: rundir.Host{Name: "janes-mac", OS: "darwin"}, Plan: &scenario.Plan{
			Hub: &scenario.Hub{Profile: "/data/jane/my-hub.yaml"},
			Disks: []scenario.Disk{{Name: "A", Path: "/Volumes/Janes SSD",
				About: "cable of /home/jane"},
				{Name: "B", About: "file /data/jane.img, 2 GB, ext4"}},
		},
		Warnings: []string{"disk A: /Volumes/Janes SSD is nearly full", `C:\Users\jane\x is on janes-mac`, "/home/jane/y"},
		Doctor: &rundir.Doctor{Checks: []trace.Check{{Name: "direct", Path: "/Volumes/Janes SSD",
			Measured: "open /Users/jane/x", Text: "janes-mac", Advice: "/home/jane"}}},
		Failures: []trace.RunFailure{{Phase: "W", Disk: "B",
			Cause: "write /Volumes/Janes SSD 2/f: input/output error"}},
	}}, OpenEvents: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(events)), nil
	}}
	var err error
	run.Trace, err = trace.Load(bytes.NewReader(events), "events.jsonl")
	check.Must(t, err)
	run.Analysis = &analysis.Analysis{Origin: &analysis.Origin{Host: "janes-mac"}}
	run.Redact()
	lines, err := run.OpenEvents()
	check.Must(t, err)
	hidden, err := io.ReadAll(lines)
	check.Must(t, err)
	all, err := json.Marshal([]any{run.Trace, run.Info, run.Analysis, run.Document(false)})
	check.Must(t, err)
	for _, text := range []string{string(hidden), string(all)} {
		for _, secret := range []string{"jane", "Jane", "S4PNNF0M", hub, "00e04c680001"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is still in %s", secret, text)
			}
		}
	}
	for _, kept := range []string{"X5", "Element Hub", "apfs", "LAN (enx…)", `"model":"file"`, "(path of disk B)/f: no such file; see …/log", "Mac15,14"} {
		if !strings.Contains(string(hidden), kept) {
			t.Errorf("%q is gone from %s", kept, hidden)
		}
	}
	unit := run.Trace.Hardware.Disks["A"]
	if got := unit.Path.Links[0].Hub; got != run.Trace.Hardware.Hub.ID || got != *unit.Hub ||
		got != run.Trace.Hardware.Hub.Link.Hub {
		t.Errorf("the link is of hub %q, the disk on %q, and the hub is %q", got, *unit.Hub,
			run.Trace.Hardware.Hub.ID)
	}
	check.Same(t, "failure", "write (path of disk B)/f: input/output error",
		run.Info.Failures[0].Cause)
}

// Names are replaced as words, whatever they are part of, and paths wherever they lead.
func TestRedactor(t *testing.T) {
	l := &rundir.Loaded{Folder: "/work/x", Info: &rundir.Info{Host: rundir.Host{Name: "vm"}},
		Trace: &trace.Run{
			Disks: []trace.Disk{{Name: "A", Path: "/Volumes/Janes SSD/bench"},
				{Name: "B", Path: "/mnt"}},
			Hardware: &hardware.Setup{Disks: map[string]hardware.Unit{"A": {
				Drive: hardware.Drive{Serial: "S4PNNF0M", Model: "file /tmp/Jane (2), b.img"},
				Volume: &hardware.Volume{Mount: "/Volumes/Janes SSD",
					Mounts: []string{"/mnt/janes"}},
			}}},
		}}
	hide := redactor(l)
	for text, want := range map[string]string{
		"nvme0 and nvme of vm, a vm-like host":             "nvme0 and nvme of (host), a (host)-like host",
		"/Volumes/Janes SSD/bench/f is nearly full":        "(path of disk A)/f is nearly full",
		"/Volumes/Janes SSD: no space":                     "(path of disk A): no space",
		"open /mnt/janes: gone":                            "open (path of disk A): gone",
		"/mnt2/f, /mnt/f":                                  "…/f, (path of disk B)/f",
		"serial S4PNNF0M, S4PNNF0M2":                       "serial (serial number), S4PNNF0M2",
		"/srv/jane.smith/s.yaml:4:21: bad":                 "…/s.yaml:4:21: bad",
		"see /root/jane/x, ~jane/y, \\\\srv\\jane\\z":      "see …/x, …/y, …/z",
		"/Users/Jane Doe/x; C:\\Users\\Jane Doe\\y":        "…/x; …/y",
		"/Users/Jane Doe: full":                            "…/…: full",
		"is RAM (loop0 (file /tmp/Jane (2), b.img)): slow": "is RAM (loop0 (file)): slow",
		"is RAM (loop0 (file /tmp/jane)), so no disk":      "is RAM (loop0 (file)), so no disk",
		"1.5 GB/s at 50% and/or 24/7":                      "1.5 GB/s at 50% and/or 24/7",
	} {
		check.Same(t, text, want, hide(text))
	}
}

// In hashed tables the runs of one host stay together, and those of two hosts apart.
func TestHashed(t *testing.T) {
	of := func(host string) string {
		run := &Run{Loaded: &rundir.Loaded{Trace: &trace.Run{}}}
		run.Analysis = &analysis.Analysis{Origin: &analysis.Origin{Host: host}}
		run.hash()
		return run.Analysis.Origin.Host
	}
	a := of("janes-mac")
	if a != of("janes-mac") || a == of("janes-mac-2") || of("") != "" ||
		strings.Contains(a, "jane") {
		t.Errorf("a host became %q, another %q, none %q", a, of("janes-mac-2"), of(""))
	}
	if again := of(a); again != a {
		t.Errorf("%q became %q", a, again)
	}
}
