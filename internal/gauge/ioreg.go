package gauge

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// driver is one of macOS' block storage drivers: the counters of a physical disk, and the BSD names of all that lies on
// it, the whole disk first: disk4, disk4s2, and of the APFS container that disk4s2 holds disk5 and disk5s1.
type driver struct {
	names []string
	moved Counters
}

// on finds the driver of a volume.
func on(drivers []driver, name string) (*driver, bool) {
	i := slices.IndexFunc(drivers, func(d driver) bool { return slices.Contains(d.names, name) })
	if i < 0 {
		return nil, false
	}
	return &drivers[i], true
}

// parseIOReg reads the answer to ioreg -a -l -r -c IOBlockStorageDriver: a property list of drivers with the devices
// below them. The names of the counters are those of IOKit's IOBlockStorageDriver.h. A driver without them is left out.
func parseIOReg(text []byte) ([]driver, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil // no such driver
	}
	in := xml.NewDecoder(bytes.NewReader(text))
	in.Strict = false // control characters in the names of devices
	root, err := plist(in)
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	list, ok := root.([]any)
	if !ok {
		list = []any{root}
	}
	var drivers []driver
	for _, entry := range list {
		entry, _ := entry.(map[string]any)
		statistics, _ := entry["Statistics"].(map[string]any)
		read, okRead := statistics["Bytes (Read)"].(int64)
		written, okWritten := statistics["Bytes (Write)"].(int64)
		if !okRead || !okWritten {
			continue
		}
		drivers = append(drivers, driver{names: bsdNames(entry, nil), moved: Counters{Read: read, Written: written}})
	}
	return drivers, nil
}

// bsdNames gathers the names below an entry of the registry.
func bsdNames(entry map[string]any, names []string) []string {
	if name, ok := entry["BSD Name"].(string); ok {
		names = append(names, name)
	}
	children, _ := entry["IORegistryEntryChildren"].([]any)
	for _, child := range children {
		if child, ok := child.(map[string]any); ok {
			names = bsdNames(child, names)
		}
	}
	return names
}

// maxDepth bounds how deep a property list may nest; the registry is some twenty levels deep, at two lists a level.
const maxDepth = 200

// plist reads the value of a property list in XML: dictionaries, arrays, strings and integers. Others are nil.
func plist(in *xml.Decoder) (any, error) {
	for {
		token, err := in.Token()
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local != "plist" {
			return value(in, start, 0)
		}
	}
}

func value(in *xml.Decoder, start xml.StartElement, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deep")
	}
	switch start.Name.Local {
	case "dict":
		dict, key := map[string]any{}, ""
		err := elements(in, func(e xml.StartElement) (err error) {
			if e.Name.Local == "key" {
				key, err = characters(in)
				return err
			}
			dict[key], err = value(in, e, depth+1)
			return err
		})
		return dict, err
	case "array":
		var list []any
		err := elements(in, func(e xml.StartElement) error {
			v, err := value(in, e, depth+1)
			list = append(list, v)
			return err
		})
		return list, err
	}
	text, err := characters(in)
	switch start.Name.Local {
	case "string":
		return text, err
	case "integer":
		if n, bad := strconv.ParseInt(strings.TrimSpace(text), 0, 64); bad == nil {
			return n, err
		}
	}
	return nil, err
}

// elements calls each for the elements up to the end of the one in hand.
func elements(in *xml.Decoder, each func(xml.StartElement) error) error {
	for {
		token, err := in.Token()
		switch {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if err := each(token); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// characters is the text up to the end of the element in hand.
func characters(in *xml.Decoder) (string, error) {
	var text strings.Builder
	for {
		token, err := in.Token()
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			if err := in.Skip(); err != nil {
				return "", err
			}
		case xml.EndElement:
			return text.String(), nil
		}
	}
}
