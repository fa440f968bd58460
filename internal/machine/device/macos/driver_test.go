package macos

import (
	"strings"
	"testing"
)

// registry is the answer of ioreg -a in its shape: an internal disk, an APFS container on an external one, and a driver
// without counters. The keys are those of IOBlockStorageDriver.h and IOMedia.h.
const registry = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><array>
<dict><key>IOClass</key><string>IOBlockStorageDriver</string>
 <key>Statistics</key><dict><key>Bytes (Read)</key><integer>1694439639040</integer><key>Operations (Read)</key><integer>9</integer><key>Bytes (Write)</key><integer>967807643648</integer></dict>
 <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk0</string><key>Whole</key><true/></dict></array></dict>
<dict><key>Statistics</key><dict><key>Bytes (Read)</key><integer>100</integer><key>Bytes (Write)</key><integer>0x20</integer></dict>
 <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk4</string><key>Preferred Block Size</key><integer>512</integer>
  <key>UUID</key><data>AAAA</data><key>IORegistryEntryChildren</key><array><dict><key>IORegistryEntryName</key><string>scheme &amp; co</string>
   <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk4s2</string><key>IORegistryEntryChildren</key><array>
    <dict><key>BSD Name</key><string>disk5</string><key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk5s1</string>
     <key>Statistics</key><dict><key>Bytes (Read)</key><integer>7</integer></dict></dict></array></dict></array></dict></array></dict></array></dict></array></dict>
<dict><key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk9</string></dict></array></dict>
</array></plist>`

func TestDriverOf(t *testing.T) {
	for name, want := range map[string][2]int64{"disk0": {1694439639040, 967807643648}, "disk5s1": {100, 32}, "disk4s2": {100, 32}} {
		if d, err := DriverOf([]byte(registry), name); err != nil || d.Read != want[0] || d.Written != want[1] {
			t.Errorf("%s: %+v, %v, want %+v", name, d, err, want)
		}
	}
	if d, _ := DriverOf([]byte(registry), "disk5s1"); strings.Join(d.Names, " ") != "disk4 disk4s2 disk5 disk5s1" {
		t.Errorf("disk5s1 lies on %q, want the physical disk4 first", d.Names)
	}
	for _, name := range []string{"disk9", "disk1", ""} {
		if d, err := DriverOf([]byte(registry), name); err == nil {
			t.Errorf("%q lies on %+v", name, d)
		}
	}
	if d, err := DriverOf([]byte("\n"), "disk0"); err == nil {
		t.Errorf("of no answer: %+v", d)
	}
	for cut := range len(registry) {
		_, _ = DriverOf([]byte(registry[:cut]), "disk0") // does not crash
	}
}

func FuzzDriverOf(f *testing.F) {
	f.Add([]byte(registry))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := DriverOf(text, "disk0"); err != nil && d.Names != nil {
			t.Errorf("both a driver and %v", err)
		}
	})
}
