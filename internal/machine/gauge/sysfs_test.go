package gauge

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// tree makes a copy of /sys in a folder: files by their path, and links whose text begins with "->".
func tree(t *testing.T, files map[string]string) sysfs {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, isLink := cutPrefix(text, "->"); isLink {
			if err := os.Symlink(filepath.FromSlash(to), path); err != nil {
				t.Skip(err) // Windows allows it to few
			}
		} else if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	return sysfs(resolved)
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return s, false
	}
	return s[len(prefix):], true
}

// The shapes are those of the kernel's documentation: Documentation/block/stat.rst, hwmon/drivetemp.rst and
// ABI/testing/sysfs-block, sysfs-bus-usb.
func machine(t *testing.T) sysfs {
	const (
		nvme = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0"
		usb  = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"
		sda  = usb + "/2-1.4:1.0/host4/target4:0:0/4:0:0:0/block/sda"
		dm   = "devices/virtual/block/dm-"
	)
	return tree(t, map[string]string{
		"dev/block/259:0": "->../../" + nvme + "/nvme0n1", "dev/block/259:2": "->../../" + nvme + "/nvme0n1/nvme0n1p2",
		"dev/block/8:1": "->../../" + sda + "/sda1", "dev/block/253:0": "->../../" + dm + "0", "dev/block/253:1": "->../../" + dm + "1",
		"dev/block/253:2": "->../../" + dm + "2", "dev/block/7:0": "->../../devices/virtual/block/loop0",
		nvme + "/nvme0n1/stat":                "   11 0 1000 0 22 0 2000 0 0 0 0 5 0 300 0 1 1\n",
		nvme + "/nvme0n1/nvme0n1p2/partition": "2\n", nvme + "/nvme0n1/nvme0n1p2/stat": "1 0 1 0 1 0 1 0 0 0 0\n",
		nvme + "/nvme0n1/device": "->..", nvme + "/hwmon3/temp1_input": "41850\n",
		sda + "/stat": "1 0 7 0 1 0 9 0 0 0 0\n", sda + "/sda1/partition": "1\n", sda + "/device": "->../..",
		"devices/pci0000:00/0000:00:14.0/usb2/idVendor": "1d6b\n", "devices/pci0000:00/0000:00:14.0/usb2/speed": "480\n",
		"devices/pci0000:00/0000:00:14.0/usb2/2-1/idVendor": "2109\n", "devices/pci0000:00/0000:00:14.0/usb2/2-1/speed": "10000\n",
		usb + "/idVendor": "04e8\n", usb + "/speed": "5000\n",
		dm + "0/dm/uuid": "CRYPT-LUKS2-0123-x\n", dm + "0/slaves/dm-1": "->../../dm-1", dm + "0/stat": "1 0 1 0 1 0 1 0 0 0 0\n",
		dm + "1/dm/uuid": "LVM-abc\n", dm + "1/slaves/nvme0n1p2": "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		dm + "2/dm/uuid": "LVM-striped\n", dm + "2/slaves/sda1": "->../../../../../" + sda + "/sda1", dm + "2/slaves/nvme0n1p2": "->../../../../../" + nvme + "/nvme0n1/nvme0n1p2",
		"devices/virtual/block/loop0/stat": "1 0 x 0\n",
	})
}

func TestWholeDisk(t *testing.T) {
	notOnWindows(t)
	s := machine(t)
	for number, want := range map[[2]uint32]string{
		{259, 0}: "nvme0n1", {259, 2}: "nvme0n1", {8, 1}: "sda",
		{253, 1}: "nvme0n1", {253, 0}: "nvme0n1", // a volume on a partition, and an encrypted one on that
		{253, 2}: "dm-2", {7, 0}: "loop0", // a volume on two disks counts for itself
	} {
		got, err := s.disk(number[0], number[1])
		if err != nil || filepath.Base(got) != want {
			t.Errorf("%v: got %s, %v, want %s", number, got, err, want)
		}
	}
	if _, err := s.disk(0, 42); err == nil {
		t.Error("a device without a block device has one")
	}
}

func TestSysfsValues(t *testing.T) {
	notOnWindows(t)
	s := machine(t)
	nvme, _ := s.disk(259, 2)
	sda, _ := s.disk(8, 1)
	if got, err := s.counters(nvme); err != nil || got != (Counters{Read: 512000, Written: 1024000, Discarded: 153600}) {
		t.Errorf("nvme0n1: %+v, %v", got, err)
	}
	if got, err := s.counters(sda); err != nil || got != (Counters{Read: 7 * 512, Written: 9 * 512}) {
		t.Errorf("sda, without a count of discards: %+v, %v", got, err)
	}
	loop, _ := s.disk(7, 0)
	if got, err := s.counters(loop); err == nil {
		t.Errorf("a broken stat is %+v", got)
	}
	if got, err := s.celsius(s.thermometer(nvme)); err != nil || got != 41.85 {
		t.Errorf("temperature %v, %v", got, err)
	}
	if got := s.thermometer(sda); got != "" {
		t.Errorf("a disk without a sensor has %s", got)
	}
	if got, err := s.linkRate(s.usbPort(sda)); err != nil || got != 5e9 {
		t.Errorf("slowest USB link %v, %v; want the enclosure's 5 Gb/s, and not the root hub's", got, err)
	}
	if got := s.usbPort(nvme); got != "" {
		t.Errorf("a PCIe disk hangs on USB: %s", got)
	}
}

// notOnWindows skips a test whose tree has links, and names with colons.
func notOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names as Linux's list of devices")
	}
}
