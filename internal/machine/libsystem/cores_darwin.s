#include "textflag.h"

// A jump for each function, to which the library's loader binds it.

TEXT jumpToMachHostSelf<>(SB),NOSPLIT,$0-0
	JMP	libc_mach_host_self(SB)
GLOBL	·hostSelfAddress(SB), RODATA, $8
DATA	·hostSelfAddress(SB)/8, $jumpToMachHostSelf<>(SB)

TEXT jumpToMachTaskSelf<>(SB),NOSPLIT,$0-0
	JMP	libc_mach_task_self(SB)
GLOBL	·taskSelfAddress(SB), RODATA, $8
DATA	·taskSelfAddress(SB)/8, $jumpToMachTaskSelf<>(SB)

TEXT jumpToHostProcessorInfo<>(SB),NOSPLIT,$0-0
	JMP	libc_host_processor_info(SB)
GLOBL	·processorInfoAddress(SB), RODATA, $8
DATA	·processorInfoAddress(SB)/8, $jumpToHostProcessorInfo<>(SB)

TEXT jumpToVMDeallocate<>(SB),NOSPLIT,$0-0
	JMP	libc_vm_deallocate(SB)
GLOBL	·deallocateAddress(SB), RODATA, $8
DATA	·deallocateAddress(SB)/8, $jumpToVMDeallocate<>(SB)
