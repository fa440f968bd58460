#include "textflag.h"

// A jump for each function, to which the library's loader binds it.

TEXT libc_mincore_trampoline<>(SB),NOSPLIT,$0-0
	JMP	libc_mincore(SB)
GLOBL	·libc_mincore_trampoline_addr(SB), RODATA, $8
DATA	·libc_mincore_trampoline_addr(SB)/8, $libc_mincore_trampoline<>(SB)

TEXT libc_getiopolicy_np_trampoline<>(SB),NOSPLIT,$0-0
	JMP	libc_getiopolicy_np(SB)
GLOBL	·libc_getiopolicy_np_trampoline_addr(SB), RODATA, $8
DATA	·libc_getiopolicy_np_trampoline_addr(SB)/8, $libc_getiopolicy_np_trampoline<>(SB)
