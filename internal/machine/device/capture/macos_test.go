package capture_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// macs are the captures of testdata, an archive each, which names its sources.
func macs(tb testing.TB) map[string]macos.Captures {
	paths, err := filepath.Glob("../macos/testdata/*.txtar")
	if err != nil || len(paths) < 12 {
		tb.Fatalf("%d captures, %v", len(paths), err)
	}
	machines := map[string]macos.Captures{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var c macos.Captures
		for _, f := range archive.Files {
			part, ok := parts(&c)[f.Name]
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
func parts(c *macos.Captures) map[string]*[]byte {
	named := map[string]*[]byte{}
	for _, p := range c.Parts() {
		named[p.Name] = p.Into
	}
	return named
}

func TestMac(t *testing.T) {
	for name, c := range macs(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			match(t, macos.Parse(c, false), name+".golden.json")
		})
	}
}

// A capture that was cut short, as by a command that ran out of time, costs only itself.
func TestMacCut(t *testing.T) {
	for name, c := range macs(t) {
		for part, data := range parts(&c) {
			whole := *data
			for n := 1; n < len(whole)-20; n += 100 {
				*data = whole[:n]
				inventory := macos.Parse(c, true)
				soundMac(t, inventory)
				if part != "mount.txt" && part != "sysctl.txt" && len(inventory.Warnings) == 0 &&
					!bytes.HasSuffix(bytes.TrimSpace(whole[:n]), []byte("}")) {
					t.Errorf("%s: %s cut at %d: no warning", name, part, n)
				}
			}
			*data = whole
		}
	}
}

func FuzzMac(f *testing.F) {
	for _, c := range macs(f) {
		f.Add(c.Topology, c.Disks, c.APFS, c.Routers, c.Drivers, c.Mounts, c.Settings)
	}
	f.Fuzz(func(t *testing.T, topology, disks, apfs, routers, drivers, mounts, settings []byte) {
		soundMac(t, macos.Parse(macos.Captures{
			Topology: topology, Disks: disks, APFS: apfs, Routers: routers, Drivers: drivers,
			Mounts:   mounts,
			Settings: settings,
		}, true))
	})
}

// soundMac holds an inventory to what is true of every machine; a Mac's hubs know their ports.
func soundMac(t *testing.T, inventory *hardware.Inventory) {
	t.Helper()
	sound(t, inventory)
	ports := map[string]bool{"": true}
	for _, port := range inventory.Hosts[0].Ports {
		ports[port.ID] = true
	}
	for _, hub := range inventory.Hubs {
		if !ports[hub.Port] {
			t.Errorf("%q is connected to the port %q, which there is not", hub.ID, hub.Port)
		}
	}
}

func TestMacSerials(t *testing.T) {
	for name, c := range macs(t) {
		if n := secret(t, macos.Parse(c, true),
			macos.Parse(c, false)); name == "../macos/testdata/tb4-hub-three-disks" && n != 4 {
			t.Errorf("%s: %d serial numbers when asked for, want 4", name, n)
		}
	}
}

// Firmware leaves control characters in names, which are no XML.
func TestMacControlCharacters(t *testing.T) {
	list := "<plist><dict><key>AllDisksAndPartitions</key><array><dict>" +
		"<key>DeviceIdentifier</key><string>disk4</string>" +
		"<key>MountPoint</key><string>/Volumes/A\x01</string></dict></array></dict></plist>"
	inventory := macos.Parse(macos.Captures{Disks: []byte(list)}, false)
	if len(inventory.Disks) != 1 || len(inventory.Warnings) > 0 {
		t.Errorf("disks %+v, warnings %q", inventory.Disks, inventory.Warnings)
	}
}

// Two places that a capture calls the same are two hubs: found by FuzzMac.
func TestMacSamePlace(t *testing.T) {
	profile := `{"SPThunderboltDataType": [{"_items": [
		{"switch_uid_key": "0x1", "route_string_key": "1"},
		{"switch_uid_key": "0x2", "route_string_key": "1"}]}],
		"SPUSBDataType": [{"_items": [{"_items": [{}]}, {"_items": [{}]}]}]}`
	inventory := macos.Parse(macos.Captures{Topology: []byte(profile)}, false)
	soundMac(t, inventory)
	if len(inventory.Hubs) != 4 {
		t.Errorf("%d hubs, want 4", len(inventory.Hubs))
	}
}

// The slowest link on the way to a disk is that of a router or of its USB device; a router that
// falls back is seen.
func TestMacLinkRate(t *testing.T) {
	c := macs(t)[filepath.FromSlash("../macos/testdata/tb4-hub-three-disks")]
	rx := regexp.MustCompile(`<key>Current Link Speed</key>\s*<integer>4</integer>`)
	// 10 Gb/s a lane
	slow := rx.ReplaceAll(c.Routers, []byte("<key>Current Link Speed</key><integer>8</integer>"))
	for _, tt := range []struct {
		name    string
		routers []byte
		want    map[string]int64
	}{
		{"all well", c.Routers, map[string]int64{"disk4": 40e9, "disk6": 40e9, "disk8": 10e9}},
		{"a link fell back", slow, map[string]int64{"disk4": 20e9, "disk6": 20e9, "disk8": 10e9}},
		{"no routers", nil, map[string]int64{"disk8": 10e9}},
	} {
		got, err := macos.LinkRates(c.Drivers, tt.routers)
		check.Must(t, err)
		check.Same(t, tt.name, tt.want, got)
	}
	if got, err := macos.LinkRates([]byte("<plist"), nil); err == nil {
		t.Errorf("of no answer: %v", got)
	}
}
