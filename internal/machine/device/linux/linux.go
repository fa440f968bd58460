// Package linux finds out from Linux' own files what is plugged in where: sysfs, mountinfo and
// udev's database. It reads an fs.FS rooted at /, so that a capture of another machine is read on
// any system. It opens no device, and what it cannot read is unknown.
//
// Start at Read. The places in sysfs carry the topology: a disk's folder lies below that of its
// controller, which lies below that of the port, so most of the work is to parse such paths.
package linux

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Options are what the files do not report.
type Options struct {
	Serials bool   // Serials says to give serial numbers.
	Arch    string // Arch is the processor's.
	// Usage is how large a mounted file system is, and how much of it this user may still write, in
	// bytes; 0: not known.
	Usage func(mount string) (size, free int64)
}

// machine is what is known while an inventory is being made.
type machine struct {
	capture.Inventory
	tree
	opts        Options
	forms       map[form]*regexp.Regexp
	blocks      []*block           // blocks are in the order of their names.
	mounts      []Mount            // mounts are those that can be reached.
	inside      map[string][]Mount // inside is by the one that they are mounted in.
	controllers []*router
	links       map[string]*hardware.Link // links are the ones that end in the disks, by disk.
}

// Read makes the inventory of the machine whose files root has.
func Read(root fs.FS, opts Options) *hardware.Inventory {
	m := &machine{
		Inventory: capture.New(), tree: tree{root}, opts: opts, forms: newForms(),
		links: map[string]*hardware.Link{},
	}
	m.Hosts = append(m.Hosts, m.host())
	m.readBlocks()
	m.readMounts()
	m.readPools()
	m.readRouters()
	m.readDisks()
	m.attachOthers()
	m.AddPathLinks(func(d *hardware.Drive) *hardware.Link { return m.links[d.Name] })
	if len(m.glob("sys/class/block/*")) == 0 {
		m.Warn("/sys/class/block is empty or cannot be read: no disk is known; mount sysfs, or " +
			"run outside the sandbox")
	}
	return m.Finish(opts.Serials)
}

// tree is the machine's files, by names without a leading slash. What cannot be read is empty: a
// missing file means that something is not known, and no more.
type tree struct{ fs.FS }

// text returns the file's text, without the space around it.
func (t tree) text(name ...string) string {
	data, err := fs.ReadFile(t.FS, path.Join(name...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), ""))
}

