package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
)

// A worker whose coordinator is killed in its first moments, before it handles any signal and
// before it has a job, removes the run's test files: nobody else may be left to do it.
func TestWorkerOrphanedAtOnce(t *testing.T) {
	for range 10 {
		dir := t.TempDir()
		must(t, testfolder.Mark(dir, "r1"))
		cmd := exec.Command("hubbench", "worker", "r1", dir)
		coordinator.DieWithParent(cmd, coordinator.ParentDied)
		stdin, err := cmd.StdinPipe()
		must(t, err)
		started := make(chan error)
		go func() {
			runtime.LockOSThread() // The thread ends with the function, and that is what counts.
			started <- cmd.Start()
		}()
		must(t, <-started)
		must(t, stdin.Close())
		_ = cmd.Wait() // It says that the coordinator is gone.
		left, err := os.ReadDir(dir)
		must(t, err)
		if len(left) > 0 {
			t.Fatalf("left: %v", left)
		}
	}
}
