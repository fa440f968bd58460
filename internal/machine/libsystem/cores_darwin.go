package libsystem

import (
	"fmt"
	"unsafe"
)

//nolint:gochecknoglobals // constants of the linker
var hostSelfAddress, taskSelfAddress, processorInfoAddress, deallocateAddress uintptr

//go:cgo_import_dynamic libc_mach_host_self mach_host_self "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_mach_task_self mach_task_self "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_host_processor_info host_processor_info "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic libc_vm_deallocate vm_deallocate "/usr/lib/libSystem.B.dylib"

// Ticks are how long one core has been in each of its states, in units of 10 ms: user, system, idle
// and nice, as <mach/machine.h> numbers them. They wrap around.
type Ticks [4]uint32

// NewCores returns the function that reads the ticks of each core. It holds the one port of the
// host that it asks: each call of mach_host_self would add a reference to it.
func NewCores() func() ([]Ticks, error) {
	host, _, _ := call(hostSelfAddress, 0, 0, 0, 0, 0, 0)
	task, _, _ := call(taskSelfAddress, 0, 0, 0, 0, 0, 0)
	return func() ([]Ticks, error) {
		const cpuLoad = 2 // PROCESSOR_CPU_LOAD_INFO of <mach/processor_info.h>
		var cores, integers uint32
		var answer *Ticks // in memory that must be given back
		status, _, _ := call(processorInfoAddress, host, cpuLoad, uintptr(unsafe.Pointer(&cores)),
			uintptr(unsafe.Pointer(&answer)), uintptr(unsafe.Pointer(&integers)), 0)
		if code := int32(status); code != 0 || answer == nil { // A kern_return_t has 32 bits.
			return nil, fmt.Errorf("host_processor_info: error %d", code)
		}
		ticks := append([]Ticks(nil), unsafe.Slice(answer, cores)...)
		size := 4 * uintptr(integers)
		_, _, _ = call(deallocateAddress, task, uintptr(unsafe.Pointer(answer)), size, 0, 0, 0)
		return ticks, nil
	}
}
