package gauge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/internal/machine/libsystem"
	"github.com/hubbench/hubbench/pkg/trace"
)

// macEvery is how often the registry is asked. It takes a process that runs for some hundredths of
// a second.
const macEvery = 5 * time.Second

// find finds the meter of the disk behind a folder, or of the disks that a set behind it consists
// of.
func find(ctx context.Context, folder string) (*meter, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return nil, err
	}
	volume, _ := macos.VolumeOf(unix.ByteSliceToString(st.Mntfromname[:]), "")
	if volume == "" {
		return nil, errUnknown
	}
	drivers := func(ctx context.Context) (macos.Driver, error) {
		text, err := registry(ctx, "-l", "-c", "IOBlockStorageDriver")
		if err != nil {
			return macos.Driver{}, err
		}
		return macos.DriverOf(text, volume)
	}
	driver, err := drivers(ctx)
	if err != nil {
		return nil, err
	}
	m := &meter{key: strings.Join(driver.Disks, "+"), every: macEvery}
	if driver.Set != "" {
		m.key = driver.Set + " on " + m.key
	}
	for _, disk := range driver.Disks {
		m.parts = append(m.parts, "/dev/"+disk)
	}
	m.count = func(ctx context.Context) (Counters, error) {
		now, err := drivers(ctx)
		return Counters{Read: now.Read, Written: now.Written, Failures: &now.Failures}, err
	}
	return m, nil
}

// links reads what the slowest link on the way to each device has negotiated. A Mac's own disks
// have none.
func links(meters []*meter) Source {
	read := func(ctx context.Context) (all []Reading, err error) {
		drivers, err := registry(ctx, "-l", "-t", "-c", "IOBlockStorageDriver")
		if err != nil {
			return nil, err
		}
		routers, err := registry(ctx, "-l", "-c", "IOThunderboltSwitch")
		if err != nil {
			return nil, err
		}
		rates, err := macos.LinkRates(drivers, routers)
		for _, m := range meters {
			slowest := int64(math.MaxInt64)
			for _, device := range m.parts {
				rate := rates[strings.TrimPrefix(device, "/dev/")]
				slowest = min(slowest, cmp.Or(rate, slowest))
			}
			if slowest < math.MaxInt64 {
				all = append(all, m.each(trace.LinkState, float64(slowest))...)
			}
		}
		return all, err
	}
	return Source{Name: "links", Every: macEvery, AtEnd: true, Read: read}
}

// registry returns what ioreg prints of the entries that its arguments name, as a property list.
func registry(ctx context.Context, args ...string) ([]byte, error) {
	// If it is not there, no process is needed to find that out.
	tool, err := exec.LookPath("/usr/sbin/ioreg")
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	text, err := exec.CommandContext(ctx, tool, append([]string{"-a", "-r"}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	return text, nil
}

// whole reads the links of all devices by the same few calls, and how busy the performance cores
// are: where macOS does not say which ones these are, all cores.
func whole(ctx context.Context, meters []*meter) []Source {
	var sources []Source
	if len(meters) > 0 {
		sources = append(sources, links(meters))
	}
	read := libsystem.NewCores()
	cores, err := read()
	if err != nil {
		return sources
	}
	count, _ := unix.SysctlUint32("hw.perflevel0.logicalcpu")         // 0 on an Intel Mac
	answer, _ := registry(ctx, "-l", "-d", "1", "-k", "cluster-type") // empty if it fails
	fast := macos.FastCores(answer, len(cores), int(count))
	return append(sources, cpuSource(func() (t cpuTimes, err error) {
		cores, err := read()
		t.busy, t.total = macos.Load(cores, fast)
		return t, err
	}))
}
