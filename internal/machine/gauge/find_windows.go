package gauge

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Codes of winioctl.h that golang.org/x/sys does not have. Both ask for no right to the disk.
const (
	ioctlDiskPerformance        = 0x00070020
	ioctlStorageGetDeviceNumber = 0x002D1080
)

// Find returns what can be read of the disks and of this host.
func (f *Finder) Find(_ context.Context, disks []Disk) []Source {
	var sources []Source
	for _, m := range group(disks, find) {
		sources = append(sources, f.sources(m)...)
	}
	return append(sources, cpuSource(systemTimes))
}

// Count reads the counters of the disk behind a folder.
func Count(ctx context.Context, path string) (Counters, error) {
	m, err := find(path)
	if err != nil {
		return Counters{}, err
	}
	return m.count(ctx)
}

// find is the meter of the disk behind a folder. A volume across several disks has none.
func find(path string) (*meter, error) {
	at, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	root := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumePathName(at, &root[0], uint32(len(root))); err != nil {
		return nil, err
	}
	volume := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumeNameForVolumeMountPoint(&root[0], &volume[0], uint32(len(volume))); err != nil {
		return nil, err
	}
	answer, err := ask(strings.TrimSuffix(windows.UTF16ToString(volume), `\`), ioctlStorageGetDeviceNumber, 12)
	if err != nil {
		return nil, err
	}
	number, err := parseDeviceNumber(answer)
	if err != nil {
		return nil, err
	}
	disk := fmt.Sprintf(`\\.\PhysicalDrive%d`, number)
	return &meter{key: disk, smart: fmt.Sprintf("/dev/pd%d", number), count: func(context.Context) (Counters, error) {
		answer, err := ask(disk, ioctlDiskPerformance, performanceBytes)
		if err != nil {
			return Counters{}, err
		}
		return parsePerformance(answer)
	}}, nil
}

// ask sends a device a control code and returns its answer.
func ask(device string, code uint32, size int) ([]byte, error) {
	name, err := windows.UTF16PtrFromString(device)
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", device, err)
	}
	defer func() { _ = windows.CloseHandle(handle) }() // nothing was written
	answer := make([]byte, size)
	var n uint32
	if err := windows.DeviceIoControl(handle, code, nil, 0, &answer[0], uint32(size), &n, nil); err != nil {
		return nil, fmt.Errorf("ask %s for %#x: %w", device, code, err)
	}
	return answer[:n], nil
}

var getSystemTimes = windows.NewLazySystemDLL("kernel32.dll").NewProc("GetSystemTimes")

// systemTimes reads what all cores have done so far: kernel time has idle time in it.
func systemTimes() (cpuTimes, error) {
	var idle, kernel, user windows.Filetime
	ok, _, err := getSystemTimes.Call(uintptr(unsafe.Pointer(&idle)), uintptr(unsafe.Pointer(&kernel)), uintptr(unsafe.Pointer(&user)))
	if ok == 0 {
		return cpuTimes{}, fmt.Errorf("GetSystemTimes: %w", err)
	}
	of := func(t windows.Filetime) float64 { return float64(t.HighDateTime)*(1<<32) + float64(t.LowDateTime) } // 100 ns
	total := of(kernel) + of(user)
	return cpuTimes{busy: total - of(idle), total: total}, nil
}
