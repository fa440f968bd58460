package draft

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/schematest"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

func itself(mount string) string { return mount }

// captured are the inventories that the parsers of every system's captures are held to.
func captured(t *testing.T) map[string]*hardware.Inventory {
	t.Helper()
	files, err := filepath.Glob("../../internal/machine/device/*/testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d inventories, %v", len(files), err)
	}
	all := map[string]*hardware.Inventory{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		check.Must(t, err)
		var inv hardware.Inventory
		// Others are captures of a system.
		if err := json.Unmarshal(data, &inv); err == nil && len(inv.Disks) > 0 {
			all[file] = &inv
		}
	}
	return all
}

// sound fails if the scenario for the disks does not load, is not right by the schema, or does not
// name the disks' folders; it returns the plan.
func sound(t *testing.T, validate schematest.Validator, inv *hardware.Inventory,
	disks []Target) *scenario.Plan {
	t.Helper()
	data := Write(inv, disks, "hubbench.yaml", 0)
	s, err := scenario.Load("hubbench.yaml", data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := validate(data); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	plan, err := s.Plan()
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	for i, d := range disks {
		if plan.Disks[i].Path != d.Folder || plan.Disks[i].Name != d.Name {
			t.Fatalf("disk %d is %+v\n%s", i, plan.Disks[i], data)
		}
	}
	for i, total := range plan.Totals() {
		// As preflight wants it.
		if need := total.Space + total.Space/50 + 64<<20; need > disks[i].Volume.FreeBytes {
			t.Errorf("disk %s needs %d of its %d free bytes\n%s", disks[i].Name, need,
				disks[i].Volume.FreeBytes, data)
		}
	}
	return plan
}

// Whatever was plugged into the captured machines, the scenario for it is sound: for the disks that
// are offered, and for every disk that can be asked for.
func TestWriteForCaptures(t *testing.T) {
	validate := schematest.New(t, scenario.Schema())
	offered, asked := 0, 0
	for file, inv := range captured(t) {
		if disks, _ := Find(inv, nil, itself); len(disks) > 0 {
			offered++
			sound(t, validate, inv, disks)
			for _, d := range disks {
				if inside := d.Found.External != nil && !*d.Found.External; d.Found.System ||
					inside || d.Found.External == nil && d.Found.Bus != hardware.USB {
					t.Errorf("%s: offers %s", file, d.Found.Name)
				}
			}
		}
		var names []string
		for _, d := range inv.Disks {
			names = append(names, d.Name)
		}
		if disks, _ := Find(inv, names, itself); len(disks) > 0 {
			asked++
			sound(t, validate, inv, disks)
		}
	}
	if offered < 3 || asked < 5 {
		t.Errorf("only %d captures have disks to offer, and %d to ask for", offered, asked)
	}
}

// What devices call themselves is hostile, and any space may be left.
func TestWriteForAnything(t *testing.T) {
	validate := schematest.New(t, scenario.Schema())
	r := rand.New(rand.NewPCG(1, 2))
	odd := []string{"", "'", `"`, "a: b", "- x", "#", "\n", "\x1b[2J", "\u2028", "日本", " lead", "{", "~", "null", "42", "..", "/", `C:\`, "\xff", strings.Repeat("long ", 40)}
	text := func() string { return odd[r.IntN(len(odd))] + odd[r.IntN(len(odd))] }
	yes := true
	tested := 0
	for range 150 {
		inv := &hardware.Inventory{Hosts: []hardware.Host{{Ports: []hardware.Port{{ID: "p",
			Name: text()}}}}}
		for i := range r.IntN(3) {
			inv.Hubs = append(inv.Hubs,
				hardware.Hub{ID: fmt.Sprint(i), Name: text(), Vendor: text(), Firmware: text(),
					Port:     "p",
					Upstream: fmt.Sprint(r.IntN(3)), Protocol: text(),
					Link: &hardware.Link{Kind: hardware.Thunderbolt, RxBps: 40e9,
						Generation: text()}})
		}
		for i := range 1 + r.IntN(10) {
			inv.Disks = append(inv.Disks,
				hardware.Drive{Name: fmt.Sprint("sd", i), Model: text(), External: &yes,
					Hub: new(fmt.Sprint(r.IntN(3))), SizeBytes: r.Int64N(4e12),
					Volumes: []hardware.Volume{{Mount: "/m" + fmt.Sprint(i) + text(),
						Filesystem: text(),
						FreeBytes:  int64(float64(2e8) * (1 + r.ExpFloat64()*1e3))}}})
		}
		if disks, _ := Find(inv, nil, itself); len(disks) > 0 {
			tested++
			sound(t, validate, inv, disks)
		}
	}
	if tested < 100 {
		t.Errorf("only %d of 150 had a disk", tested)
	}
}

func disk(name, hub, mount string, free int64) hardware.Drive {
	d := hardware.Drive{Name: name, Model: "SSD " + name, External: new(true), SizeBytes: 2e12,
		Bus: hardware.USB,
		Volumes: []hardware.Volume{{Device: name + "1", Label: "L" + name, Mount: mount,
			Filesystem: "exfat", FreeBytes: free}},
		Path: hardware.Path{Links: []hardware.Link{{Kind: hardware.USBLink, RxBps: 10e9,
			TxBps: 10e9}}}}
	if hub != "" {
		d.Hub = &hub
	}
	return d
}

func nvme(hub string) hardware.Drive {
	d := disk("a", hub, "/a", 1e12)
	d.Bus = hardware.NVMe
	return d
}

func TestConnections(t *testing.T) {
	validate := schematest.New(t, scenario.Schema())
	hubs := []hardware.Hub{{ID: "dock", Name: "TS4", Vendor: "CalDigit",
		Devices: []hardware.Attached{{Kind: hardware.HubKind, ID: "case"},
			{Kind: hardware.DiskKind, ID: "b"}}},
		{ID: "case", Name: "Case", Upstream: "dock",
			Devices: []hardware.Attached{{Kind: hardware.DiskKind, ID: "a"}}},
		{ID: "usb", Name: "USB hub",
			Devices: []hardware.Attached{{Kind: hardware.DiskKind, ID: "a"}}},
		{ID: "x5", Name: "X5", Devices: []hardware.Attached{{Kind: hardware.DiskKind, ID: "a"}}}}
	for _, tt := range []struct {
		name  string
		disks []hardware.Drive
		hub   string
		want  string
	}{
		{"two on the dock, one through its case",
			[]hardware.Drive{nvme("case"), disk("b", "dock", "/b", 1e12),
				disk("c", "", "/c", 1e12)},
			"CalDigit TS4", "a hub, b hub, c direct"},
		{"each on its own", []hardware.Drive{disk("a", "", "/a", 1e12), disk("b", "", "/b", 1e12)},
			"", "a direct, b direct"},
		{"one on the dock, one not",
			[]hardware.Drive{disk("b", "dock", "/b", 1e12), disk("c", "", "/c", 1e12)},
			"CalDigit TS4", "b hub, c direct"},
		{"alone on a dock", []hardware.Drive{disk("b", "dock", "/b", 1e12)}, "CalDigit TS4",
			"b hub"},
		{"alone on a hub of USB", []hardware.Drive{disk("a", "usb", "/a", 1e12)}, "USB hub",
			"a hub"},
		{"in a case of its own", []hardware.Drive{nvme("x5")}, "", "a direct"},
		{"nobody knows", []hardware.Drive{nvme("")}, "", "a "},
		{"two hubs", []hardware.Drive{disk("a", "usb", "/a", 1e12), disk("b", "dock", "/b", 1e12),
			disk("c", "dock", "/c", 1e12)}, "CalDigit TS4", "a hub, b hub, c hub"},
		{"alone in a case on the dock", []hardware.Drive{nvme("case")}, "CalDigit TS4", "a hub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv := &hardware.Inventory{Hubs: hubs, Disks: tt.disks}
			disks, _ := Find(inv, nil, itself)
			plan := sound(t, validate, inv, disks)
			var got []string
			for i, d := range plan.Disks {
				got = append(got, plan.Disks[i].About[4:5]+" "+d.Connection)
			}
			hub := ""
			if plan.Hub != nil {
				hub = plan.Hub.Name
			}
			if strings.Join(got, ", ") != tt.want || hub != tt.hub {
				t.Errorf("%q on hub %q, want %q on %q", got, hub, tt.want, tt.hub)
			}
		})
	}
}

func TestFind(t *testing.T) {
	system := disk("sys", "", "/", 1e12)
	system.System = true
	inside, full, locked := disk("in", "", "/in", 1e12), disk("full", "", "/full", 1e8),
		disk("ro", "", "/ro", 1e12)
	*inside.External = false
	locked.Volumes[0].ReadOnly = true
	two := disk("two", "", "/small", 3e8)
	two.Volumes = append(two.Volumes, hardware.Volume{Mount: "/large", FreeBytes: 1e12},
		hardware.Volume{FreeBytes: 2e12})
	inv := &hardware.Inventory{Disks: []hardware.Drive{system, inside, full, locked, two,
		disk("mine", "", "/mine", 1e12), disk("not-mine", "", "/not", 1e12)}}
	folder := func(mount string) string {
		switch mount {
		case "/not", "/root-only":
			return ""
		case "/mine":
			return "/mine/sub"
		}
		return mount
	}
	crypt, image := disk("dm-0", "", "/crypt", 9e11), disk("loop0", "", "/image", 1e12)
	for _, d := range []*hardware.Drive{&crypt, &image} {
		d.Bus, d.External, d.Backing = hardware.Virtual, nil, []string{"luks"}
	}
	unsure, nobody := disk("unsure", "", "", 1e12), disk("nobody", "", "/nobody", 1e12)
	unsure.Volumes[0].Mount, unsure.External = "/unsure", nil
	nobody.External, nobody.Bus = nil, hardware.SATA
	inv.Disks = append(inv.Disks, unsure, nobody)
	luks := disk("luks", "", "", 1e12)
	luks.Volumes = nil
	inv.Disks = append(inv.Disks, luks, crypt, image)
	bound, odd := disk("bound", "", "/root-only", 1e12), disk("odd", "", "/a\nb", 1e12)
	bound.Volumes[0].Mounts, odd.Volumes[0].Mounts = []string{"/srv/bound"}, []string{"/also\tbad"}
	bare, raw := disk("bare", "", "", 1e12), disk("raw", "", "", 1e12)
	bare.Volumes[0].Mount, raw.Volumes = "", nil
	*bound.External, *odd.External, *bare.External, *raw.External = false, false, false, false
	inv.Disks = append(inv.Disks, bound, odd, bare, raw)
	for _, tt := range []struct {
		asked         []string
		want, refused string
	}{
		{[]string{"bound"}, "A:/srv/bound", ""},
		{[]string{"/srv/bound"}, "A:/srv/bound", ""},
		{[]string{"odd"}, "", "odd has a mount point that a scenario cannot name"},
		{[]string{"bare", "raw"}, "", "bare is not mounted; raw has no volume"},
		{[]string{"ro", "full"}, "",
			"ro is mounted read-only; full has 100 MB free, and a test needs 200 MB"},
		{[]string{"/small", "/large"}, "A:/large", "/small is on the same disk as /large"},
		{[]string{"not-mine"}, "", "not-mine has no folder that you can write to"},
		{[]string{"luks"}, "A:/crypt", ""},
		{[]string{"dm-0"}, "A:/crypt", ""},
		{[]string{"loop0"}, "A:/image", ""},
		{nil, "A:/large B:/mine/sub C:/unsure D:/crypt",
			"full has 100 MB free, and a test needs 200 MB; ro is mounted read-only; not-mine has no folder that you can write to"},
		{[]string{"in"}, "A:/in", ""},
		{[]string{"/small", "Lmine"}, "A:/small B:/mine/sub", ""},
		{[]string{"sys", "mine1"}, "A:/ B:/mine/sub", ""},
		{[]string{"/dev/mine", "nothing"}, "A:/mine/sub",
			"nothing is not a disk, volume or mount point"},
	} {
		disks, refused := Find(inv, tt.asked, folder)
		var got []string
		for _, d := range disks {
			got = append(got, d.Name+":"+d.Folder)
		}
		if strings.Join(got, " ") != tt.want || strings.Join(refused, "; ") != tt.refused {
			t.Errorf("asked for %q: %q, refused %q, want %q, %q", tt.asked, got, refused, tt.want,
				tt.refused)
		}
		if system := slices.ContainsFunc(disks, func(d Target) bool {
			return d.Found.System
		}); system != strings.Contains(string(Write(inv, disks, "x.yaml", 0)),
			"\nallow_system_disk: true\n") {
			t.Errorf("asked for %q: the system disk is allowed though it is not tested, or the other way round", tt.asked)
		}
	}
}

// The link that is named is one that was negotiated on the disk's way, however little of it is
// known. The path of an image says whose it is, and is left out.
func TestAbout(t *testing.T) {
	hub := func(bps int64) hardware.Link {
		return hardware.Link{Segment: hardware.Uplink, Hub: "hub", Kind: hardware.USBLink,
			RxBps: bps, TxBps: bps}
	}
	own := func(bps int64) hardware.Link {
		return hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: bps,
			TxBps: bps}
	}
	cable := hardware.Link{Segment: hardware.Uplink, Hub: "hub", Kind: hardware.Thunderbolt,
		Generation: "2", RxBps: 20e9, TxBps: 20e9}
	lanes := hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 4,
		RxBps: 32e9, TxBps: 32e9}
	for _, tt := range []struct {
		bus   hardware.Bus
		links []hardware.Link
		want  string
	}{
		{hardware.USB, []hardware.Link{hub(10e9), own(480e6)}, "T7, USB 480 Mb/s"},
		{hardware.USB, []hardware.Link{hub(10e9), own(12e6)}, "T7, USB 12 Mb/s"},
		{hardware.USB, []hardware.Link{hub(5e9), own(10e9)}, "T7, USB 5 Gb/s"},
		// What the disk itself negotiated is not known.
		{hardware.USB, []hardware.Link{hub(10e9)}, "T7"},
		{hardware.NVMe, []hardware.Link{cable, lanes}, "T7, Thunderbolt 2"},
		{hardware.NVMe, []hardware.Link{cable}, "T7, Thunderbolt 2"},
		{hardware.NVMe,
			[]hardware.Link{{Segment: hardware.Uplink, Kind: hardware.Thunderbolt, Generation: "3"},
				lanes}, "T7, PCIe 3.0 x4"},
	} {
		d := Target{Found: &hardware.Drive{Model: "T7", Bus: tt.bus,
			Path: hardware.Path{Links: tt.links}}, Volume: &hardware.Volume{}}
		check.Same(t, fmt.Sprintf("%+v", tt.links), tt.want, d.About())
	}
	image := Target{Found: &hardware.Drive{Name: "loop0", Model: "file /home/jane/a.img",
		Bus: hardware.Virtual, SizeBytes: 2e9},
		Volume: &hardware.Volume{Filesystem: "ext4"}}
	check.Same(t, "an image", "loop0, 2 GB, ext4", image.About())
}
