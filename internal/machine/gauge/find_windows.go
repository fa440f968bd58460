package gauge

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	disks "github.com/hubbench/hubbench/internal/machine/device/windows"
)

// find finds the meter of the disk behind a folder. A volume across several disks has none.
func find(_ context.Context, folder string) (*meter, error) {
	at, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return nil, err
	}
	root, volume := make([]uint16, windows.MAX_PATH), make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumePathName(at, &root[0], uint32(len(root))); err != nil {
		return nil, err
	}
	if err := windows.GetVolumeNameForVolumeMountPoint(&root[0], &volume[0],
		uint32(len(volume))); err != nil {
		return nil, err
	}
	var device struct{ Type, Number, Partition uint32 }
	name := strings.TrimSuffix(windows.UTF16ToString(volume), `\`)
	if err := disks.Ask(name, disks.GetDeviceNumber, &device); err != nil {
		return nil, err
	}
	if device.Type != 7 { // FILE_DEVICE_DISK
		return nil, errUnknown
	}
	disk := fmt.Sprintf(`\\.\PhysicalDrive%d`, device.Number)
	count := func(context.Context) (Counters, error) {
		// https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-disk_performance
		var performance struct {
			Read, Written int64
			_             [72]byte
		}
		err := disks.Ask(disk, disks.DiskPerformance, &performance)
		return Counters{Read: performance.Read, Written: performance.Written}, err
	}
	smart := fmt.Sprintf("/dev/pd%d", device.Number)
	return &meter{key: disk, parts: []string{smart}, count: count}, nil
}

// whole reads how busy the cores are.
func whole(context.Context, []*meter) []Source {
	getSystemTimes := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemTimes")
	return []Source{cpuSource(func() (cpuTimes, error) {
		// What all cores have done so far: kernel time has idle time in it.
		var idle, kernel, user windows.Filetime
		ok, _, err := getSystemTimes.Call(uintptr(unsafe.Pointer(&idle)),
			uintptr(unsafe.Pointer(&kernel)),
			uintptr(unsafe.Pointer(&user)))
		if ok == 0 {
			return cpuTimes{}, fmt.Errorf("GetSystemTimes: %w", err)
		}
		// A Filetime counts steps of 100 ns.
		steps := func(t windows.Filetime) float64 {
			return float64(t.HighDateTime)*(1<<32) + float64(t.LowDateTime)
		}
		total := steps(kernel) + steps(user)
		return cpuTimes{busy: total - steps(idle), total: total}, nil
	})}
}
