package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// A run goes on with the program that it began with when another one takes that's place.
func TestReplacedProgram(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("hubbench")
	must(t, err)
	image, err := os.ReadFile(program)
	must(t, err)
	dir := t.TempDir()
	own := filepath.Join(dir, "hubbench")
	must(t, os.WriteFile(own, image, 0o700)) //nolint:gosec // a program must be executable
	scenario := write(t, filepath.Join(dir, "s.yaml"), endless(inMemory(t), inMemory(t),
		"- {name: first, pattern: WW}\n- {name: second, pattern: RR, cooldown: 2 s}"))
	r := &faultRun{t: t, out: filepath.Join(dir, "out")}
	r.process = start(t, exec.Command(own, "run", scenario, "--out", r.out, "--yes", "--allow",
		"same_disk,busy,background"))
	r.injectAt(func() error {
		other := write(t, filepath.Join(dir, "other"), "#!/bin/sh\nexit 7\n")
		return os.Rename(other, own)
	}, ended("first"))
	r.ends(exit.OK, "report: ")
	if info, err := rundir.LoadInfo(r.out); err != nil || len(info.Failures) > 0 {
		t.Errorf("failures %v, %v", info.Failures, err)
	}
}
