package capture_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/internal/machine/device/windows"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// nameless is an inventory without what redacting may change.
func nameless(inv *hardware.Inventory) *hardware.Inventory {
	containers := map[string]string{}
	for i := range inv.Hosts {
		inv.Hosts[i].Name = ""
	}
	for i := range inv.Disks {
		d := &inv.Disks[i]
		if strings.HasPrefix(d.Model, "file /home/") {
			d.Model = "file"
		}
		for _, kind := range []string{"encrypted ", "logical volume "} {
			if strings.HasPrefix(d.Model, kind) {
				d.Model = kind
			}
		}
		for j := range d.Volumes {
			v := &d.Volumes[j]
			if containers[v.Container] == "" {
				containers[v.Container] = fmt.Sprint(len(containers))
			}
			v.Container = containers[v.Container]
			v.Label, v.Mount, v.Mounts = "", fmt.Sprint(v.Mount != ""),
				[]string{fmt.Sprint(len(v.Mounts))}
		}
	}
	return inv
}

// redacted holds a redacted capture to the original: the same machine, and none of its serial
// numbers.
func redacted(t *testing.T, name, text string, before, after *hardware.Inventory) {
	t.Helper()
	for _, d := range before.Disks {
		if len(d.Serial) > 3 && strings.Contains(strings.ToLower(text), strings.ToLower(d.Serial)) {
			t.Errorf("%s: the serial number %s is there", name, d.Serial)
		}
	}
	for i := range before.Disks {
		before.Disks[i].Serial = ""
	}
	check.Same(t, name, nameless(before), nameless(after))
}

// What is plugged in where is read from a redacted capture as from the original.
func TestRedactedMacs(t *testing.T) {
	for name, c := range macs(t) {
		var whole strings.Builder
		for _, p := range c.Parts() {
			fmt.Fprintf(&whole, "-- %s --\n%s\n", p.Name, *p.Into)
		}
		text := capture.Redact(whole.String())
		var after macos.Captures
		for _, p := range slices.Backward(after.Parts()) {
			head, data, _ := strings.Cut(text, "-- "+p.Name+" --\n")
			*p.Into, text = []byte(strings.TrimSpace(data)), head
		}
		redacted(t, filepath.Base(name), capture.Redact(whole.String()), macos.Parse(c, true),
			macos.Parse(after, false))
	}
}

func TestRedactedWindows(t *testing.T) {
	for name, answer := range answers(t) {
		text := capture.Redact(string(answer))
		redacted(t, filepath.Base(name), text, windows.Parse(answer, true),
			windows.Parse([]byte(text), false))
	}
}

// What Linux' files are recorded to say is the same machine again, redacted too.
func TestRecordedLinux(t *testing.T) {
	for name, text := range linuxCaptures(t) {
		c := parseCapture(text)
		recorded := linux.Record(c.files, c.options())
		again := parseCapture(recorded)
		check.Same(t, name+", recorded", linux.Read(c.files, c.options()),
			linux.Read(again.files, again.options()))
		clean := capture.Redact(recorded)
		again = parseCapture(clean)
		redacted(t, name+", redacted", clean,
			linux.Read(c.files, linux.Options{Serials: true, Arch: "amd64",
				Usage: c.options().Usage}),
			linux.Read(again.files, again.options()))
	}
}

// redact redacts a text, and wants no trace of the secrets in it.
func redact(t *testing.T, text string, secrets ...string) string {
	t.Helper()
	got := capture.Redact(text)
	for _, secret := range secrets {
		if strings.Contains(strings.ToLower(got), strings.ToLower(secret)) {
			t.Errorf("%s is in:\n%s", secret, got)
		}
	}
	return got
}

// The registry has serial numbers as data and as numbers: it can be read all the same.
func TestRedactedRegistry(t *testing.T) {
	text := redact(t, `<plist><dict><key>serial-number</key><data>QzAyWEc=</data>
	<key>IOMACAddress</key><data>
	pIPn
	</data><key>kSerial</key><integer>123456789</integer>
	<key>IORegistryEntryChildren</key><array><dict>
	<key>BSD Name</key><string>disk4</string></dict></array></dict></plist>`,
		"QzAyWEc", "pIPn", "123456789")
	inv := macos.Parse(macos.Captures{Drivers: []byte(text)}, false)
	if inv.Find("disk4") == nil || len(inv.Warnings) > 0 {
		t.Errorf("disks %+v, warnings %q", inv.Disks, inv.Warnings)
	}
}

