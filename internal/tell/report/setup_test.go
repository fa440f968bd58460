package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// What the hardware is and what its links carried stands in every output; without it, nothing is
// said of either.
func TestSetup(t *testing.T) {
	run := fixture.Triple()
	for _, known := range []bool{false, true} {
		if known {
			run.Hardware = dock()
		}
		doc := report.OfRun(report.RunData{Trace: run,
			Analysis: analysis.Analyze(run, analysis.Options{})})
		var page, terminal bytes.Buffer
		check.Must(t, export.Markdown(&page, doc))
		check.Must(t, text.Write(&terminal, doc, text.Options{Width: 120, All: true}))
		for _, want := range []string{
			"CalDigit Element Hub, firmware 30.2", "Samsung X5", "Thunderbolt 4, PCIe 3.0 x4",
			"apfs, encrypted", "75%", "the cable from its box",
			"left port, 0.8 m cable", "Thunderbolt port 2", "hub uplink, Thunderbolt 4",
			"fell back from 40 Gb/s", "Studio Display is a display on the same hub",
			"can carry one way",
		} {
			if got := strings.Contains(page.String(), want); got != known {
				t.Errorf("hardware known: %v: Markdown has %q: %v", known, want, got)
			}
		}
		if got := strings.Contains(terminal.String(), "CalDigit Element Hub"); got != known {
			t.Errorf("hardware known: %v: terminal names the hub: %v", known, got)
		}
	}
}

// dock is a setup for fixture.Triple: two disks in Thunderbolt enclosures and one that fell back to
// USB, on one dock.
func dock() *hardware.Setup {
	yes := true
	hub := "0-1"
	uplink := hardware.Link{Segment: hardware.Uplink, Hub: hub, Kind: hardware.Thunderbolt,
		Generation: "4", RxBps: 40e9, TxBps: 40e9}
	lanes := hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 4,
		RxBps: 32e9, TxBps: 32e9}
	usb := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 20e9,
		TxBps: 20e9, MaxBps: 40e9}
	unit := func(model, firmware string, own hardware.Link) hardware.Unit {
		return hardware.Unit{
			Drive: hardware.Drive{Model: model, Firmware: firmware, Hub: &hub, SizeBytes: 2e12,
				Path: hardware.Path{Links: []hardware.Link{uplink, own}}},
			Volume: &hardware.Volume{Mount: "/Volumes/" + model, Filesystem: "apfs",
				Encrypted: &yes, SizeBytes: 2e12, FreeBytes: 5e11},
		}
	}
	a := unit("Samsung X5", "1.04", lanes)
	a.About = "the cable from its box"
	return &hardware.Setup{
		Host: &hardware.Host{Model: "Mac15,14", OS: "macOS 26.1", Power: hardware.Mains},
		Port: "Thunderbolt port 2", About: "left port, 0.8 m cable",
		Hub: &hardware.Hub{ID: hub, Name: "Element Hub", Vendor: "CalDigit",
			Firmware: "30.2", Link: &uplink},
		Disks: map[string]hardware.Unit{"A": a, "B": unit("Sabrent XTRM-Q", "", usb),
			"C": unit("Samsung 980 PRO", "5B2QGXA7", lanes)},
		Competitors: []hardware.Attached{{Kind: hardware.DisplayKind, Name: "Studio Display"}},
	}
}
