//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group has an interrupt reach the command and all that it starts: go run passes none on.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
