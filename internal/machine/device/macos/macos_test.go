package macos

import (
	"bytes"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/machine/device/devicetest"
	"github.com/hubbench/hubbench/pkg/hardware"
)

var update = flag.Bool("update", false, "write what is parsed as the expected inventories")

// machines are the captures of testdata, an archive each, which names its sources.
func machines(tb testing.TB) map[string]Captures {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 12 {
		tb.Fatalf("%d captures, %v", len(paths), err)
	}
	machines := map[string]Captures{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var c Captures
		for _, f := range archive.Files {
			part, ok := c.parts()[f.Name]
			if !ok {
				tb.Fatalf("%s: no capture is called %s", path, f.Name)
			}
			*part = f.Data
		}
		machines[strings.TrimSuffix(path, ".txtar")] = c
	}
	return machines
}

// parts are the captures by their names in an archive.
func (c *Captures) parts() map[string]*[]byte {
	return map[string]*[]byte{
		"system_profiler.json": &c.Profiler, "diskutil-list.plist": &c.Disks, "diskutil-apfs-list.plist": &c.APFS,
		"ioreg-routers.plist": &c.Routers, "ioreg-drivers.plist": &c.Drivers, "mount.txt": &c.Mounts,
	}
}

func TestParse(t *testing.T) {
	for name, c := range machines(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			devicetest.Match(t, Parse(c, false), name+".golden.json", *update)
		})
	}
}

// A capture that was cut short, as by a command that ran out of time, costs only itself.
func TestCut(t *testing.T) {
	for name, c := range machines(t) {
		for part, data := range c.parts() {
			whole := *data
			for n := 1; n < len(whole)-20; n += 100 {
				*data = whole[:n]
				inventory := Parse(c, true)
				check(t, inventory)
				if part != "mount.txt" && len(inventory.Warnings) == 0 && !bytes.HasSuffix(bytes.TrimSpace(whole[:n]), []byte("}")) {
					t.Errorf("%s: %s cut at %d: no warning", name, part, n)
				}
			}
			*data = whole
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range machines(f) {
		f.Add(c.Profiler, c.Disks, c.APFS, c.Routers, c.Drivers, c.Mounts)
	}
	f.Fuzz(func(t *testing.T, profiler, disks, apfs, routers, drivers, mounts []byte) {
		check(t, Parse(Captures{profiler, disks, apfs, routers, drivers, mounts}, true))
	})
}

// check holds an inventory to what is true of every machine; a Mac's hubs know their ports.
func check(t *testing.T, inventory *hardware.Inventory) {
	t.Helper()
	devicetest.Sound(t, inventory)
	for _, hub := range inventory.Hubs {
		known := func(p hardware.Port) bool { return p.ID == hub.Port }
		if hub.Port != "" && !slices.ContainsFunc(inventory.Hosts[0].Ports, known) {
			t.Errorf("%q is connected to the port %q, which there is not", hub.ID, hub.Port)
		}
	}
}

func TestSerials(t *testing.T) {
	for name, c := range machines(t) {
		if n := devicetest.Secret(t, Parse(c, true), Parse(c, false)); name == "testdata/tb4-hub-three-disks" && n != 4 {
			t.Errorf("%s: %d serial numbers when asked for, want 4", name, n)
		}
	}
}

func TestRate(t *testing.T) {
	for words, want := range map[string]int64{
		"40 Gb/s": 40e9, "80 Gb/s": 80e9, "480 Mb/s": 480e6, "1.5 Mb/s": 1.5e6,
		"120 Gb/s":      0, // one way only
		"Up to 40 Gb/s": 0, "Up to 120 Gb/s": 0, "Up to 40 Gb/s x1": 0, "20 Gb/s x2": 0,
		"": 0, "fast": 0, "NaN Gb/s": 0, "-5 Gb/s": 0, "1e99 Gb/s": 0,
	} {
		var link hardware.Link
		setRate(&link, words)
		if link.RxBps != want || link.TxBps != want {
			t.Errorf("%q: receives %d, transmits %d, want %d", words, link.RxBps, link.TxBps, want)
		}
	}
}

func TestLaneRates(t *testing.T) {
	for _, tt := range []struct{ speed, width, tx, rx int64 }{
		{8, 1, 10e9, 10e9}, {4, 2, 40e9, 40e9}, {2, 2, 80e9, 80e9}, {2, 4, 120e9, 40e9}, {2, 8, 40e9, 120e9},
		{4, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {4, 3, 0, 0},
	} {
		tx, rx := laneRates(dict{"Current Link Speed": tt.speed, "Current Link Width": tt.width})
		if tx != tt.tx || rx != tt.rx {
			t.Errorf("speed %d, width %d: transmits %d, receives %d, want %d, %d", tt.speed, tt.width, tx, rx, tt.tx, tt.rx)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"disk4": {"disk4", "disk4"}, "disk4s2": {"disk4", "disk4s2"}, "/dev/disk3s1s1": {"disk3", "disk3s1"},
		"": {"", ""}, "disk": {"", ""}, "disks1": {"", ""}, "disk1s": {"", ""}, "disk1s2s3s4": {"", ""}, "nvme0n1": {"", ""}, "disk-1": {"", ""},
	} {
		base, _ := baseName(name)
		if whole := wholeDisk(name); whole != want[0] || base != want[1] {
			t.Errorf("%q: disk %q, volume %q, want %q", name, whole, base, want)
		}
	}
}

func TestMountNames(t *testing.T) {
	mounts := mountsOf([]byte("/dev/disk1s9 on /Volumes/on (1) on (apfs, local, noatime)\n/dev/disk1s2 on\nmap on / (autofs)\n/dev/disk2 on /x (msdos, read-only)"))
	want := map[string][]hardware.Volume{
		"disk1s9": {{Mount: "/Volumes/on (1) on", Filesystem: "apfs", Options: []string{"noatime"}}},
		"disk2":   {{Mount: "/x", Filesystem: "msdos", ReadOnly: true}},
	}
	if diff := cmp.Diff(want, mounts); diff != "" {
		t.Error(diff)
	}
}

// Firmware leaves control characters in names, which are no XML.
func TestControlCharacters(t *testing.T) {
	list := `<plist version="1.0"><dict><key>AllDisksAndPartitions</key><array><dict><key>DeviceIdentifier</key>` +
		"<string>disk4</string><key>MountPoint</key><string>/Volumes/A\x01</string></dict></array></dict></plist>"
	inventory := Parse(Captures{Disks: []byte(list)}, false)
	if len(inventory.Disks) != 1 || len(inventory.Warnings) > 0 {
		t.Errorf("disks %+v, warnings %q", inventory.Disks, inventory.Warnings)
	}
}

// Two places that a capture calls the same are two hubs: found by FuzzParse.
func TestSamePlace(t *testing.T) {
	profile := `{"SPThunderboltDataType": [{"_items": [
		{"switch_uid_key": "0x1", "route_string_key": "1"}, {"switch_uid_key": "0x2", "route_string_key": "1"}]}],
		"SPUSBDataType": [{"_items": [{"_items": [{}]}, {"_items": [{}]}]}]}`
	inventory := Parse(Captures{Profiler: []byte(profile)}, false)
	check(t, inventory)
	if len(inventory.Hubs) != 4 {
		t.Errorf("%d hubs, want 4", len(inventory.Hubs))
	}
}
