//go:build unix && !linux

package interrupt

import "os/exec"

// dieWithFront has nothing to add if the kernel has no parent-death signal: the end of the pipe says it.
func dieWithFront(*exec.Cmd) {}
