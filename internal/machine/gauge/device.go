package gauge

import (
	"cmp"
	"context"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// meter is one physical device and the disks on it: two names may stand for one.
type meter struct {
	key   string // the system's name of the device
	smart string // what smartctl knows it by; empty for none
	disks []string
	count func(ctx context.Context) (Counters, error)
	every time.Duration // between counts, if they cost much; else 0
	more  []Source      // its other sources
	warm  bool          // its temperature is among that
}

// group groups disks by device; find is called for each. Disks that are not on a known device are left out.
func group(disks []Disk, find func(path string) (*meter, error)) []*meter {
	var meters []*meter
	byKey := map[string]*meter{}
	for _, d := range disks {
		m, err := find(d.Path)
		if err != nil {
			continue
		}
		if known := byKey[m.key]; known != nil {
			m = known
		} else {
			byKey[m.key] = m
			meters = append(meters, m)
		}
		m.disks = append(m.disks, d.Name)
	}
	return meters
}

// sources are all that can be read of a device.
func (f *Finder) sources(m *meter) []Source {
	out := append([]Source{m.counters()}, m.more...)
	if s, ok := f.thermometer(m); ok && !m.warm {
		out = append(out, s)
	}
	return out
}

// counters is the source of a device's counters.
func (m *meter) counters() Source {
	return Source{Name: "counters of " + m.key, Every: cmp.Or(m.every, Every), Total: true, Read: func(ctx context.Context) ([]Reading, error) {
		c, err := m.count(ctx)
		if err != nil {
			return nil, err
		}
		return append(m.each(trace.DeviceRead, float64(c.Read)), m.each(trace.DeviceWrite, float64(c.Written))...), nil
	}}
}

// each is a value of the device, for every disk on it.
func (m *meter) each(name string, value float64) []Reading {
	out := make([]Reading, 0, 2*len(m.disks))
	for _, disk := range m.disks {
		out = append(out, Reading{Disk: disk, Name: name, Value: value})
	}
	return out
}
