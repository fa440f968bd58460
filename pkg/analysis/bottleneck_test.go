package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// onDock is fieldNotes measured behind one Thunderbolt 4 dock, with a display on it, where B has
// fallen back to USB.
func onDock() *hardware.Setup {
	port := hardware.Link{
		Segment: hardware.HostPort, Port: "1", Kind: hardware.Thunderbolt, Generation: "4",
		RxBps: 40e9, TxBps: 40e9,
	}
	uplink := hardware.Link{
		Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt, Generation: "4",
		RxBps: 40e9, TxBps: 40e9,
	}
	lanes := hardware.Link{
		Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 4, RxBps: 32e9,
		TxBps: 32e9,
	}
	usb := hardware.Link{
		Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 20e9, TxBps: 20e9, MaxBps: 40e9,
	}
	unit := func(links ...hardware.Link) hardware.Unit {
		return hardware.Unit{
			Drive: hardware.Drive{
				Path: hardware.Path{Links: append([]hardware.Link{port, uplink}, links...)},
			},
		}
	}
	return &hardware.Setup{
		Hub:   &hardware.Hub{ID: "0-1", Name: "Element Hub"},
		Disks: map[string]hardware.Unit{"A": unit(lanes), "B": unit(usb), "C": unit(lanes)},
		Competitors: []hardware.Attached{
			{Kind: hardware.DisplayKind, Name: "Studio Display"},
			{Kind: hardware.OtherKind, Name: "Mouse"},
		},
	}
}

func TestLinks(t *testing.T) {
	run := fieldNotes()
	run.Hardware = onDock()
	a := Analyze(run, Options{})
	got := phaseNamed(t, a, "C writing, A and B reading").Links
	want := []LinkUse{
		{Segment: hardware.HostPort, Link: "Thunderbolt 4", Disks: []string{"A", "B"}, Op: "read",
			Rate: 2e9, Capacity: 3.4e9},
		{Segment: hardware.Uplink, Link: "Thunderbolt 4", Hub: "Element Hub",
			Disks: []string{"A", "B"}, Op: "read", Rate: 2e9, Capacity: 3.4e9},
		{Segment: hardware.Lanes, Link: "PCIe 3.0 x4", Disks: []string{"A"}, Op: "read", Rate: 1e9,
			Capacity: 3.52e9},
		{Segment: hardware.Enclosure, Link: "USB 20 Gb/s", Disks: []string{"B"}, Op: "read",
			Rate: 1e9, Capacity: 2.1e9, Could: "40 Gb/s"},
		{Segment: hardware.HostPort, Link: "Thunderbolt 4", Disks: []string{"C"}, Op: "write",
			Rate: 2.8e9, Capacity: 3.4e9},
		{Segment: hardware.Uplink, Link: "Thunderbolt 4", Hub: "Element Hub", Disks: []string{"C"},
			Op: "write", Rate: 2.8e9, Capacity: 3.4e9},
		{Segment: hardware.Lanes, Link: "PCIe 3.0 x4", Disks: []string{"C"}, Op: "write",
			Rate: 2.8e9, Capacity: 3.52e9},
	}
	alike := cmp.Options{
		cmpopts.EquateApprox(0.01, 0), cmpopts.IgnoreUnexported(LinkUse{}),
		cmpopts.IgnoreFields(LinkUse{}, "Source", "Share"),
	}
	check.Same(t, "links", want, got, alike)
	for _, u := range got {
		if share := u.Rate / u.Capacity; u.Share != share || u.Source == "" {
			t.Errorf("%+v: want share %g and a source", u, share)
		}
	}
}

// What is not known is not named: no hardware, no path, a disk that a phase has elsewhere.
func TestNoLinkIsGuessed(t *testing.T) {
	unknown := onDock()
	for name, u := range unknown.Disks {
		u.Path.Links = []hardware.Link{
			{Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt},
		}
		unknown.Disks[name] = u
	}
	for _, setup := range []*hardware.Setup{nil, {}, unknown} {
		run := fieldNotes()
		run.Hardware = setup
		for _, p := range Analyze(run, Options{}).Phases {
			if len(p.Links) > 0 {
				t.Errorf("%s: links %v, want none", p.Name, p.Links)
			}
		}
	}
	run := fieldNotes()
	run.Hardware = onDock()
	run.Phases[1].Connections = map[string]string{"A": "direct"}
	for _, u := range Analyze(run, Options{}).Phases[1].Links {
		if slices.Contains(u.Disks, "A") {
			t.Errorf("A was plugged in elsewhere, and is counted on %s", u.Link)
		}
	}
}

// Nothing passes a link's line rate: a cache was faster.
func TestFasterThanTheLine(t *testing.T) {
	run := runOf(diskOf("A", "read", 100e6, pace{10, 3e9}))
	path := hardware.Path{Links: []hardware.Link{
		{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 20e9, TxBps: 20e9},
	}}
	run.Hardware = &hardware.Setup{Disks: map[string]hardware.Unit{
		"A": {Drive: hardware.Drive{Path: path}},
	}}
	a := Analyze(run, Options{})
	if w := a.Phases[0].Warnings; !slices.ContainsFunc(w, func(w Warning) bool {
		return w.Code == "cached" && w.Disk == "A" && w.Values.(MostValues).Most == 2.5e9
	}) {
		t.Errorf("3 GB/s over 20 Gb/s: warnings %v, want cached", w)
	}
	if slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Code == "bottleneck" }) {
		t.Error("a cache's rate is reported as a link's")
	}
}

func TestCompetitors(t *testing.T) {
	run := fieldNotes()
	run.Hardware = onDock()
	var got []string
	for _, w := range Analyze(run, Options{}).Warnings {
		got = append(got, w.Code+" "+w.Other)
	}
	check.Same(t, "warnings", []string{"competitor_display Studio Display"}, got)
}
