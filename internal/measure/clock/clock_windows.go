package clock

import (
	"math/bits"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// spinNS is long, because the sleep is relative and Windows wakes sleepers on its tick.
const spinNS = 1_000_000

// counter is the address of the call that reads the performance counter, and perSecond how fast it
// counts: fixed when the machine starts. Neither call can fail since Windows XP.
var (
	kernel32  = windows.NewLazySystemDLL("kernel32.dll")
	counter   = sync.OnceValue(kernel32.NewProc("QueryPerformanceCounter").Addr)
	perSecond = sync.OnceValue(func() uint64 { //nolint:gochecknoglobals // asked once
		var n int64
		_, _, _ = kernel32.NewProc("QueryPerformanceFrequency").Call(uintptr(unsafe.Pointer(&n)))
		return uint64(n)
	})
)

// Now returns the monotonic clock in nanoseconds: the performance counter, which counts from boot
// for every process.
func Now() int64 {
	var ticks int64
	// Not by way of LazyProc.Call, which moves the variable and its arguments to the heap.
	_, _, _ = syscall.SyscallN(counter(), uintptr(unsafe.Pointer(&ticks)))
	// In 128 bits: at 10 MHz the product passes 63 bits after 15 minutes.
	hi, lo := bits.Mul64(uint64(ticks), 1e9)
	ns, _ := bits.Div64(hi, lo, perSecond())
	return int64(ns)
}

// SleepUntil returns soon after the instant ns of Now: no system call takes an absolute one.
func SleepUntil(ns int64) {
	if rest := ns - Now(); rest > 0 {
		time.Sleep(time.Duration(rest))
	}
}

var unbiased = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// Slept returns how long the machine has been asleep since it was started: the interrupt time goes
// on while it sleeps, and the unbiased one does not. DurationSinceBoot reads the former in steps of
// some 10 ms. Only its growth means anything.
func Slept() time.Duration {
	var awake int64 // in units of 100 ns
	if ok, _, _ := unbiased.Call(uintptr(unsafe.Pointer(&awake))); ok == 0 {
		return 0
	}
	return windows.DurationSinceBoot() - time.Duration(awake)*100
}

// Used returns how long this process has computed, and the system for it.
func Used() time.Duration {
	var began, ended, system, user windows.Filetime // the last two are lengths, in 100 ns
	// This fails for no process's own.
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &system, &user)
	length := func(t windows.Filetime) time.Duration {
		return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
	}
	return length(system) + length(user)
}
