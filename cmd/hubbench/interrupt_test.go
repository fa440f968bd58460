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
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/check"
)

// lateScenario has more to tell in its results than a pipe holds.
const lateScenario = `version: 1
name: late
hub: {profile: goshen-ridge, speedup: 1000}
disks:
  - {name: A, simulate: {profile: A}}
  - {name: B, simulate: {profile: B}}
  - {name: C, simulate: {profile: C}}
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
			results, stdout, err := os.Pipe()
			must(t, err)
			cmd := exec.Command("hubbench", "run", scenario, "--out", dir, "--json")
			cmd.Stdout = stdout
			p := start(t, cmd)
			must(t, stdout.Close())
			p.until(t, "no analysis", func() bool {
				return recorded.Exists(filepath.Join(dir, rundir.AnalysisFile))
			})
			// Each is answered before the results are taken, which would let the run end.
			for _, answer := range []string{"the results are being written", tt.says}[:tt.times] {
				must(t, p.send("INT"))
				if !check.Within(timeout, func() bool {
					return strings.Contains(p.said.String(), answer)
				}) {
					t.Fatalf("no answer: %s", p.said)
				}
			}
			text, err := io.ReadAll(results)
			must(t, err)
			if code, said := p.wait(); code != tt.code || !strings.Contains(said, tt.says) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, said, tt.code, tt.says)
			}
			if whole := bytes.HasSuffix(text, []byte("}\n")); tt.code == exit.OK && !whole {
				t.Errorf("%d bytes of results, and not to their end", len(text))
			}
		})
	}
}
