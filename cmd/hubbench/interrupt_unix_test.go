//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptedEarly interrupts a run that has made nothing yet: it is still waiting for its scenario, from a pipe that
// says nothing, or would wait for a disk.
func TestInterruptedEarly(t *testing.T) {
	for _, signal := range []string{"INT", "TERM", "HUP", "QUIT"} {
		t.Run(signal, func(t *testing.T) {
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
			if err := send(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(said.String(), "interrupted before anything was measured") {
				t.Errorf("exit code %d, stderr %q; want %d", code, said.String(), exitInterrupted)
			}
		})
	}
}
