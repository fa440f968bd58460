package coordinator

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes sure that a worker does not outlive the coordinator: the kernel asks it to stop, and
// so to clean up, when the thread that started it ends. Elsewhere the end of its stdin has to do.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
