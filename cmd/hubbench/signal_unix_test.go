//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
)

// killedCode is the exit code of a process that was killed.
const killedCode = -1

// earlyCodes are the exit codes of a process that a signal other than KILL ended before it could
// handle any.
func earlyCodes() []int { return []int{killedCode} }

// signals are those that a script can send.
var signals = map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM,
	"HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "KILL": os.Kill}

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

// TestInterruptedEarly interrupts a run that has made nothing yet: it is still waiting for its
// scenario, from a pipe that says nothing, or would wait for a disk.
func TestInterruptedEarly(t *testing.T) {
	for _, name := range []string{"INT", "TERM", "HUP", "QUIT"} {
		t.Run(name, func(t *testing.T) {
			if signal.Ignored(signals[name]) {
				t.Skip("ignored here, as by nohup, and so by what is started here")
			}
			dir := t.TempDir()
			scenario := filepath.Join(dir, "scenario.yaml")
			if err := syscall.Mkfifo(scenario, 0o600); err != nil {
				t.Skip("no pipes with a name here: ", err)
			}
			cmd := exec.Command("hubbench", "run", scenario, "--out", filepath.Join(dir, "out"))
			interruptEarly(t, cmd, scenario, name)
		})
	}
}

// interruptEarly sends a signal to a run that waits for its scenario, and checks how it ends.
func interruptEarly(t *testing.T, cmd *exec.Cmd, scenario, signal string) {
	t.Helper()
	p := start(t, cmd)
	// The scenario opens once it is read; a run that ends without reading it opens nothing.
	var pipe *os.File
	p.until(t, "the scenario is not read", func() (opened bool) {
		var err error
		pipe, err = os.OpenFile(scenario, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	defer pipe.Close()
	must(t, p.send(signal))
	if code, said := p.wait(); code != exit.Interrupted ||
		!strings.Contains(said, "interrupted before anything was measured") {
		t.Errorf("exit code %d, stderr %q; want %d", code, said, exit.Interrupted)
	}
}

// TestSupervisedByHand sets the variable by which a supervisor makes itself known, as anybody may
// who saw it in a list of processes: the program does what it does without.
func TestSupervisedByHand(t *testing.T) {
	for _, tt := range []struct{ name, value, waiting string }{
		{name: "any value", value: "1"},
		{name: "no pipes", value: "3 4 1 GUESSED"},
		{name: "other files", value: "0 1 1 GUESSED"},
		{name: "an empty pipe", value: "5 6 1 GUESSED"},
		{name: "another secret", value: "5 6 1 GUESSED", waiting: "ANOTHER"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			scenario := filepath.Join(dir, "scenario.yaml")
			if err := syscall.Mkfifo(scenario, 0o600); err != nil {
				t.Skip("no pipes with a name here: ", err)
			}
			cmd := exec.Command("hubbench", "run", scenario, "--out", filepath.Join(dir, "out"))
			cmd.Env = append(os.Environ(), "HUBBENCH_SUPERVISED="+tt.value)
			r, w, err := os.Pipe()
			must(t, err)
			defer r.Close()
			defer w.Close()
			_, err = w.WriteString(tt.waiting)
			must(t, err)
			cmd.ExtraFiles = []*os.File{nil, nil, r, w} // 5 and 6
			interruptEarly(t, cmd, scenario, "INT")
		})
	}
}

// removeProgram is for Windows, on which testscript cannot remove a program that still runs.
func removeProgram() {}
