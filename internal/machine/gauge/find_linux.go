package gauge

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/pkg/trace"
)

// find finds the meter of the disk behind a folder. File systems with device numbers of their own,
// such as Btrfs and ZFS, and networks have none.
func find(_ context.Context, folder string) (*meter, error) {
	var st unix.Stat_t
	if err := unix.Stat(folder, &st); err != nil {
		return nil, err
	}
	disk, err := linux.FindMeter(os.DirFS("/"),
		fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return nil, err
	}
	name := path.Base(disk.Dir)
	m := &meter{key: disk.Dir, parts: []string{"/dev/" + name}}
	m.count = func(context.Context) (c Counters, err error) {
		c.Read, c.Written, c.Discarded, err = disk.Moved()
		return c, err
	}
	if disk.Thermometer != "" {
		warmth := m.value(trace.Temperature, disk.Celsius)
		if !strings.HasPrefix(name, "nvme") {
			warmth.Every = slowEvery
		}
		m.warm, m.more = true, append(m.more, warmth)
	}
	if disk.Port != "" {
		m.more = append(m.more, m.value(trace.LinkState, disk.LinkRate))
	}
	return m, nil
}

func (m *meter) value(name string, read func() (float64, error)) Source {
	return Source{Name: name + " of " + m.key, Every: Every,
		Read: func(context.Context) ([]Reading, error) {
			v, err := read()
			if err != nil {
				return nil, err
			}
			return m.each(name, v), nil
		}}
}

// whole reads how busy the cores are.
func whole(context.Context, []*meter) []Source {
	return []Source{cpuSource(func() (cpuTimes, error) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			return cpuTimes{}, err
		}
		return parseStat(string(text))
	})}
}
