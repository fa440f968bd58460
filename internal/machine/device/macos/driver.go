package macos

import (
	"bytes"
	"fmt"
	"slices"
)

// Driver is one of macOS' block storage drivers: what a physical disk has moved, and the BSD names of all that lies on it,
// the whole disk first: disk4, disk4s2, and of the APFS container that disk4s2 holds disk5 and disk5s1.
type Driver struct {
	Names         []string
	Read, Written int64 // bytes since it was plugged in
}

// Drivers reads the answer to ioreg -a -l -r -c IOBlockStorageDriver: a property list of drivers with the devices below
// them. The names of the counters are those of IOKit's IOBlockStorageDriver.h. A driver without them is left out.
func Drivers(capture []byte) ([]Driver, error) {
	if len(bytes.TrimSpace(capture)) == 0 {
		return nil, nil // no such driver
	}
	answer, err := decode(capture)
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	var drivers []Driver
	for _, entry := range dicts(answer) {
		statistics := entry.dict("Statistics")
		read, okRead := statistics.number("Bytes (Read)")
		written, okWritten := statistics.number("Bytes (Write)")
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
	if name := entry.text("BSD Name"); name != "" {
		names = append(names, name)
	}
	for _, child := range entry.list("IORegistryEntryChildren") {
		names = bsdNames(child, names)
	}
	return names
}
