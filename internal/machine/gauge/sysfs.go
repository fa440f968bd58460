package gauge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sysfs is the folder in which Linux shows its devices: /sys, or a copy of it in tests.
type sysfs string

const sectorBytes = 512 // the unit of the kernel's counters, whatever the disk's own sectors are

// disk is the folder of the whole disk that holds the block device of a number. A partition's disk counts what all its
// partitions move. An encrypted or logical volume on one disk is that disk: traffic beside the volume loads the disk too.
// A volume across several disks, a loop device and the like are taken as they are.
func (s sysfs) disk(major, minor uint32) (string, error) {
	return s.whole(filepath.Join(string(s), "dev", "block", fmt.Sprintf("%d:%d", major, minor)), 0)
}

// maxStacked bounds how many volumes may lie one on the other: a circle of links must end.
const maxStacked = 8

func (s sysfs) whole(link string, depth int) (string, error) {
	path, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", err
	}
	if exists(filepath.Join(path, "partition")) {
		path = filepath.Dir(path)
	}
	kind, _ := os.ReadFile(filepath.Join(path, "dm", "uuid"))
	mapped := strings.HasPrefix(string(kind), "LVM-") || strings.HasPrefix(string(kind), "CRYPT-")
	below, err := os.ReadDir(filepath.Join(path, "slaves"))
	if err != nil || !mapped || len(below) != 1 || depth == maxStacked {
		return path, nil //nolint:nilerr // without such a list nothing lies below
	}
	return s.whole(filepath.Join(path, "slaves", below[0].Name()), depth+1)
}

// counters reads what a disk has moved. The fields of stat are in https://docs.kernel.org/block/stat.html: the third
// is sectors read, the seventh sectors written, the fourteenth sectors discarded.
func (s sysfs) counters(disk string) (Counters, error) {
	text, err := os.ReadFile(filepath.Join(disk, "stat"))
	if err != nil {
		return Counters{}, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 7 {
		return Counters{}, fmt.Errorf("%s: %d fields, want 7 or more", filepath.Join(disk, "stat"), len(fields))
	}
	var c Counters
	for i, to := range map[int]*int64{2: &c.Read, 6: &c.Written, 13: &c.Discarded} {
		if i >= len(fields) {
			continue // before Linux 4.18 there was no count of discards
		}
		sectors, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return Counters{}, fmt.Errorf("%s: %w", filepath.Join(disk, "stat"), err)
		}
		*to = sectors * sectorBytes
	}
	return c, nil
}

// thermometer is the file with a disk's temperature; empty for none. NVMe disks have it by themselves, SATA disks if
// the module drivetemp is loaded: https://docs.kernel.org/hwmon/drivetemp.html. The first sensor is the disk as a whole.
func (s sysfs) thermometer(disk string) string {
	for _, pattern := range []string{
		"device/hwmon*/temp1_input", "device/hwmon/hwmon*/temp1_input",
		"device/nvme*/hwmon*/temp1_input", "device/nvme*/hwmon/hwmon*/temp1_input", // of a disk that several controllers may reach
	} {
		if found, _ := filepath.Glob(filepath.Join(disk, pattern)); len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// celsius reads a thermometer, which counts thousandths of a degree.
func (s sysfs) celsius(file string) (float64, error) {
	milli, err := number(file)
	return milli / 1000, err
}

// usbPort is the folder of the slowest USB link on the way to a disk; empty if it is connected to none. PCIe links are passed
// over: through Thunderbolt their negotiated rate is fictitious.
func (s sysfs) usbPort(disk string) string {
	slowest, lowest := "", 0.0
	for path := disk; len(path) > len(s); path = filepath.Dir(path) {
		if !exists(filepath.Join(path, "idVendor")) || strings.HasPrefix(filepath.Base(path), "usb") {
			continue // not a USB device; or the host's own root hub, which is no link
		}
		if rate, err := s.linkRate(path); err == nil && (slowest == "" || rate < lowest) {
			slowest, lowest = path, rate
		}
	}
	return slowest
}

// linkRate is what a USB device has negotiated, in bits per second; the file counts megabits.
func (s sysfs) linkRate(port string) (float64, error) {
	rate, err := number(filepath.Join(port, "speed"))
	return rate * 1e6, err
}

func number(file string) (float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}
