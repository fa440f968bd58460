package diskio

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newBuffer takes n bytes outside the garbage collector's heap, aligned to a page.
func newBuffer(n int64) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of buffers: %w", n, err)
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n), nil
}

func freeBuffer(p []byte) {
	// It can fail only for memory that is not ours.
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(p))), 0, windows.MEM_RELEASE)
}
