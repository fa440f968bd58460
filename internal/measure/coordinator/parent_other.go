//go:build !linux

package coordinator

import "os/exec"

// dieWithParent has nothing to add if the kernel has no parent-death signal: a worker sees the end of
// its stdin.
func dieWithParent(*exec.Cmd) {}