// What identifies a device or a person is replaced by the same words wherever it stands: serial
// numbers, and names of who is logged in, of volumes, and of the files of disk images.
func TestRedact(t *testing.T) {
	got := redact(t, `<key>USB Serial Number</key> <string>NA8F1234</string>
<key>Name</key><string>Jan's Films</string>
<key>UUID</key><string>6F1C9A2E-1B2C-4D5E-8F90-123456789ABC</string>
<key>MountPoint</key><string>/Volumes/Jan's Films</string>
<key>UID</key><integer>-9185185998022115072</integer> "switch_uid_key" : "0x8087BF0F27B88500",
"device_serial" : " na8f1234 ", "volume_uuid" : "6f1c9a2e-1b2c-4d5e-8f90-123456789abc"
{"InstanceId":"USB\\VID_0BC2&PID_AB28\\NA8F1234","Parent":"USB\\ROOT_HUB30\\5&1A2B&0&0",
"Computer":[{"Name":"JANS-PC"}]}
msdos://disk12s1/JAN on /Volumes/JAN (lifs, local)
//jan@nas.example/share on /Volumes/share (smbfs)
nas.example:/srv on /private/x (nfs)
40 1 0:50 / /srv rw - nfs4 nas.example:/srv rw
kern.hostname: Jans-MacBook.local
/dev/sda1 on /home/jan/x and /run/media/jan/Films
ID_FS_LABEL=Films
a4:83:e7:12:34:56
	Serial		: 100000000abcdef0
`, "NA8F1234", "6F1C9A2E", "Jan", "Films", "9185185998022115072", "27B88500", "a4:83", "abcdef0",
		"nas.example")
	for word, times := range map[string]int{
		"SERIALNO0001": 3, "00000000-0000-4000-8000-000000000001": 2, "ROOT_HUB30": 1,
		"disk12s1": 1,
	} {
		check.Same(t, word, times, strings.Count(got, word))
	}
	got = redact(t, `<key>kCGSSessionUserNameKey</key><string>jan</string>
<key>kCGSessionLongUserNameKey</key><string>Jan Jansen</string></dict></array>
<key>image-path</key><data>L1VzZXJzL2phbg==</data>
<key>DiskImageURL</key><string>file:///Users/jan/Divorce.dmg</string>
<key>IORegistryEntryName</key><string>Jan &amp; Ann</string>
<key>FullName</key><string>Jan &amp; Ann</string>
<key>IORegistryEntryName</key><string>AppleAPFSContainerScheme</string>
/dev/disk5s1 on /Volumes/Jan & Ann (apfs, local)
`, "jan", "ann", "L1VzZXJzL2phbg", "Divorce")
	check.Same(t, "Volume1", 3, strings.Count(got, "Volume1"))
	check.Same(t, "AppleAPFSContainerScheme", 1, strings.Count(got, "AppleAPFSContainerScheme"))
}

// What Linux records of a machine has names in many forms: none of them is left.
func TestRedactNamesOnLinux(t *testing.T) {
	got := redact(t, `/dev/disk/by-label/Anna\x20Backup -> ../../sdb1
/dev/mapper/annas--pc--vg-root -> ../dm-0
/proc/self/mountinfo:
	25 1 253:0 / / rw,relatime - ext4 /dev/mapper/annas--pc--vg-root rw
	30 25 0:40 / /tank rw - zfs annas-pc/data rw
	31 25 0:41 /@home/anna /mnt/anna rw - btrfs /dev/sdc1 rw,subvol=/@home/anna
	32 25 8:17 / /media/anna/Anna\040Backup rw - ext4 /dev/sdb1 rw
	33 25 0:42 / /net rw - cifs //10.0.0.5/films rw,username=anna,domain=ACME,addr=10.0.0.5
/proc/sys/kernel/hostname: annas-pc
/run/udev/data/b8:17:
	S:disk/by-label/Anna\x20Backup
	E:ID_FS_LABEL=Anna_Backup
	E:ID_FS_LABEL_ENC=Anna\x20Backup
	E:DEVLINKS=/dev/disk/by-label/Anna\x20Backup /dev/disk/by-id/usb-Vendor_Disk
/run/udev/data/b9:0:
	S:md/annas-pc:0
	E:MD_NAME=annas-pc:0
	E:MD_UUID=2fa4bbcd:11bd6d90:9d2b8f1c:12345678
	E:ID_FS_LABEL=annas-pc:0
/sys/devices/virtual/block/dm-0/dm/name: annas--pc--vg-root
/sys/devices/virtual/block/dm-0/dm/uuid: LVM-`+strings.Repeat("aB3dE6gH", 8)+`
/sys/devices/virtual/block/dm-1/dm/uuid: CRYPT-LUKS2-0a1b2c3d4e5f60718293a4b5c6d7e8f9-luks
/sys/devices/virtual/block/loop0/loop/backing_file: /mnt/anna/disk.img
/sys/fs/btrfs/6f1c9a2e-1b2c-4d5e-8f90-123456789abc/label: Annas Films
/sys/block/sdb/device/vpd_pg80: S4EW
usage /mnt/anna: 100 50
`, "anna", "ACME", "10.0.0.5", "Backup", "aB3dE6gH", "0a1b2c3d", "2fa4bbcd", "Films", "S4EW")
	for _, kept := range []string{
		"/dev/mapper/host1--vg-root -> ../dm-0", "dm/name: host1--vg-root", "dm/uuid: LVM-",
		"CRYPT-LUKS2-", "usb-Vendor_Disk",
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is not in:\n%s", kept, got)
		}
	}
}

// A computer or a label may be called as a word of Linux's own: what is read stays the same.
func TestRedactKeepsWordsOfLinux(t *testing.T) {
	c := parseCapture(linuxCaptures(t)["luks-btrfs"])
	recorded := linux.Record(c.files, c.options())
	for _, name := range []string{
		"crypt", "Disk", "mapper", "block", "virtual", "name", "self", "mountinfo", "btrfs",
	} {
		text := strings.Replace(recorded, "hostname: crypt\n", "hostname: "+name+"\n", 1)
		if name != "crypt" && text == recorded {
			t.Fatal("the capture has another name")
		}
		before, after := parseCapture(text), parseCapture(capture.Redact(text))
		check.Same(t, name, nameless(linux.Read(before.files, before.options())),
			nameless(linux.Read(after.files, after.options())))
	}
}
