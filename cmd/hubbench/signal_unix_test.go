//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// killedCode is the exit code of a process that was killed.
const killedCode = -1

// signals are those that a script can send.
var signals = map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "KILL": os.Kill}

// killSignals are those that TestKills ends processes by.
var killSignals = [...]string{"KILL", "TERM", "INT", "HUP"}

// signalProcess sends a signal to a process that a run has started.
func signalProcess(pid int, signal string) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Signal(signals[signal])
}

// startSignalled starts a command, and returns what sends it a signal.
func startSignalled(cmd *exec.Cmd) (send func(signal string) error, err error) {
	return func(signal string) error { return cmd.Process.Signal(signals[signal]) }, cmd.Start()
}

// alive reports whether a process runs; one that nobody has waited for yet is as good as gone.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil || process.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !bytes.Contains(stat, []byte(") Z "))
}
