package hardware

import (
	"cmp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

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
		{"the synthetic rate of tunnels", Link{Kind: PCIe, Lanes: 4, RxBps: 10e9, TxBps: 10e9}, 0,
			0},
		{"a rate of no known link", Link{Kind: Thunderbolt, RxBps: 33e9}, 0, 0},
		{"nothing known", Link{}, 0, 0},
	} {
		read, _ := tt.link.Practical(true)
		write, ok := tt.link.Practical(false)
		if read.Rate != tt.read || write.Rate != tt.write || ok != (write.Source != "") {
			t.Errorf("%s: reads %g, writes %g (%q), want %g, %g", tt.name, read.Rate, write.Rate,
				write.Source, tt.read, tt.write)
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
		if read, write := tt.link.AtMost(true), tt.link.AtMost(false); read != tt.read ||
			write != tt.write {
			t.Errorf("%+v carries %g in and %g out at most, want %g and %g", tt.link, read, write,
				tt.read, tt.write)
		}
	}
}

func TestLinkName(t *testing.T) {
	for want, link := range map[string]Link{
		"Thunderbolt 4":               {Kind: Thunderbolt, Generation: "4", RxBps: 40e9},
		"Thunderbolt or USB4 40 Gb/s": {Kind: Thunderbolt, RxBps: 40e9},
		"USB4 40 Gb/s": {
			Kind: Thunderbolt, Generation: USB4, RxBps: 40e9, TxBps: 40e9,
		},
		"PCIe 3.0 x4":  {Kind: PCIe, Generation: "3", Lanes: 4, RxBps: 32e9},
		"PCIe":         {Kind: PCIe},
		"USB 10 Gb/s":  {Kind: USBLink, Generation: "3.2 Gen 2", RxBps: 10e9},
		"USB 480 Mb/s": {Kind: USBLink, RxBps: 480e6},
		"SATA 6 Gb/s":  {Kind: SATALink, RxBps: 6e9},
		"unknown":      {},
	} {
		check.Same(t, want, want, link.String())
	}
}

func mounted(device string, mounts ...string) Volume {
	return Volume{
		Device: device, Mount: mounts[0], Mounts: mounts[1:], SizeBytes: 100, FreeBytes: 40,
	}
}

