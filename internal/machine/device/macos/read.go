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

// DriverOf finds the driver of the disk that holds a volume in the answer to ioreg -a -l -r -c IOBlockStorageDriver: a
// property list of drivers with the devices below them. The names of the counters are those of IOKit's
// IOBlockStorageDriver.h. A driver without them is passed over.
func DriverOf(answer []byte, volume string) (Driver, error) {
	trees, err := decode(answer)
	if err != nil {
		return Driver{}, fmt.Errorf("ioreg: %w", err)
	}
	for _, entry := range capture.Dicts(trees) {
		statistics := entry.Dict("Statistics")
		read, okRead := statistics.Number("Bytes (Read)")
		written, okWritten := statistics.Number("Bytes (Write)")
		if names := bsdNames(entry); okRead && okWritten && slices.Contains(names, volume) {
			return Driver{Names: names, Read: read, Written: written}, nil
		}
	}
	return Driver{}, fmt.Errorf("ioreg: no disk counts what it moves and holds %q", volume)
}

// bsdNames gathers the names of an entry of the registry and of those below it.
func bsdNames(entry dict) (names []string) {
	for _, d := range flat([]dict{entry}) {
		if name := d.Text("BSD Name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// flat lists the entries of trees, each before those below it.
func flat(trees []dict) (entries []dict) {
	for _, d := range trees {
		entries = append(append(entries, d), flat(d.List("IORegistryEntryChildren"))...)
	}
	return entries
}
