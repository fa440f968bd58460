package macos

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// entry is one of the registry's, with properties and those below it, in the shape of ioreg -a. The
// keys are those of IOBlockStorageDriver.h, IOMedia.h and AppleRAIDUserLib.h.
func entry(properties string, below ...string) string {
	return "<dict>" + properties + "<key>IORegistryEntryChildren</key><array>" +
		strings.Join(below, "\n") + "</array></dict>"
}

func property(name, value string) string { return "<key>" + name + "</key>" + value }

func text(name, value string) string { return property(name, "<string>"+value+"</string>") }

func named(name string, below ...string) string {
	return entry(text("BSD Name", name)+property("Size", "<integer>1000</integer>"), below...)
}

// driver is one that counts bytes read and written, errors of reading and retries of writing.
func driver(counts [4]string, below ...string) string {
	statistics := "<dict>"
	for i, name := range []string{
		"Bytes (Read)", "Bytes (Write)", "Errors (Read)", "Retries (Write)",
	} {
		statistics += property(name, "<integer>"+counts[i]+"</integer>")
	}
	return entry(text("IOObjectClass", "IOBlockStorageDriver")+
		property("Statistics", statistics+"</dict>"), below...)
}

// registry has an internal disk, an APFS container on an external one, whose medium counts as well,
// and a driver without counters.
func registry() string {
	return "<plist><array>" + driver(
		[4]string{"1694439639040", "967807643648", "0", "0"}, named("disk0")) +
		driver([4]string{"100", "0x20", "0", "0"}, named("disk4",
			entry(property("UUID", "<data>AAAA</data>")+text("IORegistryEntryName", "a &amp; b"),
				named("disk4s2", named("disk5", entry(text("BSD Name", "disk5s1")+
					property("Statistics", "<dict>"+
						property("Bytes (Read)", "<integer>7</integer>")+"</dict>"))))))) +
		entry("", named("disk9")) + "</array></plist>"
}

func TestDriverOf(t *testing.T) {
	answer := []byte(registry())
	for name, want := range map[string][2]int64{"disk0": {1694439639040, 967807643648},
		"disk5s1": {100, 32}, "disk4s2": {100, 32}} {
		if d, err := DriverOf(answer, name); err != nil || d.Read != want[0] ||
			d.Written != want[1] {
			t.Errorf("%s: %+v, %v, want %+v", name, d, err, want)
		}
	}
	if d, _ := DriverOf(answer, "disk5s1"); strings.Join(d.Disks, " ") != "disk4" ||
		d.Set != "" || d.Failures != 0 {
		t.Errorf("disk5s1: %+v, want that it lies on disk4", d)
	}
	for _, name := range []string{"disk9", "disk1", ""} {
		if d, err := DriverOf(answer, name); err == nil {
			t.Errorf("%q lies on %+v", name, d)
		}
	}
	if d, err := DriverOf([]byte("\n"), "disk0"); err == nil {
		t.Errorf("of no answer: %+v", d)
	}
	for cut := range answer {
		_, _ = DriverOf(answer[:cut], "disk0") // It must not crash.
	}
}

// member is the driver of a disk of a RAID set: the set, with a container of APFS on it, is below
// each of its disks.
func member(disk string, counts [4]string) string {
	set := entry(text("IOObjectClass", "AppleRAIDStripeSet")+text("AppleRAID-SetName", "Data")+
		text("AppleRAID-LevelName", "Stripe"), named("disk6", named("disk7", named("disk7s1"))))
	return driver(counts, named(disk, named(disk+"s2", set)))
}

// What a RAID set moves is what all of its disks move, and their failures are its own.
func TestDriverOfSet(t *testing.T) {
	answer := []byte("<plist><array>" + member("disk4", [4]string{"100", "10", "1", "0"}) +
		member("disk5", [4]string{"200", "20", "0", "2"}) + "</array></plist>")
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
	f.Add([]byte(registry()))
	f.Fuzz(func(t *testing.T, text []byte) {
		if d, err := DriverOf(text, "disk0"); err != nil && d.Disks != nil {
			t.Errorf("both a driver and %v", err)
		}
	})
}
