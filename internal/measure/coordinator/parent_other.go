//go:build !linux

package coordinator

import (
	"os/exec"
	"syscall"
)

// DieWithParent has nothing to add if the kernel has no parent-death signal.
func DieWithParent(*exec.Cmd, syscall.Signal) {}
