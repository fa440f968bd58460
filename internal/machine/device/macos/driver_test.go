package macos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// registry is the answer of ioreg -a in its shape: an internal disk, an APFS container on an
// external one, and a driver without counters. The keys are those of IOBlockStorageDriver.h and
// IOMedia.h.
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
	for name, want := range map[string][2]int64{"disk0": {1694439639040, 967807643648},
		"disk5s1": {100, 32}, "disk4s2": {100, 32}} {
		if d, err := DriverOf([]byte(registry), name); err != nil || d.Read != want[0] ||
			d.Written != want[1] {
			t.Errorf("%s: %+v, %v, want %+v", name, d, err, want)
		}
	}
	if d, _ := DriverOf([]byte(registry), "disk5s1"); strings.Join(d.Disks, " ") != "disk4" ||
		d.Set != "" || d.Failures != 0 {
		t.Errorf("disk5s1: %+v, want that it lies on disk4", d)
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

// member is the driver of a disk of a RAID set: the set, with a container of APFS on it, is below
// each of its disks. The keys of the set are those of AppleRAIDUserLib.h.
func member(disk string, read, written, errors, retries int) string {
	return fmt.Sprintf(`<dict><key>IOObjectClass</key><string>IOBlockStorageDriver</string><key>Statistics</key><dict>
 <key>Bytes (Read)</key><integer>%d</integer><key>Bytes (Write)</key><integer>%d</integer>
 <key>Errors (Read)</key><integer>%d</integer><key>Errors (Write)</key><integer>0</integer>
 <key>Retries (Read)</key><integer>0</integer><key>Retries (Write)</key><integer>%d</integer></dict>
 <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>%s</string><key>Size</key><integer>1000</integer>
 <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>%[5]ss2</string><key>IORegistryEntryChildren</key><array>
 <dict><key>IOObjectClass</key><string>AppleRAIDStripeSet</string><key>AppleRAID-SetName</key><string>Data</string>
 <key>AppleRAID-LevelName</key><string>Stripe</string><key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk6</string>
 <key>IORegistryEntryChildren</key><array><dict><key>BSD Name</key><string>disk7</string><key>IORegistryEntryChildren</key><array>
 <dict><key>BSD Name</key><string>disk7s1</string></dict></array></dict></array></dict></array></dict></array></dict></array></dict></array></dict>`,
		read, written, errors, retries, disk)
}

// What a RAID set moves is what all of its disks move, and their failures are its own.
func TestDriverOfSet(t *testing.T) {
	answer := []byte("<plist><array>" + member("disk4", 100, 10, 1, 0) +
		member("disk5", 200, 20, 0, 2) + "</array></plist>")
	got, err := DriverOf(answer, "disk7s1")
	check.Must(t, err)
	check.Same(t, "the set", Driver{[]string{"disk4", "disk5"}, "Stripe set Data", 300, 30, 3}, got)

	list := `<plist><dict><key>AllDisksAndPartitions</key><array>`
	for _, name := range []string{"disk4", "disk5", "disk6"} {
		list += "<dict><key>DeviceIdentifier</key><string>" + name + "</string></dict>"
	}
	inv := Parse(Captures{Drivers: answer, Disks: []byte(list + "</array></dict></plist>")}, false)
	set, first := inv.Find("disk6"), inv.Find("disk4")
	if set == nil || set.RAID != "Stripe set Data" ||
		strings.Join(set.Backing, " ") != "disk4 disk5" {
		t.Errorf("the set is %+v", set)
	}
	if first == nil || first.Errors != 1 || first.Retries != 0 || first.RAID != "" {
		t.Errorf("its first disk is %+v", first)
	}
}

func FuzzDriverOf(f *testing.F) {
	f.Add([]byte(registry))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := DriverOf(text, "disk0"); err != nil && d.Disks != nil {
			t.Errorf("both a driver and %v", err)
		}
	})
}
