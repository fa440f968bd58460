package compare

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

func onSetup(firmware string, change func(*hardware.Setup)) Input {
	r := planned(firmware)
	yes := true
	unit := func(model string) hardware.Unit {
		return hardware.Unit{
			Drive: hardware.Drive{Model: model, Firmware: firmware,
				Path: hardware.Path{Links: []hardware.Link{{Kind: hardware.Thunderbolt,
					Generation: "4"}}}},
			Volume: &hardware.Volume{Mount: "/Volumes/" + model, Filesystem: "apfs",
				Encrypted: &yes, SizeBytes: 100, FreeBytes: 50},
		}
	}
	r.Trace.Hardware = &hardware.Setup{
		Host: &hardware.Host{Model: "Mac15,14", OS: "macOS 26.1", CPU: "Apple M3 Ultra",
			Power: hardware.Mains},
		Port:  "Thunderbolt port 1",
		Hub:   &hardware.Hub{Name: "Element Hub", Vendor: "CalDigit", Firmware: "30.2"},
		Disks: map[string]hardware.Unit{"A": unit("X5"), "B": unit("990 PRO")},
	}
	if change != nil {
		change(r.Trace.Hardware)
	}
	return r
}

func TestSetup(t *testing.T) {
	edit := func(name string, change func(*hardware.Unit)) func(*hardware.Setup) {
		return func(s *hardware.Setup) { u := s.Disks[name]; change(&u); s.Disks[name] = u }
	}
	for _, tt := range []struct {
		name string
		new  Input
		want []Difference
	}{
		{"the same", onSetup("3.2", nil), []Difference{}},
		{"firmware of both", onSetup("3.4", nil), []Difference{{"firmware", "", "3.2", "3.4", ""}}},
		{"another disk", onSetup("3.2", edit("B", func(u *hardware.Unit) {
			u.Model = "980 PRO"
		})), []Difference{{"model", "B", "990 PRO", "980 PRO", ""}}},
		{"not known there", onSetup("3.2", edit("B", func(u *hardware.Unit) {
			*u = hardware.Unit{}
		})), []Difference{}},
		{"nothing known there", planned("none"), []Difference{}},
		{"fell back", onSetup("3.2", edit("A", func(u *hardware.Unit) {
			u.Path.Links = []hardware.Link{{Kind: hardware.USBLink, RxBps: 10e9}}
		})),
			[]Difference{{"links", "A", "Thunderbolt 4", "USB 10 Gb/s", ""}}},
		{"host, port, mount", onSetup("3.2", func(s *hardware.Setup) {
			s.Host.OS, s.Host.CPU, s.Port = "macOS 26.2", "Apple M5", "Thunderbolt port 2"
			s.Disks["A"].Volume.Options = []string{"noatime"}
		}), []Difference{
			{"mounted", "A", "by default", "noatime", ""},
			{"port", "", "Thunderbolt port 1", "Thunderbolt port 2", ""},
			{"host cpu", "", "Apple M3 Ultra", "Apple M5", ""},
			{"host os", "", "macOS 26.1", "macOS 26.2", ""},
		}},
		{"hub, battery, volume", onSetup("3.2", func(s *hardware.Setup) {
			s.Hub.Firmware, s.Host.Power = "31.0", hardware.Battery
			v := s.Disks["A"].Volume
			no := false
			v.Filesystem, v.Encrypted, v.FreeBytes = "exfat", &no, 5
		}), []Difference{
			{"encrypted", "A", "yes", "no", ""},
			{"file system", "A", "apfs", "exfat", ""},
			{"fill level", "A", "at most 90% full", "over 90% full", ""},
			{"hub firmware", "", "30.2", "31.0", ""},
			{"host power", "", "mains", "battery", ""},
		}},
	} {
		base := onSetup("3.2", nil)
		got := Runs(base, tt.new).Pairs[0].Method
		check.Same(t, tt.name, tt.want, got, withoutCause())
	}
}
