//go:build !linux

package coordinator

import (
	"os/exec"
	"syscall"
)

// ParentDied is for systems with a parent-death signal; elsewhere stdin's end tells a worker that
// its coordinator is gone.
const ParentDied = syscall.SIGTERM

// DieWithParent has nothing to add if the kernel has no parent-death signal.
func DieWithParent(*exec.Cmd, syscall.Signal) {}