// fields returns a file's lines of a key and a value; the last one counts if a key is repeated.
func (t tree) fields(name, separator string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(t.text(name)) {
		key, value, _ := strings.Cut(line, separator)
		fields[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return fields
}

// number returns the file's text as a number.
func (t tree) number(name ...string) (float64, error) {
	return strconv.ParseFloat(t.text(name...), 64)
}

// count returns the file's text as a whole number; 0 if it is none.
func (t tree) count(name ...string) int64 {
	n, _ := t.number(name...)
	return int64(n)
}

// glob returns the files that match a pattern, those with short names first, so that numbers in
// them are in the order of their values: sda, sdb, sdaa; nvme2n1, nvme10n1.
func (t tree) glob(pattern ...string) []string {
	files, _ := fs.Glob(t.FS, path.Join(pattern...)) // It fails for a bad pattern only.
	slices.SortStableFunc(files, func(a, b string) int { return len(a) - len(b) })
	return files
}

// link returns the target of a symbolic link; empty if it is none. The links of sysfs lead to the
// one place of a device in /sys/devices, which shows what it is connected to.
func (t tree) link(name ...string) string {
	from := path.Join(name...)
	target, err := fs.ReadLink(t.FS, from)
	if err != nil || path.IsAbs(target) {
		return ""
	}
	return path.Join(path.Dir(from), target)
}

// class returns the places of all devices of a class or a bus: "class/nvme",
// "bus/thunderbolt/devices".
func (t tree) class(name string) []string {
	var dirs []string
	for _, device := range t.glob("sys", name, "*") {
		if dir := t.link(device); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// noModels are what boards' makers leave in the DMI table where a name should be.
var noModels = [...]string{
	"", "To Be Filled By O.E.M.", "To be filled by O.E.M.", "System Product Name", "Default string",
	"Not Specified",
	"Not Applicable", "None",
}

// host describes the machine, its ports apart.
func (m *machine) host() hardware.Host {
	system := cmp.Or(m.fields("etc/os-release", "=")["PRETTY_NAME"],
		m.fields("usr/lib/os-release", "=")["PRETTY_NAME"])
	cpu := m.fields("proc/cpuinfo", ":")
	h := hardware.Host{
		Name: m.text("proc/sys/kernel/hostname"), OS: strings.Trim(system, `"'`),
		Arch: m.opts.Arch, Power: m.power(),
		CPU: strings.Join(strings.Fields(cmp.Or(cpu["model name"], cpu["Model"])), " "),
	}
	for _, file := range []string{
		"sys/class/dmi/id/product_name", "sys/class/dmi/id/board_name", "proc/device-tree/model",
	} {
		if name := m.text(file); h.Model == "" && !slices.Contains(noModels[:], name) {
			h.Model = name
		}
	}
	return h
}

// power returns what the machine runs on: its mains plug if it has one that says so, else its
// battery. A battery of a mouse or keyboard has the scope Device.
func (m *machine) power() (power hardware.Power) {
	for _, dir := range m.glob("sys/class/power_supply/*") {
		status, plug := m.text(dir, "status"), m.text(dir, "type") != "Battery"
		switch {
		case m.text(dir, "scope") == "Device":
		case plug && m.count(dir, "online") > 0 || status == "Charging":
			return hardware.Mains
		case status == "Discharging":
			power = hardware.Battery
		}
	}
	return power
}

// thermometer returns the file with the temperature of a disk, in thousandths of a degree; empty if
// there is none. NVMe disks have one by themselves, SATA disks if the module drivetemp is loaded:
// https://docs.kernel.org/hwmon/drivetemp.html. The first sensor is the disk as a whole.
func (t tree) thermometer(disk string) string {
	for _, place := range []string{
		"device", "device/hwmon", "device/device/hwmon", // The last of NVMe before Linux 5.9.
		"device/nvme*", "device/nvme*/hwmon", // If several controllers reach it.
	} {
		if files := t.glob(disk, place, "hwmon*/temp1_input"); len(files) > 0 {
			return files[0]
		}
	}
	return ""
}

// Meter reads what the kernel knows of one disk from moment to moment. It costs microseconds.
type Meter struct {
	tree
	Dir         string // Dir is the disk's place in sysfs.
	Thermometer string // Thermometer is the file; empty for none.
	Port        string // Port is the USB device whose link ends in the disk; empty for none.
}

// FindMeter finds the whole disk that holds the block device of a number such as 8:1. A partition's
// disk counts what all its partitions move. An encrypted or logical volume on one disk is that
// disk: traffic beside the volume loads the disk too. A volume across several disks, a loop device
// and the like are taken as they are.
func FindMeter(root fs.FS, number string) (*Meter, error) {
	m := &machine{tree: tree{root}, forms: newForms()}
	m.readBlocks()
	b := m.blockAt(number)
	if b == nil {
		return nil, fmt.Errorf("block device %s: %w", number, fs.ErrNotExist)
	}
	disk := b.disk()
	for range m.blocks { // A circle of links must end.
		if len(disk.below) == 1 && (disk.mapper == "LVM" || disk.mapper == "CRYPT") {
			disk = disk.below[0].disk()
		}
	}
	// The last USB link on the way is the slowest: a hub connects nothing faster than itself. PCIe
	// links are passed over: through Thunderbolt their negotiated rate is fictitious.
	port := m.wayTo(disk.dir).last(usbDevice)
	meter := &Meter{tree: m.tree, Dir: disk.dir, Thermometer: m.thermometer(disk.dir), Port: port}
	return meter, nil
}

// Moved returns what the disk has read, written and discarded, in bytes. The fields of stat are in
// https://docs.kernel.org/block/stat.html.
func (m *Meter) Moved() (read, written, discarded int64, err error) {
	var fields []int64
	for text := range strings.FieldsSeq(m.text(m.Dir, "stat")) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("%s/stat: %w", m.Dir, err)
		}
		fields = append(fields, n*sector)
	}
	if len(fields) < 11 {
		return 0, 0, 0, fmt.Errorf("%s/stat: %d fields, want 11 or more", m.Dir, len(fields))
	}
	fields = append(fields, 0, 0, 0) // Before Linux 4.18 there was no count of discards.
	return fields[2], fields[6], fields[13], nil
}

// Celsius reads the thermometer, which counts thousandths of a degree.
func (m *Meter) Celsius() (float64, error) {
	milli, err := m.number(m.Thermometer)
	return milli / 1000, err
}

// LinkRate reads what the USB link has negotiated, in bits per second.
func (m *Meter) LinkRate() (float64, error) {
	megabits, err := m.number(m.Port, "speed")
	return megabits * 1e6, err
}
