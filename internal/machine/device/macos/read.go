package macos

import (
	"bytes"
	"fmt"
	"slices"

	"howett.net/plist"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
)

type dict = capture.Dict

func (m *machine) warn(what string, err error) {
	m.Warn(fmt.Sprintf("%s: the answer cannot be read, so what it reports stays unknown: %v", what, err))
}

// read reads an answer of ioreg, a list of trees, which prints nothing if it finds none; or of diskutil, a dictionary
// with a list that has a key.
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

// decode reads a property list. Firmware leaves control characters in names: ioreg passes them on, and XML has none.
func decode(answer []byte) (v any, err error) {
	_, err = plist.Unmarshal(bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return ' '
		}
		return r
	}, answer), &v)
	return v, err
}

// Driver is one of macOS' block storage drivers: what a physical disk has moved, and the BSD names of all that lies
// on it, the whole disk first: disk4, disk4s2, and of the APFS container that disk4s2 holds disk5 and disk5s1.
type Driver struct {
	Names         []string
	Read, Written int64 // bytes since it was plugged in
}

// Drivers reads the answer to ioreg -a -l -r -c IOBlockStorageDriver: a property list of drivers with the devices below
// them. The names of the counters are those of IOKit's IOBlockStorageDriver.h. A driver without them is left out.
func Drivers(answer []byte) ([]Driver, error) {
	if len(bytes.TrimSpace(answer)) == 0 {
		return nil, nil // no such driver
	}
	trees, err := decode(answer)
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	var drivers []Driver
	for _, entry := range capture.Dicts(trees) {
		statistics := entry.Dict("Statistics")
		read, okRead := statistics.Number("Bytes (Read)")
		written, okWritten := statistics.Number("Bytes (Write)")
		if okRead && okWritten {
			drivers = append(drivers, Driver{Names: bsdNames(entry, nil), Read: read, Written: written})
		}
	}
	return drivers, nil
}

// On finds the driver of a volume by its name.
func On(drivers []Driver, name string) (*Driver, bool) {
	i := slices.IndexFunc(drivers, func(d Driver) bool { return slices.Contains(d.Names, name) })
	if i < 0 {
		return nil, false
	}
	return &drivers[i], true
}

// bsdNames gathers the names of an entry of the registry and of those below it.
func bsdNames(entry dict, names []string) []string {
	if name := entry.Text("BSD Name"); name != "" {
		names = append(names, name)
	}
	for _, child := range entry.List("IORegistryEntryChildren") {
		names = bsdNames(child, names)
	}
	return names
}
