package diskio

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Windows is told that this process decides how it is throttled, and that it is not.
func TestForeground(t *testing.T) {
	err := Foreground()
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetProcessInformation")
	if get.Find() != nil {
		t.Skip("this Windows does not say; setting it: ", err)
	}
	state := powerThrottling{Version: 1}
	got, _, getErr := get.Call(uintptr(windows.CurrentProcess()), 4,
		uintptr(unsafe.Pointer(&state)), unsafe.Sizeof(state))
	if got == 0 {
		t.Skipf("this Windows does not say: %v; setting it: %v", getErr, err)
	}
	check.Must(t, err)
	if state.Control&1 == 0 || state.On != 0 {
		t.Errorf("the state is %+v", state)
	}
}
