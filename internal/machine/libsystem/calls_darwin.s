#include "textflag.h"

// A jump for each function, to which the library's loader binds it.

TEXT jumpToMincore<>(SB),NOSPLIT,$0-0
	JMP	libc_mincore(SB)
GLOBL	·mincoreAddress(SB), RODATA, $8
DATA	·mincoreAddress(SB)/8, $jumpToMincore<>(SB)

TEXT jumpToSetPolicy<>(SB),NOSPLIT,$0-0
	JMP	libc_setiopolicy_np(SB)
GLOBL	·setPolicyAddress(SB), RODATA, $8
DATA	·setPolicyAddress(SB)/8, $jumpToSetPolicy<>(SB)

TEXT jumpToDiskPolicy<>(SB),NOSPLIT,$0-0
	JMP	libc_getiopolicy_np(SB)
GLOBL	·diskPolicyAddress(SB), RODATA, $8
DATA	·diskPolicyAddress(SB)/8, $jumpToDiskPolicy<>(SB)
