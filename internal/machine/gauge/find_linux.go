package gauge

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/trace"
)

const sys sysfs = "/sys"

// Find returns what can be read of the disks and of this host.
func (f *Finder) Find(_ context.Context, disks []Disk) []Source {
	var sources []Source
	for _, m := range group(disks, sys.find) {
		sources = append(sources, f.sources(m)...)
	}
	return append(sources, cpuSource(func() (cpuTimes, error) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			return cpuTimes{}, err
		}
		return parseStat(string(text))
	}))
}

// Count reads the counters of the disk behind a folder.
func Count(ctx context.Context, path string) (Counters, error) {
	m, err := sys.find(path)
	if err != nil {
		return Counters{}, err
	}
	return m.count(ctx)
}

// find is the meter of the disk behind a folder. File systems with device numbers of their own, such as Btrfs and
// ZFS, and networks have none.
func (s sysfs) find(path string) (*meter, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return nil, err
	}
	disk, err := s.disk(unix.Major(st.Dev), unix.Minor(st.Dev))
	if err != nil {
		return nil, err
	}
	m := &meter{key: disk, smart: "/dev/" + filepath.Base(disk)}
	m.count = func(context.Context) (Counters, error) { return s.counters(disk) }
	if file := s.thermometer(disk); file != "" {
		m.warm = true
		warmth := m.value(trace.Temperature, func() (float64, error) { return s.celsius(file) })
		if !strings.HasPrefix(filepath.Base(disk), "nvme") {
			warmth.Every = slowEvery
		}
		m.more = append(m.more, warmth)
	}
	if port := s.usbPort(disk); port != "" {
		m.more = append(m.more, m.value(trace.LinkState, func() (float64, error) { return s.linkRate(port) }))
	}
	return m, nil
}

func (m *meter) value(name string, read func() (float64, error)) Source {
	return Source{Name: name + " of " + m.key, Every: Every, Read: func(context.Context) ([]Reading, error) {
		v, err := read()
		if err != nil {
			return nil, err
		}
		return m.each(name, v), nil
	}}
}
