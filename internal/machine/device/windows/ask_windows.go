package windows

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The questions of winioctl.h, not all in golang.org/x/sys, that a handle without any right may
// ask.
const (
	DiskPerformance = 0x00070020
	GetDeviceNumber = 0x002D1080
	queryProperty   = 0x002D1400
)

var errShort = errors.New("its answer is too short")

// WriteCache reports whether a disk such as PhysicalDrive1 collects in its own cache what is
// written to it, which its policy "Quick removal" turns off; nil if that cannot be known.
func WriteCache(disk string) *bool {
	// The answer is STORAGE_WRITE_CACHE_PROPERTY of winioctl.h.
	const writeCacheProperty, off, on = 4, 1, 2
	query := [3]uint32{writeCacheProperty}
	var answer struct {
		Version, Size, Kind, Enabled, Changeable, WriteThrough uint32
		_                                                      [4]byte
	}
	err := request(`\\.\`+disk, queryProperty, &query, &answer)
	if err != nil || answer.Enabled != on && answer.Enabled != off {
		return nil
	}
	return new(answer.Enabled == on)
}

// Ask asks a device such as \\.\C: a question, and takes the answer.
func Ask[T any](device string, code uint32, answer *T) error {
	return request(device, code, (*struct{})(nil), answer)
}

// request is Ask for a question of several words.
func request[Q, T any](device string, code uint32, question *Q, answer *T) error {
	name, err := windows.UTF16PtrFromString(device)
	if err != nil {
		return err
	}
	const others = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE
	handle, err := windows.CreateFile(name, 0, others, nil, windows.OPEN_EXISTING, 0, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", device, err)
	}
	defer func() { _ = windows.CloseHandle(handle) }() // Nothing was written.
	var n uint32
	out, size := (*byte)(unsafe.Pointer(answer)), uint32(unsafe.Sizeof(*answer))
	in, length := (*byte)(unsafe.Pointer(question)), uint32(unsafe.Sizeof(*question))
	err = windows.DeviceIoControl(handle, code, in, length, out, size, &n, nil)
	if err != nil || n < 12 {
		return fmt.Errorf("ask %s for %#x: %d bytes: %w", device, code, n, cmp.Or(err, errShort))
	}
	return nil
}