func TestHolding(t *testing.T) {
	unix := &Inventory{
		Disks: []Drive{
			{Name: "nvme0n1",
				Volumes: []Volume{mounted("nvme0n1p2", "/", "/srv/home"), {Device: "nvme0n1p3"}}},
			{Name: "sda", Volumes: []Volume{mounted("sda1", "/mnt/A", "/srv/bind")}},
			{Name: "sdb", Volumes: []Volume{mounted("sdb1", "/mnt/A/inner")}},
		},
		Diskless: []Mount{{Path: "/tmp", Filesystem: "tmpfs"}},
	}
	container := &Inventory{
		Disks:    []Drive{{Name: "sda", Volumes: []Volume{mounted("sda1", "/etc/hosts")}}},
		Diskless: []Mount{{Path: "/", Filesystem: "overlay"}},
	}
	windows := &Inventory{Disks: []Drive{
		{Name: "PhysicalDrive0", Volumes: []Volume{mounted("C:", `C:\`)}},
		{Name: "PhysicalDrive1", Volumes: []Volume{mounted("E:", "E:", `C:\Disks\A\`)}},
		{Name: "PhysicalDrive2", Volumes: []Volume{mounted("", `\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\`)}},
	}}
	for inv, wants := range map[*Inventory]map[string]string{
		unix: {
			"/": "nvme0n1p2", "/home/me/test": "nvme0n1p2", "/srv/home/me": "nvme0n1p2",
			"/mnt/A": "sda1", "/mnt/A/test": "sda1",
			"/mnt/AB": "nvme0n1p2", // the mount point is a name, not a prefix of letters
			"/mnt/a":  "nvme0n1p2", "/srv/bind/test": "sda1", "/mnt/A/inner/test": "sdb1",
			"/tmp/test": "", "relative": "",
		},
		container: {"/root": "", "/etc/hosts": "sda1"},
		windows: {
			`c:\users`: "C:", "C:/": "C:", `C:\disks\a\test`: "E:", `e:\test`: "E:", `D:\test`: "",
			`\\?\volume{4C1B02C1-d990-11dc-99ae-806e6f6e6963}\test`: `\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\`,
		},
	} {
		for path, want := range wants {
			got := ""
			disk, volume := inv.Holding(path)
			if volume != nil {
				got = cmp.Or(volume.Device, volume.Mount)
			}
			if got != want || (disk == nil) != (volume == nil) {
				t.Errorf("Holding(%s) = %q, want %q", path, got, want)
			}
		}
	}
}

func TestPhysical(t *testing.T) {
	inv := &Inventory{Disks: []Drive{
		{Name: "sda"},
		{Name: "sdb", Volumes: []Volume{{Device: "sdb1", Container: "pool"}}},
		{Name: "sdc", Volumes: []Volume{{Device: "sdc1", Container: "pool"}}},
		{Name: "md0", Backing: []string{"sdc", "sda"}},
		{Name: "dm-0", Backing: []string{"md0"}},
		{Name: "loop0", Backing: []string{"dm-0"}},
		{Name: "loop1"},
		{Name: "ring", Backing: []string{"gnir"}},
		{Name: "gnir", Backing: []string{"ring"}},
		{Name: "orphan", Backing: []string{"gone"}},
	}}
	for name, want := range map[string]string{
		"sda": "sda", "md0": "sda sdc", "loop0": "sda sdc", "loop1": "loop1", "ring": "",
		"orphan": "orphan",
	} {
		check.Same(t, "beneath "+name, want, names(inv.Physical(inv.Find(name), nil)))
	}
	check.Same(t, "a volume on two disks lies on", "sdb sdc",
		names(inv.Physical(&inv.Disks[1], &inv.Disks[1].Volumes[0])))
	check.Same(t, "Physical(nil)", "", names(inv.Physical(nil, nil)))
}

func names(disks []*Drive) string {
	var out []string
	for _, d := range disks {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

func TestAbove(t *testing.T) {
	inv := &Inventory{
		Hubs: []Hub{
			{ID: "dock"}, {ID: "enclosure", Upstream: "dock"}, {ID: "a", Upstream: "b"},
			{ID: "b", Upstream: "a"},
		},
		Disks: []Drive{
			{Name: "far", Hub: new("enclosure")}, {Name: "near"}, {Name: "ring", Hub: new("a")},
			{Name: "lost", Hub: new("gone")},
		},
	}
	for name, want := range map[string]string{
		"far": "enclosure dock", "near": "", "ring": "a b", "lost": "",
	} {
		var got []string
		for _, h := range inv.Above(inv.Find(name)) {
			got = append(got, h.ID)
		}
		check.Same(t, "above "+name, want, strings.Join(got, " "))
	}
}

// twoHubs is a dock with a display and disk a, and behind it a hub with a network adapter and disks
// b and c; d is mapped onto c, u is alone on a hub of USB, e is internal, f is spread over b and c.
func twoHubs() *Inventory {
	dock, far, x5, plain := "0-1", "0-3", "0-5", "usb1-2"
	lanes := Path{Links: []Link{{Segment: Lanes, Kind: PCIe, Generation: "3", Lanes: 4}}}
	at := func(mount string) []Volume { return []Volume{{Mount: mount, Filesystem: "xfs"}} }
	return &Inventory{
		Hosts: []Host{
			{Name: "host", OS: "Debian 12", Ports: []Port{{ID: "2"}, {ID: "1", Name: "Port 1"}}},
		},
		Hubs: []Hub{
			{
				ID: dock, Name: "Dock",
				Devices: []Attached{
					{Kind: DisplayKind, Name: "Display"}, {Kind: DiskKind, ID: "a"},
					{Kind: HubKind, ID: far},
				},
			},
			{
				ID: far, Name: "Hub", Upstream: dock, Port: "1",
				Devices: []Attached{
					{Kind: DiskKind, ID: "b"}, {Kind: NetworkKind, Name: "Ethernet"},
				},
			},
			{ID: x5, Vendor: "Samsung", Name: "Portable SSD X5",
				Devices: []Attached{{Kind: DiskKind, ID: "x"}}},
			{ID: plain, Name: "USB3.1 Hub", Devices: []Attached{{Kind: DiskKind, ID: "u"}}},
		},
		Disks: []Drive{
			{Name: "a", Hub: &dock, Volumes: at("/a")}, {Name: "b", Hub: &far, Volumes: at("/b")},
			{Name: "c", Model: "X5", Hub: &far, Path: lanes, Volumes: at("/c")},
			{Name: "d", Bus: Virtual, Backing: []string{"c"}, Volumes: at("/d")},
			{Name: "e", Volumes: at("/")},
			{Name: "x", Bus: NVMe, Hub: &x5, Volumes: at("/x")},
			{Name: "u", Bus: USB, Hub: &plain, Volumes: at("/u")},
			{Name: "f", Bus: Virtual, Backing: []string{"b", "c"}, Volumes: at("/f")},
		},
	}
}

func TestInventorySetup(t *testing.T) {
	display, ethernet := Attached{Kind: DisplayKind, Name: "Display"},
		Attached{Kind: NetworkKind, Name: "Ethernet"}
	for _, tt := range []struct {
		name        string
		paths       map[string]string
		hub         string
		disks       map[string]string // the system's name of each
		competitors []Attached
	}{
		{"one hub", map[string]string{"B": "/b/test", "C": "/c"}, "Hub",
			map[string]string{"B": "b", "C": "c"}, []Attached{ethernet, display}},
		{"one behind the other", map[string]string{"A": "/a", "B": "/b"}, "Dock",
			map[string]string{"A": "a", "B": "b"}, []Attached{display, ethernet}},
		{"built in", map[string]string{"X": "/x"}, "", map[string]string{"X": "x"}, nil},
		{"alone on a hub of USB", map[string]string{"U": "/u"}, "USB3.1 Hub",
			map[string]string{"U": "u"}, nil},
		{"one of them internal", map[string]string{"A": "/a", "E": "/home"}, "",
			map[string]string{"A": "a", "E": "e"}, []Attached{display}},
		{"mapped", map[string]string{"D": "/d"}, "Hub", map[string]string{"D": "c"},
			[]Attached{ethernet, display}},
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
				t.Errorf("%s: disk %s has volume %v and volumes %v, want only the one that holds "+
					"the path", tt.name, name, u.Volume, u.Volumes)
			}
		}
		if hub != tt.hub || s.Host.OS != "Debian 12" || s.Host.Ports != nil {
			t.Errorf("%s: hub %q, host %+v; want hub %q", tt.name, hub, s.Host, tt.hub)
		}
		check.Same(t, tt.name+": port", map[bool]string{true: "Port 1"}[hub == "Hub"], s.Port)
		check.Same(t, tt.name+": disks", tt.disks, disks)
		check.Same(t, tt.name+": competitors", tt.competitors, s.Competitors)
	}
	x5 := twoHubs().Setup(map[string]string{"X": "/x"}).Disks["X"]
	check.Same(t, "enclosure", "Samsung Portable SSD X5", x5.Enclosure)
	if s := (&Inventory{}).Setup(map[string]string{"A": "/a"}); s != nil {
		t.Errorf("nothing known: %+v, want nil", s)
	}
}

func TestDescribed(t *testing.T) {
	known := &Setup{
		Hub:   &Hub{Name: "TS4", Firmware: "39.1"},
		Disks: map[string]Unit{"A": {Drive: Drive{Model: "X5"}}},
	}
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
			&Setup{
				Hub: &Hub{Name: "Element"}, About: "left port",
				Disks: map[string]Unit{"B": {About: "short cable"}},
			}},
		{"both", known, "my dock", "left port", map[string]string{"A": "short cable"},
			&Setup{
				Hub: known.Hub, About: "my dock, left port",
				Disks: map[string]Unit{"A": {Drive: Drive{Model: "X5"}, About: "short cable"}},
			}},
		{"a name for a known hub", known, "my dock", "", nil,
			&Setup{Hub: known.Hub, About: "my dock", Disks: known.Disks}},
	} {
		check.Same(t, tt.name, tt.want, tt.setup.Described(tt.hub, tt.about, tt.disks))
	}
	if known.Disks["A"].About != "" {
		t.Error("the setup itself was changed")
	}
}

func TestUnitDiffers(t *testing.T) {
	disk := Unit{
		Drive:  Drive{Model: "T7", SizeBytes: 1e12},
		Volume: &Volume{Filesystem: "apfs", SizeBytes: 9e11},
	}
	with := func(change func(*Unit)) Unit {
		u := disk
		u.Volume = new(*disk.Volume)
		change(&u)
		return u
	}
	for name, tt := range map[string]struct {
		now  Unit
		want string
	}{
		"the same":           {disk, ""},
		"another port":       {with(func(u *Unit) { u.Port, u.Name = "2", "disk9" }), ""},
		"fuller":             {with(func(u *Unit) { u.Volume.FreeBytes = 1 }), ""},
		"nothing known":      {Unit{}, ""},
		"another model":      {with(func(u *Unit) { u.Model = "X5" }), "X5"},
		"another size":       {with(func(u *Unit) { u.SizeBytes = 2e12 }), "2000000000000"},
		"formatted anew":     {with(func(u *Unit) { u.Volume.Filesystem = "exfat" }), "exfat"},
		"partitioned anew":   {with(func(u *Unit) { u.Volume.SizeBytes = 5 }), "5 now"},
		"no volume is known": {with(func(u *Unit) { u.Volume = nil }), ""},
	} {
		if got := disk.Differs(tt.now); (got == "") != (tt.want == "") ||
			!strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		check.Same(t, name+", of a disk that was not known", "", (Unit{}).Differs(tt.now))
	}
}
