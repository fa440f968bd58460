package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Wine answers Ctrl-C in a process's main thread, and allocates memory to do so. If that thread is starting another process at
// that instant, it holds the allocator's lock and waits for itself forever; so no process is started from the main thread.
func init() { runtime.LockOSThread() } //nolint:gochecknoinits // only there does main keep the main thread to itself

// removeProgram removes the program that the scripts run, as testscript does next and fails if it cannot: Windows removes
// none that still runs, and a process that was killed does for a moment.
func removeProgram() {
	path, err := exec.LookPath("hubbench")
	if err != nil || !strings.HasPrefix(path, filepath.Clean(os.TempDir())) {
		return // what is not in a folder of the tests' own may be somebody's
	}
	for range 200 {
		if err := os.Remove(path); err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		endNotBegun(path)
		time.Sleep(50 * time.Millisecond)
	}
}

// endNotBegun ends the program's processes that have one thread. A process of Go's has more as soon as it begins, but one
// whose creator was killed before it let go of the new thread never does.
func endNotBegun(path string) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
		if entry.Threads == 1 && strings.EqualFold(windows.UTF16ToString(entry.ExeFile[:]), filepath.Base(path)) {
			endIfOf(entry.ProcessID, path)
		}
	}
}

// endIfOf ends a process if it runs the program in the file.
func endIfOf(pid uint32, path string) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var name [windows.MAX_LONG_PATH]uint16
	n := uint32(len(name))
	if windows.QueryFullProcessImageName(process, 0, &name[0], &n) == nil && strings.EqualFold(windows.UTF16ToString(name[:n]), path) {
		_ = windows.TerminateProcess(process, 1) // if it cannot be ended, its file is not removed, and that is told
	}
}
