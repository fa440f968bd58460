package linux

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// noModels are what boards' makers leave in the DMI table where a name should be.
var noModels = [...]string{"", "To Be Filled By O.E.M.", "To be filled by O.E.M.", "System Product Name", "Default string", "Not Specified", "Not Applicable", "None"}

// host describes the machine, its ports apart.
func (m *machine) host() hardware.Host {
	h := hardware.Host{Name: m.text("proc/sys/kernel/hostname"), Arch: m.opts.Arch, Power: m.power()}
	for _, file := range []string{"sys/class/dmi/id/product_name", "sys/class/dmi/id/board_name", "proc/device-tree/model"} {
		if name := m.text(file); h.Model == "" && !slices.Contains(noModels[:], name) {
			h.Model = name
		}
	}
	for _, file := range []string{"etc/os-release", "usr/lib/os-release"} {
		for line := range strings.Lines(m.text(file)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok && h.OS == "" {
				h.OS = strings.Trim(name, `"'`)
			}
		}
	}
	for line := range strings.Lines(m.text("proc/cpuinfo")) {
		key, value, _ := strings.Cut(line, ":")
		if key = strings.TrimSpace(key); h.CPU == "" && (key == "model name" || key == "Model") {
			h.CPU = strings.Join(strings.Fields(value), " ")
		}
	}
	return h
}

// power is what the machine runs on: its mains plug if it has one that says so, else its battery. A battery of a mouse
// or keyboard has the scope Device.
func (m *machine) power() hardware.Power {
	var battery hardware.Power
	for _, name := range m.list("sys/class/power_supply") {
		dir := path.Join("sys/class/power_supply", name)
		if m.text(dir, "scope") == "Device" {
			continue
		}
		switch m.text(dir, "type") {
		case "Mains", "USB":
			if m.number(dir, "online") > 0 {
				return hardware.Mains
			}
		case "Battery":
			switch m.text(dir, "status") {
			case "Discharging":
				battery = hardware.Battery
			case "Charging":
				return hardware.Mains
			}
		}
	}
	return battery
}

// sensor is a disk's thermometer.
type sensor struct {
	device  string // what it measures: an NVMe controller, or a SCSI disk
	celsius float64
}

// readSensors reads the thermometers of disks: hwmon of nvme, and of drivetemp for SATA. Their first value is the disk's
// own, in thousandths of a degree (the kernel's Documentation/hwmon/drivetemp.rst).
func (m *machine) readSensors() {
	for _, dir := range m.class("class/hwmon") {
		if name := m.text(dir, "name"); name != "nvme" && name != "drivetemp" {
			continue
		}
		value, err := strconv.ParseInt(m.text(dir, "temp1_input"), 10, 64)
		// 0 K and below, and more than any flash survives, are what a bridge makes up.
		if device := m.link(dir, "device"); device != "" && err == nil && value > -100_000 && value < 200_000 {
			m.heat = append(m.heat, sensor{device, float64(value) / 1000})
		}
	}
}

// temperature is that of a disk; nil if it has no thermometer that is read.
func (m *machine) temperature(b *block, w way) *float64 {
	for _, s := range m.heat {
		if under(b.dir, s.device) || w.nvme != "" && under(w.nvme, s.device) {
			return new(s.celsius)
		}
	}
	return nil
}
