package hardware

import "testing"

func TestPractical(t *testing.T) {
	for _, tt := range []struct {
		name        string
		link        Link
		read, write float64 // B/s; 0: not known
	}{
		{"Thunderbolt 4", Link{Kind: Thunderbolt, RxBps: 40e9, TxBps: 40e9}, 3.4e9, 3.4e9},
		{"Thunderbolt 5", Link{Kind: Thunderbolt, RxBps: 80e9, TxBps: 80e9}, 7e9, 7e9},
		{"unequal", Link{Kind: Thunderbolt, RxBps: 40e9, TxBps: 80e9}, 3.4e9, 7e9},
		{"one way known", Link{Kind: USBLink, RxBps: 10e9}, 1.06e9, 1.06e9},
		{"PCIe 3.0 x4", Link{Kind: PCIe, Lanes: 4, RxBps: 32e9, TxBps: 32e9}, 3.52e9, 3.52e9},
		{"USB 2", Link{Kind: USBLink, RxBps: 480e6, TxBps: 480e6}, 0.0532e9, 0.0532e9},
		{"PCIe of unknown width", Link{Kind: PCIe, RxBps: 32e9}, 0, 0},
		{"the synthetic rate of tunnels", Link{Kind: PCIe, Lanes: 4, RxBps: 10e9, TxBps: 10e9}, 0, 0},
		{"a rate of no known link", Link{Kind: Thunderbolt, RxBps: 33e9}, 0, 0},
		{"nothing known", Link{}, 0, 0},
	} {
		read, _ := tt.link.Practical(true)
		write, ok := tt.link.Practical(false)
		if read.Rate != tt.read || write.Rate != tt.write || ok != (write.Source != "") {
			t.Errorf("%s: reads %g, writes %g (%q), want %g, %g", tt.name, read.Rate, write.Rate, write.Source, tt.read, tt.write)
		}
	}
}

func TestAtMost(t *testing.T) {
	for _, tt := range []struct {
		link        Link
		read, write float64
	}{
		{Link{Kind: USBLink, RxBps: 10e9, TxBps: 10e9}, 1.06e9, 1.06e9},
		{Link{Kind: Thunderbolt, RxBps: 20e9, TxBps: 10e9}, 2.5e9, 1.25e9},
		{Link{Kind: USBLink, RxBps: 12e6}, 1.5e6, 1.5e6},
		{Link{Kind: USBLink}, 0, 0},
	} {
		if read, write := tt.link.AtMost(true), tt.link.AtMost(false); read != tt.read || write != tt.write {
			t.Errorf("%+v carries %g in and %g out at most, want %g and %g", tt.link, read, write, tt.read, tt.write)
		}
	}
}

func TestLinkName(t *testing.T) {
	for want, link := range map[string]Link{
		"Thunderbolt 4":               {Kind: Thunderbolt, Generation: "4", RxBps: 40e9},
		"Thunderbolt or USB4 40 Gb/s": {Kind: Thunderbolt, RxBps: 40e9},
		"USB4 40 Gb/s":                {Kind: Thunderbolt, Generation: USB4, RxBps: 40e9, TxBps: 40e9},
		"PCIe 3.0 x4":                 {Kind: PCIe, Generation: "3", Lanes: 4, RxBps: 32e9},
		"PCIe":                        {Kind: PCIe},
		"USB 10 Gb/s":                 {Kind: USBLink, Generation: "3.2 Gen 2", RxBps: 10e9},
		"USB 480 Mb/s":                {Kind: USBLink, RxBps: 480e6},
		"SATA 6 Gb/s":                 {Kind: SATALink, RxBps: 6e9},
		"unknown":                     {},
	} {
		if got := link.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestFellBack(t *testing.T) {
	for link, want := range map[Link]bool{
		{RxBps: 10e9, MaxBps: 40e9}: true, {}: false, {RxBps: 40e9, MaxBps: 40e9}: false, {RxBps: 10e9}: false, {MaxBps: 40e9}: false,
	} {
		if got := link.FellBack(); got != want {
			t.Errorf("%+v is a fallback: %v", link, got)
		}
	}
}
