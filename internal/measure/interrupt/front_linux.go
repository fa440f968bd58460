package interrupt

import (
	"os/exec"
	"syscall"
)

// dieWithFront has a process end when the one in front of it is killed.
func dieWithFront(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
