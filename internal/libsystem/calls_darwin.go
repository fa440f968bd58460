package libsystem

import (
	"syscall"
	"unsafe"
)

// Implemented in package syscall: calls a function of the library and takes -1 for an error.
//
//go:linkname syscall_syscall syscall.syscall
func syscall_syscall(fn, a1, a2, a3 uintptr) (r1, r2 uintptr, err syscall.Errno)

// The addresses of the jumps in calls_darwin.s, which puts them here.
//
//nolint:gochecknoglobals // constants of the linker
var libc_mincore_trampoline_addr, libc_getiopolicy_np_trampoline_addr uintptr

//go:cgo_import_dynamic libc_mincore mincore "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_getiopolicy_np getiopolicy_np "/usr/lib/libSystem.B.dylib"

// Mincore tells of each page of the mapping p whether it is in memory, by the lowest bit of a byte of pages. See mincore(2);
// vmtouch counts by the same.
func Mincore(p, pages []byte) error {
	_, _, errno := syscall_syscall(libc_mincore_trampoline_addr, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), uintptr(unsafe.Pointer(&pages[0])))
	if errno != 0 {
		return errno
	}
	return nil
}

// What IOPolicy is asked about, and what it answers: <sys/resource.h>.
const (
	PolicyDisk     = 0 // IOPOL_TYPE_DISK
	ScopeProcess   = 0 // IOPOL_SCOPE_PROCESS
	PolicyThrottle = 3 // IOPOL_THROTTLE: waits whenever anybody else moves bytes
	PolicyUtility  = 4 // IOPOL_UTILITY: the same, less so
)

// IOPolicy is the policy of the process or thread for requests of a kind. See getiopolicy_np(3).
func IOPolicy(kind, scope int) (int, error) {
	policy, _, errno := syscall_syscall(libc_getiopolicy_np_trampoline_addr, uintptr(kind), uintptr(scope), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(policy), nil
}
