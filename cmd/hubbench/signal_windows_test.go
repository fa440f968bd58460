package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killedCode is the exit code of a process that was killed: what Go has TerminateProcess leave.
const killedCode = 1

// earlyCodes are the exit codes of a process that Ctrl-C ended before it could handle it: Wine 8
// leaves 0.
func earlyCodes() []int { return []int{int(windows.STATUS_CONTROL_C_EXIT), 0} }

// consoleCommand is the program of this test binary that runs a command in a console of its own.
// Windows sends Ctrl-C to all processes of a console, so that nothing else may be on it: neither
// the tests nor what another one started.
const consoleCommand = "test-console"

// programs are what this test binary can be besides hubbench.
var programs = map[string]func(){consoleCommand: consoleMain}

// killSignals are those that TestKills ends processes by.
var killSignals = [...]string{"KILL", "INT"}

// signalProcess kills a process that a run has started: none of them can be sent Ctrl-C by itself.
func signalProcess(pid int, _ string) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}

// startSignalled starts a command in a console of its own, and returns what sends it Ctrl-C (INT)
// there, or kills it.
func startSignalled(cmd *exec.Cmd) (send func(signal string) error, err error) {
	console, err := exec.LookPath(consoleCommand)
	if err != nil {
		return nil, err
	}
	cmd.Args = append([]string{console, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = console
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return func(signal string) error {
		_, err := fmt.Fprintln(orders, signal)
		return err
	}, cmd.Start()
}

// consoleMain runs the command of its arguments, obeys the orders that it reads, and exits as the
// command does.
func consoleMain() {
	kernel32 := windows.NewLazySystemDLL("kernel32.dll")
	_, _, _ = kernel32.NewProc("FreeConsole").Call() // there may be none
	if ok, _, err := kernel32.NewProc("AllocConsole").Call(); ok == 0 {
		fmt.Fprintln(os.Stderr, "AllocConsole:", err)
		os.Exit(99)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // it reaches this process too
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	go func() {
		for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
			var err error
			switch orders.Text() {
			case "INT":
				err = windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0)
			case "KILL":
				err = cmd.Process.Kill()
			default:
				err = errors.New("no such signal on Windows: " + orders.Text())
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "signal:", err)
			}
		}
	}()
	_ = cmd.Wait()
	os.Exit(cmd.ProcessState.ExitCode())
}

func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(process) }()
	event, err := windows.WaitForSingleObject(process, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

// Wine answers Ctrl-C in a process's main thread, and allocates memory to do so. If that thread is
// starting another process at that instant, it holds the allocator's lock and waits for itself
// forever; so no process is started from the main thread.
//
//nolint:gochecknoinits // Only there does main keep the main thread to itself.
func init() { runtime.LockOSThread() }

// removeProgram removes the program that the scripts run, as testscript does next and fails if it
// cannot: Windows removes none that still runs, and a process that was killed does for a moment.
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

// endNotBegun ends the program's processes that have one thread. A process of Go's has more as soon
// as it begins, but one whose creator was killed before it let go of the new thread never does.
func endNotBegun(path string) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all,
		&entry) {
		if entry.Threads == 1 && strings.EqualFold(windows.UTF16ToString(entry.ExeFile[:]),
			filepath.Base(path)) {
			endIfOf(entry.ProcessID, path)
		}
	}
}

func endIfOf(pid uint32, path string) {
	const rights = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.PROCESS_TERMINATE
	process, err := windows.OpenProcess(rights, false, pid)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var name [windows.MAX_LONG_PATH]uint16
	n := uint32(len(name))
	if windows.QueryFullProcessImageName(process, 0, &name[0], &n) == nil &&
		strings.EqualFold(windows.UTF16ToString(name[:n]), path) {
		// If it cannot be ended, its file is not removed, and that is told.
		_ = windows.TerminateProcess(process, 1)
	}
}
