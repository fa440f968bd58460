package coordinator

import (
	"os/exec"
	"syscall"
)

// DieWithParent makes sure that a process does not outlive this one: the kernel sends it the signal
// when the thread that started it ends. Elsewhere the end of a pipe has to do.
func DieWithParent(cmd *exec.Cmd, signal syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: signal}
}
