package macos

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
)

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
		{8, 1, 10e9, 10e9}, {4, 2, 40e9, 40e9}, {2, 2, 80e9, 80e9}, {2, 4, 120e9, 40e9},
		{2, 8, 40e9, 120e9},
		{4, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {4, 3, 0, 0},
	} {
		tx, rx := laneRates(dict{"Current Link Speed": tt.speed, "Current Link Width": tt.width})
		if tx != tt.tx || rx != tt.rx {
			t.Errorf("speed %d, width %d: transmits %d, receives %d, want %d, %d", tt.speed,
				tt.width, tx, rx, tt.tx, tt.rx)
		}
	}
}

func TestVolumeOf(t *testing.T) {
	for _, tt := range []struct{ source, kind, device, want string }{
		{"/dev/disk3s1s1", "apfs", "disk3s1s1", "apfs"},
		{"exfat://disk12s1/NAME", "lifs", "disk12s1", "exfat"},
		{"msdos://disk4", "lifs", "disk4", "msdos"},
		{"https://dav.example.com/x/", "webdav", "", "webdav"},
		{"https://disk.example.com/x/", "webdav", "", "webdav"},
		{"disk4s1", "devfs", "", "devfs"},
		{"map auto_home", "autofs", "", "autofs"},
	} {
		if device, kind := VolumeOf(tt.source, tt.kind); device != tt.device || kind != tt.want {
			t.Errorf("%s: device %q, file system %q", tt.source, device, kind)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"disk4": {"disk4", "disk4"}, "disk4s2": {"disk4", "disk4s2"},
		"/dev/disk3s1s1": {"disk3", "disk3s1"},
		"":               {"", ""}, "disk": {"", ""}, "disks1": {"", ""}, "disk1s": {"", ""},
		"disk1s2s3s4": {"", ""}, "nvme0n1": {"", ""}, "disk-1": {"", ""},
	} {
		base, _ := baseName(name)
		if whole := wholeDisk(name); whole != want[0] || base != want[1] {
			t.Errorf("%q: disk %q, volume %q, want %q", name, whole, base, want)
		}
	}
}

func TestMountNames(t *testing.T) {
	mounts := mountsOf([]byte(`/dev/disk1s9 on /Volumes/on (1) on (apfs, local, noatime)
/dev/disk1s2 on
map on / (autofs)
/dev/disk2 on /x (msdos, read-only)
msdos://disk12s1/MY on CARD on /Volumes/MY on CARD (lifs, local, nodev, noatime)
ntfs://disk4s1/ on /Volumes/W (lifs, read-only)
//me@nas/disk9 on /Volumes/nas (smbfs)
http://disk/x on /Volumes/web (webdav)
`))
	want := map[string][]hardware.Volume{
		"disk1s9": {{Mount: "/Volumes/on (1) on", Filesystem: "apfs",
			Options: []string{"noatime"}}},
		"disk2": {{Mount: "/x", Filesystem: "msdos", ReadOnly: true}},
		"disk12s1": {{Mount: "/Volumes/MY on CARD", Filesystem: "msdos",
			Options: []string{"noatime"}}},
		"disk4s1": {{Mount: "/Volumes/W", Filesystem: "ntfs", ReadOnly: true}},
	}
	if diff := cmp.Diff(want, mounts); diff != "" {
		t.Error(diff)
	}
}
