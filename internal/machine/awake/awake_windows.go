package awake

import (
	"runtime"

	"go.uber.org/zap"
	"golang.org/x/sys/windows"
)

var setExecutionState = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadExecutionState")

// From winbase.h: the state lasts until it is set again or the thread ends; the system must not
// sleep.
const (
	esContinuous     = 0x80000000
	esSystemRequired = 0x00000001
)

// canSleep: every Mac and every PC does.
func canSleep() bool { return true }

// keep uses a thread of its own, as Windows keeps the state by thread.
func keep(log *zap.Logger, lost func(error)) (release func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		// It is never unlocked, so the thread ends with this function, and its state with it.
		runtime.LockOSThread()
		if was, _, err := setExecutionState.Call(esContinuous | esSystemRequired); was == 0 {
			log.Info("the machine is not kept awake", zap.Error(err))
			lost(err)
		}
		<-quit
		_, _, _ = setExecutionState.Call(esContinuous)
	}()
	return func() { close(quit); <-gone }
}
