package progress

import (
	"os"

	"golang.org/x/sys/windows"
)

// onResize does nothing if there is no signal for a new size: the next drawing asks for it anyway.
func onResize(func()) (stop func()) { return func() {} }

// Sequences has the console obey escape sequences, which the live view draws with, and reports whether it does: Windows
// prints them as they are until asked, and knows none before Windows 10 1511.
func Sequences(console *os.File) bool {
	handle := windows.Handle(console.Fd())
	var mode uint32
	return windows.GetConsoleMode(handle, &mode) == nil &&
		windows.SetConsoleMode(handle, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
