package say

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

func TestBottleneck(t *testing.T) {
	run := tracetest.Run(
		tracetest.Phase("RRR", disk("A", "read", pace{20, 1.2}), disk("B", "read", pace{20, 1.3}), disk("C", "read", pace{20, 0.85})),
		tracetest.Phase("C", disk("C", "read", pace{20, 1.02})),
		tracetest.Phase("D", disk("D", "read", pace{20, 1.70})),
	)
	uplink := hardware.Link{Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt, Generation: "4", RxBps: 40e9}
	usb := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 10e9, MaxBps: 40e9}
	lanes := hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 2, RxBps: 16e9, MaxBps: 32e9}
	on := func(links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Disk: hardware.Disk{Path: hardware.Path{Links: links}}}
	}
	run.Hardware = &hardware.Setup{
		Disks:       map[string]hardware.Unit{"A": on(uplink), "B": on(uplink), "C": on(uplink, usb), "D": on(lanes)},
		Competitors: []hardware.Attached{{Kind: hardware.DisplayKind, Name: "Studio Display"}, {Kind: hardware.DisplayKind}},
	}
	a := Analyze(run, analysis.Options{})
	var got []string
	for _, f := range a.Findings {
		if f.Code == "bottleneck" {
			got = append(got, f.Text)
		}
	}
	for _, w := range a.Warnings {
		got = append(got, w.Text)
	}
	want := []string{
		"C: C reads 1.02 GB/s, 96 % of what the link to its enclosure (USB 10 Gb/s) can carry one way, about 1.06 GB/s; the link fell back from the 40 Gb/s that both its ends support: try another cable or port.",
		"D: D reads 1.70 GB/s, 97 % of what the link of the disk itself (PCIe 3.0 x2) can carry one way, about 1.76 GB/s; the link fell back from the 32 Gb/s that both its ends support.",
		"A, B and C read: A, B and C together read 3.35 GB/s, 99 % of what the hub's uplink (Thunderbolt 4) can carry one way, about 3.40 GB/s.",
		"Studio Display is a display on the same hub: its picture goes before the disks' data on the hub's uplink",
		"a display is on the same hub: its picture goes before the disks' data on the hub's uplink",
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d of %q\nwant %q", i, got, want[i])
		}
	}
}
