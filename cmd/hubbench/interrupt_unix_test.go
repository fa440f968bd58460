//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptedEarly interrupts a run that has made nothing yet: it is still waiting for its scenario, from a pipe that
// says nothing, or would wait for a disk.
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
			var said bytes.Buffer
			cmd.Stderr = &said
			send, err := startSignalled(cmd)
			if err != nil {
				t.Fatal(err)
			}
			pipe, err := os.OpenFile(scenario, os.O_WRONLY, 0) // once it is read
			if err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
			if err := send(name); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(said.String(), "interrupted before anything was measured") {
				t.Errorf("exit code %d, stderr %q; want %d", code, said.String(), exitInterrupted)
			}
		})
	}
}
