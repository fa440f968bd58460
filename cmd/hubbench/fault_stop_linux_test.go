package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// Processes that are stopped (SIGSTOP, Ctrl-Z, a debugger) and go on later, or do not.

// supervisedBy returns the process that a supervisor has begun, from whichever of its threads.
func supervisedBy(t testing.TB, pid int) int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	must(t, err)
	children := ""
	for _, list := range lists {
		of, _ := os.ReadFile(list) // of a thread that may have ended
		children += string(of)
	}
	behind, err := strconv.Atoi(strings.TrimSpace(children))
	if err != nil {
		t.Fatalf("the supervisor %d has the children %q, want one", pid, children)
	}
	return behind
}

// signal sends a signal to processes of the run: the coordinator, the janitor, and workers by their
// disks.
func (r *faultRun) signal(signal syscall.Signal, names ...string) (err error) {
	pids := started(read(r.t, filepath.Join(r.out, rundir.LogFile)))
	for _, name := range names {
		if name == coordinatorName {
			pids[name] = supervisedBy(r.t, r.Process.Pid)
		}
		if pids[name] == 0 {
			return fmt.Errorf("the log tells of no %s", name)
		}
		err = errors.Join(err, syscall.Kill(pids[name], signal))
	}
	return err
}

func TestFaultsOfStoppedProcesses(t *testing.T) {
	t.Parallel()
	c := faults(t, "SIGSTOP of a worker, the coordinator, the clean-up process, all of them")
	const long = clock.LongPause + 700*time.Millisecond
	all := []string{coordinatorName, janitorName, "A", "B"}
	for _, tc := range []struct {
		name  string
		who   []string
		still time.Duration
		mark  string // the disk of the phase's mark; - for none
	}{
		{"worker", []string{"A"}, 3 * time.Second, "A"},
		{"coordinator", []string{coordinatorName}, long, ""},
		{"janitor", []string{janitorName}, time.Second, "-"},
		{"all", all, long, ""},
	} {
		// They stand still for as long as counts, go on, and the run ends as it would have, its
		// phase marked. A busy machine may stop them when the phase is over: then it is a longer
		// one's turn.
		c.try(tc.name+", and going on", func(t *testing.T) {
			for _, restS := range []float64{3, 15, 60} {
				a, b := inMemory(t), inMemory(t)
				r := beginRun(t, strings.ReplaceAll(endless(a, b, writing), "stop: 60 s",
					fmt.Sprintf("stop: %.0f s", tc.still.Seconds()+restS)))
				r.inject("WW", func() error { return r.signal(syscall.SIGSTOP, tc.who...) })
				time.Sleep(tc.still) // what the test is about
				must(t, r.signal(syscall.SIGCONT, tc.who...))
				r.ends(exit.OK, `report: `)
				marks := slices.DeleteFunc(r.keeps().Phases[0].Warnings,
					func(w analysis.Warning) bool { return w.Code != "stopped" })
				r.leaves(a, b)
				if tc.mark == "-" && len(marks) == 0 || tc.mark != "-" && len(marks) == 1 &&
					marks[0].Disk == tc.mark &&
					figure(marks[0].Values, "seconds") >= tc.still.Seconds()-0.5 {
					return
				}
				t.Logf("with %g s more: marked: %+v, want once for disk %q", restS, marks, tc.mark)
			}
			t.Error("it is not marked as it was stopped, however long its phase is")
		})
	}
	// A worker that does not go on is killed, and so is one that was told to stop; what is left is
	// removed without it.
	c.try("worker, for good", func(t *testing.T) {
		a, b := inMemory(t), inMemory(t)
		r := beginRun(t, endless(a, b, writing), "--stall", "2s")
		r.inject("WW", func() error { return r.signal(syscall.SIGSTOP, "A") })
		r.holds(exit.Partial,
			`disk A, phase WW: its worker was killed: it gave no sign of life for \d+s`, a, b)
	})
	c.try("worker, then Ctrl-C", func(t *testing.T) {
		a, b := inMemory(t), inMemory(t)
		r := beginRun(t, endless(a, b, writing))
		r.inject("WW", func() error { return r.signal(syscall.SIGSTOP, "A") })
		r.interrupt()
		r.holds(exit.Interrupted,
			`disk A, phase WW: its worker was killed: it did not stop within 4s`, a, b)
	})
	c.try("janitor, for good", func(t *testing.T) {
		a, b := inMemory(t), inMemory(t)
		r := beginRun(t,
			endless(a, b,
				"- {name: first, pattern: WW}\n- {name: second, pattern: RR, cooldown: 60 s}"))
		r.injectAt(func() error { return r.signal(syscall.SIGSTOP, janitorName) }, ended("first"))
		r.interrupt()
		r.ends(exit.Interrupted, `test files may be left in [^\n]* hubbench clean `+a)
		r.keeps()
		if err := r.signal(syscall.SIGCONT, janitorName); err != nil &&
			!errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
		r.leaves(a, b)
	})
	// Workers whose coordinator is stopped work on, and are told nothing. Killed, it is as if it
	// had been killed at once.
	c.try("coordinator, then killed", func(t *testing.T) {
		a, b := inMemory(t), inMemory(t)
		r := beginRun(t, endless(a, b, writing))
		r.inject("WW", func() error { return r.signal(syscall.SIGSTOP, coordinatorName) })
		must(t, r.signal(syscall.SIGKILL, coordinatorName))
		r.ends(128+int(syscall.SIGKILL), ``) // says the process in front
		r.keeps()
		r.leaves(a, b)
	})
}

