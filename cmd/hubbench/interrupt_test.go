package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
)

// lateScenario has more to tell in its results than a pipe holds.
const lateScenario = `version: 1
name: late
hub: {profile: goshen-ridge, speedup: 1000}
disks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}, {name: C, simulate: {profile: C}}]
workload: {files: 60}
phases: [{pattern: WWW}, {pattern: RRR}, {pattern: WRR}, {pattern: RWW}]
`

// TestInterruptedLate interrupts a run whose phases are over, while its results are being written:
// into a pipe that holds less than they are and that nobody reads. They are not lost by the first
// interrupt; the second ends the process as everywhere.
func TestInterruptedLate(t *testing.T) {
	t.Parallel()
	scenario := write(t, filepath.Join(t.TempDir(), "late.yaml"), lateScenario)
	for _, tt := range []struct {
		name  string
		times int
		code  int
		says  string
	}{
		{"once", 1, exit.OK, "the results are being written"},
		{"twice", 2, exit.Interrupted,
			"interrupted twice; what was recorded is kept: hubbench report "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("hubbench", "run", scenario, "--out", dir, "--json")
			stdout, err := cmd.StdoutPipe()
			must(t, err)
			var said said
			cmd.Stderr = &said
			send, err := startSignalled(cmd)
			must(t, err)
			defer func() { _ = send("KILL") }()
			wait := func(what string, met func() bool) {
				t.Helper()
				if !check.Within(2*timeout, met) {
					t.Fatalf("after %s: no %s; stderr: %s", 2*timeout, what, said.String())
				}
			}
			wait("analysis", func() bool {
				_,
					err := os.Stat(filepath.Join(dir, rundir.AnalysisFile))
				return err == nil
			})
			// Each is answered before the results are taken, which would let the run end.
			for _, answer := range []string{"the results are being written", tt.says}[:tt.times] {
				must(t, send("INT"))
				wait("answer", func() bool { return strings.Contains(said.String(), answer) })
			}
			results, err := io.ReadAll(stdout)
			must(t, err)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tt.code ||
				!strings.Contains(said.String(), tt.says) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", got, said.String(), tt.code,
					tt.says)
			}
			if whole := bytes.HasSuffix(results, []byte("}\n")); tt.code == exit.OK && !whole {
				t.Errorf("%d bytes of results, and not to their end", len(results))
			}
		})
	}
}
