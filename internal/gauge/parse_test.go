package gauge

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
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

func TestParseIOReg(t *testing.T) {
	drivers, err := parseIOReg([]byte(registry))
	if err != nil || len(drivers) != 2 {
		t.Fatalf("got %+v, %v, want two drivers", drivers, err)
	}
	for name, want := range map[string]Counters{"disk0": {Read: 1694439639040, Written: 967807643648}, "disk5s1": {Read: 100, Written: 32}, "disk4s2": {Read: 100, Written: 32}} {
		if d, ok := on(drivers, name); !ok || d.moved != want {
			t.Errorf("%s: %+v, want %+v", name, d, want)
		}
	}
	if d, _ := on(drivers, "disk5s1"); d.names[0] != "disk4" {
		t.Errorf("disk5s1 lies on %s, want the physical disk4", d.names[0])
	}
	for _, name := range []string{"disk9", "disk1", ""} {
		if d, ok := on(drivers, name); ok {
			t.Errorf("%q lies on %+v", name, d)
		}
	}
	if drivers, err := parseIOReg([]byte("\n")); drivers != nil || err != nil {
		t.Errorf("of no answer: %v, %v", drivers, err)
	}
	for cut := range len(registry) {
		_, _ = parseIOReg([]byte(registry[:cut])) // does not crash
	}
	deep := "<plist>" + strings.Repeat("<array>", 1000)
	if _, err := parseIOReg([]byte(deep)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("nested without end: %v", err)
	}
}

func FuzzParseIOReg(f *testing.F) {
	f.Add([]byte(registry))
	f.Fuzz(func(t *testing.T, text []byte) {
		drivers, err := parseIOReg(text)
		if err != nil && drivers != nil {
			t.Errorf("both drivers and %v", err)
		}
	})
}

func TestParseSmart(t *testing.T) {
	for text, want := range map[string]float64{
		`{"smartctl":{"exit_status":4},"temperature":{"current":41}}`: 41, `{"temperature":{"current":0}}`: 0, `{"temperature":{}}`: 0, `{"smartctl":{"exit_status":2}}`: 0, `x`: 0, ``: 0,
	} {
		if got, err := parseSmart([]byte(text)); got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestCPU(t *testing.T) {
	texts := []string{"cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n", "cpu  160 10 70 830 90 3 2 5 7 0\n"}
	s := cpuSource(func() (cpuTimes, error) {
		text := texts[0]
		texts = texts[1:]
		return parseStat(text)
	})
	if got, err := s.Read(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("the first reading is %v, %v; want none", got, err)
	}
	// Busy: 60 user, 10 nice, 20 system, 3 and 2 interrupts, 5 stolen; then 30 idle and 40 waiting for disks.
	if got, err := s.Read(t.Context()); err != nil || len(got) != 1 || got[0] != (Reading{Name: trace.CPU, Value: 100 * 100.0 / 170}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"", "cpu 1 2", "intr 1 2 3 4 5", "cpu a b c d e"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestParseWindows(t *testing.T) {
	answer := make([]byte, performanceBytes)
	binary.LittleEndian.PutUint64(answer, 5e12)
	binary.LittleEndian.PutUint64(answer[8:], 7)
	if got, err := parsePerformance(answer); err != nil || got != (Counters{Read: 5e12, Written: 7}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := parsePerformance(answer[:15]); err == nil {
		t.Errorf("half an answer is %v", got)
	}
	if got, err := parseDeviceNumber([]byte{7, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}); err != nil || got != 3 {
		t.Errorf("device number %v, %v", got, err)
	}
	for _, answer := range [][]byte{nil, {7, 0, 0, 0}, {2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0}} { // 2: a CD-ROM
		if got, err := parseDeviceNumber(answer); err == nil {
			t.Errorf("%v is disk %d", answer, got)
		}
	}
}

func TestGroup(t *testing.T) {
	find := func(path string) (*meter, error) {
		if path == "" {
			return nil, errUnknown
		}
		return &meter{key: path[:1]}, nil
	}
	var got []string
	for _, m := range group([]Disk{{"A", "x1"}, {"B", ""}, {"C", "y1"}, {"D", "x2"}}, find) {
		got = append(got, fmt.Sprint(m.key, m.disks))
	}
	if want := []string{"x[A D]", "y[C]"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
