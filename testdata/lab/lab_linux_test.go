package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// child tells this test binary that it is the lab.
const child = "HUBBENCH_LAB_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		main()
		return
	}
	m.Run()
}

// patience is for what takes seconds at most on an idle machine.
const patience = 2 * time.Minute

// started is a lab that works, and the folder of its disk.
type started struct {
	cmd *exec.Cmd
	dir string
	out strings.Builder
}

// start starts a lab and waits until there is a file of its disk.
func start(t *testing.T, hubbench, until string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before, _ := filepath.Glob(filepath.Join(testdisk.Memory, "*")) // the pattern is well formed
	l := &started{cmd: exec.Command(self, "-short", "-hubbench", hubbench)}
	l.cmd.Env = append(os.Environ(), child+"=1")
	l.cmd.Stderr = &l.out
	l.cmd.WaitDelay = 5 * time.Second // what outlives a killed lab holds its output
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill() })
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if l.dir == "" {
			l.dir = diskOf(l.cmd.Process.Pid, before)
		}
		if found, _ := filepath.Glob(filepath.Join(l.dir, until)); l.dir != "" && len(found) > 0 {
			return l
		}
	}
	t.Fatalf("no %s of the lab, in %q:\n%s", until, l.dir, l.out.String())
	return nil
}

// diskOf is the folder that a process keeps locked as its disk's; empty if it has none yet. One that was there
// before it began is what it sweeps up.
func diskOf(pid int, before []string) string {
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is well formed
	for _, fd := range fds {
		if path, err := os.Readlink(fd); err == nil && !slices.Contains(before, path) && filepath.Dir(path) == testdisk.Memory && strings.HasPrefix(filepath.Base(path), "hubbench-disk-") {
			return path
		}
	}
	return ""
}

// A lab that is interrupted removes what it made and says so; one that is killed leaves it to the next one,
// with whatever still works on its disk.
func TestLabLeavesNothing(t *testing.T) {
	if err := missing(); err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	hubbench := filepath.Join(t.TempDir(), "hubbench")
	if out, err := exec.Command("go", "build", "-o", hubbench, "../../cmd/hubbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, when := range []struct{ name, until string }{
		{"while its disk is made", "image"},
		{"while hubbench measures", "run-1/events.jsonl"},
	} {
		t.Run("interrupted "+when.name, func(t *testing.T) {
			l := start(t, hubbench, when.until)
			if err := l.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			err := l.cmd.Wait()
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 || !strings.Contains(l.out.String(), "interrupted") {
				t.Errorf("it ended with %v, want exit code 130:\n%s", err, l.out.String())
			}
			if found := testdisk.Left(l.dir); len(found) > 0 {
				t.Errorf("left: %q", found)
			}
		})
		t.Run("killed "+when.name, func(t *testing.T) {
			l := start(t, hubbench, when.until)
			if err := l.cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = l.cmd.Wait() // it was killed
			if len(testdisk.Left(l.dir)) == 0 {
				t.Error("nothing is left: this shows nothing")
			}
			for deadline := time.Now().Add(patience); len(testdisk.Left(l.dir)) > 0; time.Sleep(10 * time.Millisecond) {
				if err := testdisk.Sweep(); err != nil { // what the next one begins with
					t.Fatal(err)
				}
				if time.Now().After(deadline) { // one Sweep may leave to the next what is still in use
					t.Fatalf("left: %q", testdisk.Left(l.dir))
				}
			}
		})
	}
}

// Without root's rights nothing is measured, and that is no failure.
func TestLabWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give its rights up")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// If nobody may go, nobody can start it.
	shared, err := os.MkdirTemp("/tmp", "hubbench-lab-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(shared)
	binary := filepath.Join(shared, "lab")
	if out, err := exec.Command("install", "-m", "755", self, binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		ci   string
		code int
		want string
	}{
		{nil, "", 0, "not measured: missing: root's rights"},
		{[]string{"-findings"}, "", 0, `"left_out":"missing: root's rights`},
		{nil, "true", 1, "root's rights"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, tt.args...)
		cmd.Dir = shared
		cmd.Env = append(os.Environ(), child+"=1", "CI="+tt.ci)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("%q under CI=%s: %v, %q, want %d and %q", tt.args, tt.ci, err, out, tt.code, tt.want)
		}
	}
}
