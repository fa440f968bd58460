package gauge

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/internal/machine/libsystem"
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
	text, err := registry(ctx, "-l", "-c", "IOBlockStorageDriver")
	if err != nil {
		return driver, err
	}
	return macos.DriverOf(text, volume)
}

// registry is what ioreg prints of the entries that its arguments name, as a property list.
func registry(ctx context.Context, args ...string) ([]byte, error) {
	tool, err := exec.LookPath("/usr/sbin/ioreg") // if it is not there, no process is needed to find that out
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	text, err := exec.CommandContext(ctx, tool, append([]string{"-a", "-r"}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("ioreg: %w", err)
	}
	return text, nil
}

// cpu reads how busy the performance cores are, where macOS says which ones these are, and else all cores.
func cpu(ctx context.Context) []Source {
	read := libsystem.NewCores()
	cores, err := read()
	if err != nil {
		return nil
	}
	count, _ := unix.SysctlUint32("hw.perflevel0.logicalcpu")         // 0 on an Intel Mac
	answer, _ := registry(ctx, "-l", "-d", "1", "-k", "cluster-type") // empty if it fails
	fast := macos.FastCores(answer, len(cores), int(count))
	return []Source{cpuSource(func() (t cpuTimes, err error) {
		cores, err := read()
		t.busy, t.total = macos.Load(cores, fast)
		return t, err
	})}
}
