package ink

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeys has the console obey escape sequences, and reports whether it does: Windows prints them
// as they are until asked, and knows none before Windows 10 1511.
func obeys(console *os.File) bool {
	handle := windows.Handle(console.Fd())
	var mode uint32
	return windows.GetConsoleMode(handle, &mode) == nil &&
		windows.SetConsoleMode(handle,
			mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
