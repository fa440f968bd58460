package coordinator

import (
	"os/exec"
	"syscall"
)

// ParentDied is the signal that tells a worker that its coordinator is gone. It does nothing to one
// that has only begun, and does not handle it yet: that finds the end of its stdin, and cleans up.
const ParentDied = syscall.SIGCHLD

// DieWithParent makes sure that a process does not outlive this one: the kernel sends it the signal
// when the thread that started it ends. Elsewhere the end of a pipe has to do.
func DieWithParent(cmd *exec.Cmd, signal syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: signal}
}