// inMemory is a folder of a file system in memory.
func inMemory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hubbench-fault-")
	if err != nil {
		t.Skip("no memory to hold the files: ", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Disks that hang: a request to them does not return, and nothing ends a process that waits for
// one. Whatever hangs is named soon, a run answers each interrupt and ends soon after the second,
// and nobody waits for what cannot be ended.

func TestFaultsOfResultsThatHang(t *testing.T) {
	t.Parallel()
	c := faults(t, "a results disk that hangs: given up, and interrupted twice")
	const hangs = `results folder [^\n]*/out: nothing written for \d+s: the disk hangs`
	for _, tc := range []struct {
		name  string
		stall string
		act   func(r *faultRun)
		code  int
	}{
		{"given up", "3s", func(*faultRun) {}, exit.Failed},
		{"interrupted twice", "1m", func(r *faultRun) {
			r.interrupt()
			r.until(r.t, "no answer", func() bool {
				return strings.Contains(r.said.String(), "stopping; Ctrl-C again ends at once")
			})
			r.interrupt()
		}, exit.Interrupted},
	} {
		c.try(tc.name, func(t *testing.T) {
			results, root := newBeneathFolder(t)
			a, b := inMemory(t), inMemory(t)
			r := beginRun(t, endless(a, b, writing), "--out", filepath.Join(root, "out"), "--stall",
				tc.stall)
			r.inject("WW", results.does("suspend"))
			tc.act(r)
			r.ends(tc.code, hangs+`; it holds what was recorded before; `+
				`when it is back, continue with: hubbench run --resume `)
			r.leaves(a, b)
			if strings.Contains(r.said.String(), "worker was killed") ||
				strings.Contains(r.said.String(), "nothing has moved") {
				t.Errorf("a disk that is well is blamed:\n%s", r.said)
			}
			results.recover()
			r.keeps()
		})
	}
}

// A disk that hangs while doctor looks at it fails, and doctor ends: by itself, or at an interrupt.
func TestFaultsOfCheckedDisksThatHang(t *testing.T) {
	t.Parallel()
	c := faults(t, "a disk that hangs while doctor checks it: given up, and interrupted")
	for name, tc := range map[string]struct {
		act  func(r *faultRun)
		code int
		says string
	}{
		"given up": {func(*faultRun) {}, exit.Threshold, `nothing has moved for \d+s: ` +
			`its disk is (?s).*test files may be left in .*hubbench clean .*The disk hangs`},
		"interrupted": {(*faultRun).interrupt, exit.Interrupted, `interrupted`},
	} {
		c.try(name, func(t *testing.T) {
			disk, root := newBeneathFolder(t)
			must(t, disk.tell("suspend"))
			cmd := exec.Command("hubbench", "doctor", root)
			cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
			r := &faultRun{t: t, process: start(t, cmd)}
			r.until(t, "not that far", func() bool {
				return strings.Contains(r.said.String(), "checking "+root)
			})
			tc.act(r)
			r.ends(tc.code, tc.says)
		})
	}
}
