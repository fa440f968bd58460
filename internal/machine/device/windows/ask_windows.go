package windows

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The questions of winioctl.h, not all in golang.org/x/sys, that a handle without any right may ask.
const (
	DiskPerformance = 0x00070020
	GetDeviceNumber = 0x002D1080
)

var errShort = errors.New("its answer is too short")

// Ask asks a device such as \\.\C: a question, and takes the answer.
func Ask[T any](device string, code uint32, answer *T) error {
	name, err := windows.UTF16PtrFromString(device)
	if err != nil {
		return err
	}
	const others = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE
	handle, err := windows.CreateFile(name, 0, others, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", device, err)
	}
	defer func() { _ = windows.CloseHandle(handle) }() // nothing was written
	var n uint32
	out, size := (*byte)(unsafe.Pointer(answer)), uint32(unsafe.Sizeof(*answer))
	if err := windows.DeviceIoControl(handle, code, nil, 0, out, size, &n, nil); err != nil || n < 12 {
		return fmt.Errorf("ask %s for %#x: %d bytes: %w", device, code, n, cmp.Or(err, errShort))
	}
	return nil
}
