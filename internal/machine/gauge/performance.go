package gauge

import (
	"encoding/binary"
	"fmt"
)

// performanceBytes is the size of Windows' DISK_PERFORMANCE, whose first two fields are the bytes read and written:
// https://learn.microsoft.com/windows/win32/api/winioctl/ns-winioctl-disk_performance
const performanceBytes = 88

// parsePerformance reads the answer to IOCTL_DISK_PERFORMANCE.
func parsePerformance(answer []byte) (Counters, error) {
	if len(answer) < 16 {
		return Counters{}, fmt.Errorf("IOCTL_DISK_PERFORMANCE: %d bytes", len(answer))
	}
	return Counters{
		Read: int64(binary.LittleEndian.Uint64(answer)), Written: int64(binary.LittleEndian.Uint64(answer[8:])),
	}, nil
}

// parseDeviceNumber reads the answer to IOCTL_STORAGE_GET_DEVICE_NUMBER: the kind of device (7 is a disk), its number and
// the partition's.
func parseDeviceNumber(answer []byte) (uint32, error) {
	const disk = 7 // FILE_DEVICE_DISK
	if len(answer) < 12 || binary.LittleEndian.Uint32(answer) != disk {
		return 0, errUnknown
	}
	return binary.LittleEndian.Uint32(answer[4:]), nil
}
