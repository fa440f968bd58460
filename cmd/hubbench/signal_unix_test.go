//go:build unix

package main

import (
	"os"
	"os/exec"
)

// inGroup is of use on Windows alone: elsewhere a signal is sent to one process.
func inGroup(*exec.Cmd) {}

// interrupt does what Ctrl-C does, to one process.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
