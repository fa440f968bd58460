package linux

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Meter reads what the kernel knows of one disk from moment to moment. It costs microseconds.
type Meter struct {
	tree
	Dir         string // the disk's place in sysfs
	thermometer string // the file; empty for none
	port        string // the USB device with the slowest link on the way to the disk; empty for none
}

// maxStacked bounds how many volumes may lie one on the other: a circle of links must end.
const maxStacked = 8

// FindMeter finds the whole disk that holds the block device of a number such as 8:1. A partition's disk counts what
// all its partitions move. An encrypted or logical volume on one disk is that disk: traffic beside the volume loads
// the disk too. A volume across several disks, a loop device and the like are taken as they are.
func FindMeter(root fs.FS, number string) (*Meter, error) {
	m := &Meter{tree: tree{root}}
	next := m.link("sys/dev/block", number)
	for depth := 0; next != "" && depth <= maxStacked; depth++ {
		if m.Dir = next; m.has(m.Dir, "partition") {
			m.Dir = path.Dir(m.Dir)
		}
		kind, below := m.text(m.Dir, "dm/uuid"), m.list(m.Dir, "slaves")
		next = ""
		if mapped := strings.HasPrefix(kind, "LVM-") || strings.HasPrefix(kind, "CRYPT-"); mapped && len(below) == 1 {
			next = m.link(m.Dir, "slaves", below[0])
		}
	}
	if m.Dir == "" {
		return nil, fmt.Errorf("block device %s: %w", number, fs.ErrNotExist)
	}
	// NVMe disks have a thermometer by themselves, SATA disks if the module drivetemp is loaded:
	// https://docs.kernel.org/hwmon/drivetemp.html. The first sensor is the disk as a whole.
	for _, pattern := range []string{
		"device/hwmon*/temp1_input", "device/hwmon/hwmon*/temp1_input",
		"device/nvme*/hwmon*/temp1_input", "device/nvme*/hwmon/hwmon*/temp1_input", // if several controllers reach it
	} {
		if found, _ := fs.Glob(m, path.Join(m.Dir, pattern)); m.thermometer == "" && len(found) > 0 {
			m.thermometer = found[0]
		}
	}
	// PCIe links are passed over: through Thunderbolt their negotiated rate is fictitious.
	lowest := 0.0
	for _, port := range parents(m.Dir, newForms().usb) {
		if rate, err := m.speed(port); err == nil && (m.port == "" || rate < lowest) {
			m.port, lowest = port, rate
		}
	}
	return m, nil
}

// Moved is what the disk has read, written and discarded, in bytes. The fields of stat are in
// https://docs.kernel.org/block/stat.html; before Linux 4.18 there was no count of discards.
func (m *Meter) Moved() (read, written, discarded int64, err error) {
	text, err := fs.ReadFile(m, path.Join(m.Dir, "stat"))
	if err != nil {
		return 0, 0, 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 7 {
		return 0, 0, 0, fmt.Errorf("%s/stat: %d fields, want 7 or more", m.Dir, len(fields))
	}
	if len(fields) < 14 {
		fields = append(fields[:7:7], make([]string, 7)...)
		fields[13] = "0"
	}
	var moved [3]int64
	for i, field := range []int{2, 6, 13} {
		sectors, bad := strconv.ParseInt(fields[field], 10, 64)
		moved[i], err = sectors*sector, errors.Join(err, bad)
	}
	return moved[0], moved[1], moved[2], err
}

// Celsius reads the thermometer, which counts thousandths of a degree; nil if there is none.
func (m *Meter) Celsius() func() (float64, error) {
	if m.thermometer == "" {
		return nil
	}
	return func() (float64, error) {
		milli, err := m.float(m.thermometer)
		return milli / 1000, err
	}
}

// LinkRate reads what the slowest USB link on the way has negotiated, in bits per second; nil if there is none.
func (m *Meter) LinkRate() func() (float64, error) {
	if m.port == "" {
		return nil
	}
	return func() (float64, error) { return m.speed(m.port) }
}

func (m *Meter) speed(port string) (bps float64, err error) {
	megabits, err := m.float(path.Join(port, "speed"))
	return megabits * 1e6, err
}

func (m *Meter) float(file string) (float64, error) {
	text, err := fs.ReadFile(m, file)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
}
