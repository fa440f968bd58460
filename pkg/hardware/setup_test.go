package hardware

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoHubs is a dock with a display and disk a, and behind it a hub with a network adapter and disks b and c; d is mapped
// onto c, u is alone on a hub of USB, e is internal, f is spread over b and c.
func twoHubs() *Inventory {
	dock, far, x5, plain := "0-1", "0-3", "0-5", "usb1-2"
	lanes := Path{Links: []Link{{Segment: Lanes, Kind: PCIe, Generation: "3", Lanes: 4}}}
	at := func(mount string) []Volume { return []Volume{{Mount: mount, Filesystem: "xfs"}} }
	return &Inventory{
		Hosts: []Host{{Name: "host", OS: "Debian 12", Ports: []Port{{ID: "2"}, {ID: "1", Name: "Port 1"}}}},
		Hubs: []Hub{
			{ID: dock, Name: "Dock", Devices: []Attached{{Kind: DisplayKind, Name: "Display"}, {Kind: DiskKind, ID: "a"}, {Kind: HubKind, ID: far}}},
			{ID: far, Name: "Hub", Upstream: dock, Port: "1", Devices: []Attached{{Kind: DiskKind, ID: "b"}, {Kind: NetworkKind, Name: "Ethernet"}}},
			{ID: x5, Vendor: "Samsung", Name: "Portable SSD X5", Devices: []Attached{{Kind: DiskKind, ID: "x"}}},
			{ID: plain, Name: "USB3.1 Hub", Devices: []Attached{{Kind: DiskKind, ID: "u"}}},
		},
		Disks: []Disk{
			{Name: "a", Hub: &dock, Volumes: at("/a")}, {Name: "b", Hub: &far, Volumes: at("/b")},
			{Name: "c", Model: "X5", Hub: &far, Path: lanes, Volumes: at("/c")},
			{Name: "d", Bus: Virtual, Backing: []string{"c"}, Volumes: at("/d")}, {Name: "e", Volumes: at("/")},
			{Name: "x", Bus: NVMe, Hub: &x5, Volumes: at("/x")}, {Name: "u", Bus: USB, Hub: &plain, Volumes: at("/u")},
			{Name: "f", Bus: Virtual, Backing: []string{"b", "c"}, Volumes: at("/f")},
		},
	}
}

func TestInventorySetup(t *testing.T) {
	display, ethernet := Attached{Kind: DisplayKind, Name: "Display"}, Attached{Kind: NetworkKind, Name: "Ethernet"}
	for _, tt := range []struct {
		name        string
		paths       map[string]string
		hub         string
		disks       map[string]string // the system's name of each
		competitors []Attached
	}{
		{"one hub", map[string]string{"B": "/b/test", "C": "/c"}, "Hub", map[string]string{"B": "b", "C": "c"}, []Attached{ethernet, display}},
		{"one behind the other", map[string]string{"A": "/a", "B": "/b"}, "Dock", map[string]string{"A": "a", "B": "b"}, []Attached{display, ethernet}},
		{"built in", map[string]string{"X": "/x"}, "", map[string]string{"X": "x"}, nil},
		{"alone on a hub of USB", map[string]string{"U": "/u"}, "USB3.1 Hub", map[string]string{"U": "u"}, nil},
		{"one of them internal", map[string]string{"A": "/a", "E": "/home"}, "", map[string]string{"A": "a", "E": "e"}, []Attached{display}},
		{"mapped", map[string]string{"D": "/d"}, "Hub", map[string]string{"D": "c"}, []Attached{ethernet, display}},
		{"spread", map[string]string{"F": "/f"}, "", map[string]string{"F": "f"}, nil},
	} {
		s := twoHubs().Setup(tt.paths)
		hub := ""
		if s.Hub != nil {
			hub = s.Hub.Name
		}
		disks := map[string]string{}
		for name, u := range s.Disks {
			disks[name] = u.Name
			if u.Volume == nil || u.Volumes != nil {
				t.Errorf("%s: disk %s has volume %v and volumes %v, want only the one that holds the path", tt.name, name, u.Volume, u.Volumes)
			}
		}
		if hub != tt.hub || s.Host.OS != "Debian 12" || s.Host.Ports != nil {
			t.Errorf("%s: hub %q, host %+v; want hub %q", tt.name, hub, s.Host, tt.hub)
		}
		if got := map[bool]string{true: "Port 1"}[hub == "Hub"]; s.Port != got {
			t.Errorf("%s: port %q, want %q", tt.name, s.Port, got)
		}
		if diff := cmp.Diff(tt.disks, disks); diff != "" {
			t.Errorf("%s: disks (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.competitors, s.Competitors); diff != "" {
			t.Errorf("%s: competitors (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := twoHubs().Setup(map[string]string{"X": "/x"}).Disks["X"].Enclosure; got != "Samsung Portable SSD X5" {
		t.Errorf("enclosure %q", got)
	}
	if s := (&Inventory{}).Setup(map[string]string{"A": "/a"}); s != nil {
		t.Errorf("nothing known: %+v, want nil", s)
	}
}

func TestDescribed(t *testing.T) {
	known := &Setup{Hub: &Hub{Name: "TS4", Firmware: "39.1"}, Disks: map[string]Unit{"A": {Disk: Disk{Model: "X5"}}}}
	for _, tt := range []struct {
		name       string
		setup      *Setup
		hub, about string
		disks      map[string]string
		want       *Setup
	}{
		{"nothing at all", nil, "", "", nil, nil},
		{"nothing said", known, "", "", nil, known},
		{"nothing known", nil, "Element", "left port", map[string]string{"B": "short cable"},
			&Setup{Hub: &Hub{Name: "Element"}, About: "left port", Disks: map[string]Unit{"B": {About: "short cable"}}}},
		{"both", known, "my dock", "left port", map[string]string{"A": "short cable"},
			&Setup{Hub: known.Hub, About: "my dock, left port", Disks: map[string]Unit{"A": {Disk: Disk{Model: "X5"}, About: "short cable"}}}},
		{"a name for a known hub", known, "my dock", "", nil, &Setup{Hub: known.Hub, About: "my dock", Disks: known.Disks}},
	} {
		if diff := cmp.Diff(tt.want, tt.setup.Described(tt.hub, tt.about, tt.disks)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if known.Disks["A"].About != "" {
		t.Error("the setup itself was changed")
	}
}
