// Package libsystem calls those functions of macOS's own library that golang.org/x/sys/unix has no
// name for, without cgo: the library is the only interface that Apple keeps stable, and its system
// call numbers are not. On other systems there is no such package. Start at Mincore.
//
// It reaches the library as x/sys does, by a linkname that Go's linker allows. No library spares
// it: x/sys exports no call by a function's address, and has neither mincore, the policies nor Mach
// (v0.50.0). purego takes more linknames, puts a C runtime of its own below Go's, which the tests
// on other systems cannot load, and saves no line (v0.11.3).
package libsystem

import (
	"syscall"
	"unsafe"
)

// call calls a function of the library, and takes -1 for an error. Package syscall has its body.
//
//go:linkname call syscall.syscall6
//nolint:revive // It has as many arguments.
func call(fn, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err syscall.Errno)

// The addresses of the jumps in calls_darwin.s, which puts them here.
//
//nolint:gochecknoglobals // constants of the linker
var mincoreAddress, diskPolicyAddress, setPolicyAddress uintptr

//go:cgo_import_dynamic libc_setiopolicy_np setiopolicy_np "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mincore mincore "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getiopolicy_np getiopolicy_np "/usr/lib/libSystem.B.dylib"

// Mincore reports of each page of the mapping p whether it is in memory, by the lowest bit of a
// byte of pages. See mincore(2); vmtouch counts by the same.
func Mincore(p, pages []byte) error {
	_, _, errno := call(mincoreAddress, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)),
		uintptr(unsafe.Pointer(&pages[0])), 0, 0, 0)
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
	_, _, errno := call(setPolicyAddress, typeSmallWrites, scopeProcess, smallWritesOn,
		0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// DiskPolicy returns the process's policy for its requests to disks, one of the IOPOL_ numbers of
// getiopolicy_np(3).
func DiskPolicy() (int, error) {
	policy, _, errno := call(diskPolicyAddress, typeDisk, scopeProcess, 0, 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(policy), nil
}
