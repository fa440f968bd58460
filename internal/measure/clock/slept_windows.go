package clock

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var unbiased = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// slept: the interrupt time goes on while the machine sleeps, and the unbiased one does not. DurationSinceBoot reads the
// former in steps of some 10 ms.
func slept() time.Duration {
	var awake int64 // in units of 100 ns
	if ok, _, _ := unbiased.Call(uintptr(unsafe.Pointer(&awake))); ok == 0 {
		return 0
	}
	return windows.DurationSinceBoot() - time.Duration(awake)*100
}
