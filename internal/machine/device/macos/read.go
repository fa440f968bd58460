package macos

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"howett.net/plist"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
)

type dict = capture.Dict

func (m *machine) warn(what string, err error) {
	m.Warn(fmt.Sprintf("%s: the answer cannot be read, so what it reports stays unknown: %v", what,
		err))
}

// read reads an answer of ioreg, a list of trees, which prints nothing if it finds none; or of
// diskutil, a dictionary with a list that has a key.
func (m *machine) read(what string, answer []byte, key string) (list []dict) {
	if len(answer) == 0 {
		return nil
	}
	v, err := decode(answer)
	if err != nil {
		m.warn(what, err)
	}
	if key == "" {
		return capture.Dicts(v)
	}
	for _, d := range capture.Dicts(v) {
		list = append(list, d.List(key)...)
	}
	return list
}

// decode reads a property list. Firmware leaves control characters in names: ioreg passes them on,
// and XML has none.
func decode(answer []byte) (v any, err error) {
	_, err = plist.Unmarshal(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return ' '
		}
		return r
	}, answer), &v)
	return v, err
}

// Driver is what macOS' block storage drivers count of the physical disks that a volume lies on:
// one, or several of a RAID set or a Fusion Drive.
type Driver struct {
	Disks         []string // Disks are the BSD names of the physical disks.
	Set           string   // Set is the level and name of a RAID set.
	Read, Written int64    // Read and Written are bytes since the disks were plugged in.
	Failures      int64    // Failures are requests that failed or were repeated.
}

// DriverOf adds up the drivers of the disks that hold a volume in the answer to ioreg -a -l -r -c
// IOBlockStorageDriver: a property list of drivers with the devices below them, where a set of
// several disks is below each. The names of the counters are those of IOKit's
// IOBlockStorageDriver.h. A driver without them is passed over.
func DriverOf(answer []byte, volume string) (d Driver, err error) {
	trees, err := decode(answer)
	if err != nil {
		return d, fmt.Errorf("ioreg: %w", err)
	}
	for _, entry := range capture.Dicts(trees) {
		names, statistics := bsdNames(entry), entry.Dict("Statistics")
		read, okRead := statistics.Number("Bytes (Read)")
		written, okWritten := statistics.Number("Bytes (Write)")
		if !okRead || !okWritten || !slices.Contains(names, volume) {
			continue
		}
		errors, retries := failuresOf(entry)
		d.Disks = append(d.Disks, names[0])
		d.Read += read
		d.Written += written
		d.Failures += errors + retries
		d.Set = cmp.Or(d.Set, setsOf(entry)[wholeDisk(volume)])
	}
	if len(d.Disks) == 0 {
		return d, fmt.Errorf("ioreg: no disk counts what it moves and holds %q", volume)
	}
	return d, nil
}

// failuresOf returns what a driver counts of requests that failed, and of those that were repeated.
func failuresOf(driver dict) (errors, retries int64) {
	statistics := driver.Dict("Statistics")
	for _, way := range []string{"(Read)", "(Write)"} {
		n, _ := statistics.Number("Errors " + way)
		errors += n
		n, _ = statistics.Number("Retries " + way)
		retries += n
	}
	return errors, retries
}

// setsOf names the RAID sets below an entry, by the disks that they are: Stripe set Data.
func setsOf(entry dict) map[string]string {
	sets := map[string]string{}
	for _, d := range allEntries([]dict{entry}) {
		name := d.Text("AppleRAID-SetName")
		if name == "" {
			continue
		}
		name = strings.TrimSpace(d.Text("AppleRAID-LevelName") + " set " + name)
		for _, below := range bsdNames(d) {
			sets[wholeDisk(below)] = name
		}
	}
	return sets
}

// LinkRates returns what the slowest link on the way to each disk has negotiated, in bits per
// second and the slower direction, from the answers to ioreg -a -l -r -t -c IOBlockStorageDriver
// and -a -l -r -c IOThunderboltSwitch: that of its USB device, or of a Thunderbolt router on the
// way. A disk is left out if the answers name none.
func LinkRates(drivers, routers []byte) (map[string]int64, error) {
	chains, err := decode(drivers)
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	switches, _ := decode(routers) // There are none without Thunderbolt.
	rates := map[string]int64{}
	for name, chain := range chainsOf(capture.Dicts(chains)) {
		slowest := chain.usbBps
		depth := int64(0)
		tunnel := int64(0) // The farthest router that leads to the disk knows it.
		for _, r := range routersOf(capture.Dicts(switches)) {
			if r.depth > depth && r.holds(chain) {
				tunnel, depth = r.slowest, r.depth
			}
		}
		if tunnel > 0 && (slowest == 0 || tunnel < slowest) {
			slowest = tunnel
		}
		if slowest > 0 {
			rates[name] = slowest
		}
	}
	return rates, nil
}

// bsdNames gathers the names of an entry of the registry and of those below it.
func bsdNames(entry dict) (names []string) {
	for _, d := range allEntries([]dict{entry}) {
		if name := d.Text("BSD Name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// allEntries lists the entries of trees, each before those below it.
func allEntries(trees []dict) (entries []dict) {
	for _, d := range trees {
		entries = append(append(entries, d), allEntries(d.List("IORegistryEntryChildren"))...)
	}
	return entries
}
