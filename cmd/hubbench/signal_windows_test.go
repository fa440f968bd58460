package main

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// inGroup gives a process that is to be interrupted, and those that it starts, a group of their own.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// interrupt sends Ctrl-Break to the process's group, workers included, as a console does with Ctrl-C: that one can only
// be sent to all processes of the console, this one among them. Go makes the same signal of both.
func interrupt(p *os.Process) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.Pid))
}
