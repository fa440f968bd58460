//go:build unix

package awake

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/test/check"
)

// asCoordinator has this test binary keep the machine awake until it is killed.
const asCoordinator = "HUBBENCH_AWAKE"

func TestMain(m *testing.M) {
	if os.Getenv(asCoordinator) != "" {
		Keep(zap.NewNop())
		_, _ = os.Stdout.WriteString("kept\n")
		select {}
	}
	goleak.VerifyTestMain(m)
}

// tools puts stand-ins for the systems' tools first in PATH. Each notes its process and its
// arguments, and goes on as the real one: one until the command that it was given ends, the other
// until the process that it watches is gone.
func tools(t *testing.T) (notes string) {
	t.Helper()
	dir := t.TempDir()
	notes = filepath.Join(dir, "notes")
	script := "#!/bin/sh\necho $$ \"$@\" > " + notes + ".new; mv " + notes + ".new " + notes + "\n"
	standIns(t, dir, script+"for last; do :; done\n$last\n",
		script+"for last; do :; done\nwhile kill -0 $last 2>/dev/null; do sleep 0.05; done\n")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return notes
}

func standIns(t *testing.T, dir, inhibit, caffeinate string) {
	t.Helper()
	tools := map[string]string{"systemd-inhibit": inhibit, "caffeinate": caffeinate}
	for name, script := range tools {
		//nolint:gosec // It is a program.
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
}

// tool waits for the tool to run, and returns its process and its arguments.
func tool(t *testing.T, notes string) (pid int, args string) {
	t.Helper()
	eventually(t, "the tool runs", func() bool {
		text, _ := os.ReadFile(notes)
		first, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		pid, _ = strconv.Atoi(first)
		args = rest
		return pid > 0
	})
	return pid, args
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	timeout := time.After(2 * time.Minute)
	for !is() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-timeout:
			t.Fatalf("waited two minutes in vain: %s", what)
		}
	}
}

// alive reports whether a process, or one of the session that it leads, is there.
func alive(pid int) bool { return syscall.Kill(-pid, 0) == nil }

func TestKeepUntilReleased(t *testing.T) {
	notes := tools(t)
	release := Keep(zap.NewNop())
	pid, args := tool(t, notes)
	if !alive(pid) {
		t.Errorf("%d is not the leader of a session of its own", pid)
	}
	if !strings.Contains(args, "sleep:idle") && !strings.Contains(args, "-i -m -s -w") {
		t.Errorf("the tool was given %q", args)
	}
	release()
	eventually(t, "the tool and what it runs are gone", func() bool { return !alive(pid) })
}

func TestNothingRemainsOfAKilledRun(t *testing.T) {
	notes := tools(t)
	run := exec.Command(os.Args[0])
	run.Env = append(os.Environ(), asCoordinator+"=1")
	out, err := run.StdoutPipe()
	check.Must(t, err)
	check.Must(t, run.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "kept\n" {
		t.Fatalf("the run said %q, %v", line, err)
	}
	pid, _ := tool(t, notes)
	if !alive(pid) {
		t.Fatal("the tool has ended before the run")
	}
	check.Must(t, run.Process.Kill())
	_ = run.Wait()
	eventually(t, "the tool and what it runs are gone", func() bool { return !alive(pid) })
}

// A tool that works is no complaint, one that ends at once or is not there is one.
func TestCheck(t *testing.T) {
	tools(t)
	if err := tryKeep(t.Context()); err != nil {
		t.Errorf("a tool that works: %v", err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := tryKeep(t.Context()); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("no tool: got %v, want that it is not found", err)
	}
	standIns(t, dir, "#!/bin/sh\nexit 1\n", "#!/bin/sh\nexit 1\n")
	if err := tryKeep(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "ended by itself: exit status 1") {
		t.Errorf("a tool that fails: got %v, want that it ended by itself", err)
	}
}
