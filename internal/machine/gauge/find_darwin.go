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

// find finds the meter of the disk behind a folder.
func find(ctx context.Context, folder string) (*meter, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return nil, err
	}
	driver, err := ioreg(ctx, filepath.Base(unix.ByteSliceToString(st.Mntfromname[:])))
	if err != nil {
		return nil, err
	}
	disk := driver.Names[0]
	return &meter{key: disk, smart: "/dev/" + disk, every: macEvery, count: func(ctx context.Context) (Counters, error) {
		now, err := ioreg(ctx, disk)
		return Counters{Read: now.Read, Written: now.Written}, err
	}}, nil
}

// ioreg asks the registry for the driver of the disk that holds a volume.
func ioreg(ctx context.Context, volume string) (driver macos.Driver, err error) {
	tool, err := exec.LookPath("/usr/sbin/ioreg") // if it is not there, no process is needed to find that out
	if err != nil {
		return driver, fmt.Errorf("ioreg: %w", err)
	}
	text, err := exec.CommandContext(ctx, tool, "-a", "-l", "-r", "-c", "IOBlockStorageDriver").Output()
	if err != nil {
		return driver, fmt.Errorf("ioreg: %w", err)
	}
	return macos.DriverOf(text, volume)
}

// cpu: how busy the cores are takes a call that only C programs can make.
func cpu() []Source { return nil }
