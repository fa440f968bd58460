package gauge

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
)

// macEvery is how often the registry is asked. It takes a process that runs for some hundredths of a second.
const macEvery = 5 * time.Second

// finder returns what finds the meter of the disk behind a folder.
func finder(ctx context.Context) (func(folder string) (*meter, error), error) {
	drivers, err := ioreg(ctx)
	return func(folder string) (*meter, error) {
		var st unix.Statfs_t
		if err := unix.Statfs(folder, &st); err != nil {
			return nil, err
		}
		d, ok := macos.On(drivers, filepath.Base(unix.ByteSliceToString(st.Mntfromname[:])))
		if !ok {
			return nil, errUnknown
		}
		disk := d.Names[0]
		return &meter{key: disk, smart: "/dev/" + disk, every: macEvery, count: func(ctx context.Context) (Counters, error) {
			now, err := ioreg(ctx)
			if err != nil {
				return Counters{}, err
			}
			d, ok := macos.On(now, disk)
			if !ok {
				return Counters{}, fmt.Errorf("disk %s: %w", disk, errUnknown)
			}
			return Counters{Read: d.Read, Written: d.Written}, nil
		}}, nil
	}, err
}

// ioreg asks the registry for the block storage drivers and what lies on them.
func ioreg(ctx context.Context) ([]macos.Driver, error) {
	tool, err := exec.LookPath("/usr/sbin/ioreg") // if it is not there, no process is needed to find that out
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	text, err := exec.CommandContext(ctx, tool, "-a", "-l", "-r", "-c", "IOBlockStorageDriver").Output()
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	return macos.Drivers(text)
}

// cpu: how busy the cores are takes a call that only C programs can make.
func cpu() []Source { return nil }
