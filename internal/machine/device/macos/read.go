package macos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"howett.net/plist"
)

// dict is a dictionary of a capture. Its accessors take what is missing, or of another type than expected, for unknown:
// keys come, go and change between versions of macOS.
type dict map[string]any

func (d dict) text(key string) string {
	s, _ := d[key].(string)
	return strings.TrimSpace(s)
}

// number is an integer; false if there is none.
func (d dict) number(key string) (int64, bool) {
	switch n := d[key].(type) {
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	case uint64:
		return int64(n), n <= math.MaxInt64
	case int64:
		return n, true
	}
	return 0, false
}

// bits are the 64 bits of an identifier, which ioreg prints with or without a sign.
func (d dict) bits(key string) (uint64, bool) {
	switch n := d[key].(type) {
	case uint64:
		return n, true
	case int64:
		return uint64(n), true
	}
	return 0, false
}

// flag is a yes or no, as the tools spell it; nil if there is neither.
func (d dict) flag(key string) *bool {
	switch v := d[key].(type) {
	case bool:
		return &v
	case string:
		switch strings.ToLower(v) {
		case "yes", "true", "spnvme_yes":
			return new(true)
		case "no", "false", "spnvme_no":
			return new(false)
		}
	}
	return nil
}

func (d dict) dict(key string) dict {
	v, _ := d[key].(map[string]any)
	return v
}

// list are the dictionaries of an array. If there is one, ioreg -t gives it without its array.
func (d dict) list(key string) []dict { return dicts(d[key]) }

func dicts(v any) []dict {
	switch v := v.(type) {
	case []any:
		var list []dict
		for _, e := range v {
			if d, ok := e.(map[string]any); ok {
				list = append(list, d)
			}
		}
		return list
	case map[string]any:
		return []dict{v}
	}
	return nil
}

func (m *machine) warn(what string, err error) {
	m.inventory.Warnings = append(m.inventory.Warnings, fmt.Sprintf("%s: the answer cannot be read, so what it reports stays unknown: %v", what, err))
}

// readProfile reads the answer of system_profiler: its data types, with what each lists.
func (m *machine) readProfile(capture []byte) map[string][]dict {
	if len(capture) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(capture))
	decoder.UseNumber()
	var answer map[string]any
	if err := decoder.Decode(&answer); err != nil {
		m.warn("system_profiler", err)
		return nil
	}
	profile := map[string][]dict{}
	for name, list := range answer {
		profile[name] = dicts(list)
	}
	return profile
}

// readPlist reads an answer of diskutil.
func (m *machine) readPlist(what string, capture []byte) dict {
	v, _ := m.decode(what, capture).(map[string]any)
	return v
}

// readRegistry reads an answer of ioreg, which lists trees. It prints nothing if it finds none.
func (m *machine) readRegistry(what string, capture []byte) []dict {
	return dicts(m.decode(what, capture))
}

func (m *machine) decode(what string, capture []byte) any {
	if len(capture) == 0 {
		return nil
	}
	v, err := decode(capture)
	if err != nil {
		m.warn(what, err)
		return nil
	}
	return v
}

// decode reads a property list.
func decode(capture []byte) (any, error) {
	var v any
	if _, err := plist.Unmarshal(printable(capture), &v); err != nil {
		return nil, err
	}
	return v, nil
}

// printable replaces the control characters that firmware leaves in names: ioreg passes them on, and XML has none.
func printable(capture []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return ' '
		}
		return r
	}, capture)
}

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
