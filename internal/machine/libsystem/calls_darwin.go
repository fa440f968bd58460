// Package libsystem calls those functions of macOS's own library that golang.org/x/sys/unix has no
// name for, in the way it does, without cgo: the library is the only interface that Apple keeps
// stable, its system call numbers are not. purego would save no line, and puts a C runtime of its
// own below Go's, which the tests on other systems cannot load. On other systems there is no such
// package. Start at Mincore.
package libsystem

import (
	"syscall"
	"unsafe"
)

// Implemented in package syscall: calls a function of the library and takes -1 for an error.
//
//go:linkname call syscall.syscall
func call(fn, a1, a2, a3 uintptr) (r1, r2 uintptr, err syscall.Errno)

// The addresses of the jumps in calls_darwin.s, which puts them here.
//
//nolint:gochecknoglobals // constants of the linker
var mincoreAddress, diskPolicyAddress uintptr

//nolint:gochecknoglobals // a constant of the linker too
var setPolicyAddress uintptr

//go:cgo_import_dynamic libc_setiopolicy_np setiopolicy_np "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mincore mincore "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getiopolicy_np getiopolicy_np "/usr/lib/libSystem.B.dylib"

// Mincore reports of each page of the mapping p whether it is in memory, by the lowest bit of a
// byte of pages. See mincore(2); vmtouch counts by the same.
func Mincore(p, pages []byte) error {
	_, _, errno := call(mincoreAddress, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)),
		uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}

// What the two calls for policies are about, by <sys/resource.h>, and since xnu 10002 (macOS 14) by
// bsd/sys/resource_private.h.
const (
	typeDisk        = 0  // IOPOL_TYPE_DISK
	typeSmallWrites = 12 // IOPOL_TYPE_VFS_NOCACHE_WRITE_FS_BLKSIZE
	scopeProcess    = 0  // IOPOL_SCOPE_PROCESS
	smallWritesOn   = 1  // IOPOL_VFS_NOCACHE_WRITE_FS_BLKSIZE_ON
)

// WriteSmallDirectly has files with F_NOCACHE write single blocks of their file system past the
// cache, from any thread of the process and for as long as it lives. Without it that takes whole
// pages. F_NOCACHE_EXT does the same for one descriptor, and is younger.
func WriteSmallDirectly() error {
	_, _, errno := call(setPolicyAddress, typeSmallWrites, scopeProcess, smallWritesOn)
	if errno != 0 {
		return errno
	}
	return nil
}

// DiskPolicy is the process's policy for its requests to disks, one of the IOPOL_ numbers of
// getiopolicy_np(3).
func DiskPolicy() (int, error) {
	policy, _, errno := call(diskPolicyAddress, typeDisk, scopeProcess, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(policy), nil
}
