package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// must fails the test if a step of it did.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file, and the folder that it is in, and returns its path.
func write[T string | []byte](t testing.TB, path string, text T) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// looks finds out what is plugged in; nil: the machine's own devices.
type looks = func(context.Context) (*hardware.Inventory, error)

// does runs a command in this process, without a terminal.
func does(t testing.TB, look looks, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := program{look: look, Streams: output.Streams{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: os.Getenv,
	}}
	code = run(t.Context(), args, p)
	return code, out.String(), errs.String()
}

// prints is what a command that succeeds prints.
func prints(t testing.TB, args ...string) string {
	t.Helper()
	code, out, errs := does(t, nil, args...)
	if code != exit.OK {
		t.Fatalf("hubbench %s: exit code %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// simulated is the folder of a simulated run of a scenario, in a folder of its own.
func simulated(t testing.TB, text string) (scenario, run string) {
	t.Helper()
	dir := t.TempDir()
	scenario, run = write(t, filepath.Join(dir, "s.yaml"), text), filepath.Join(dir, "run")
	prints(t, "simulate", scenario, "--out", run)
	return scenario, run
}

// process is a program that runs beside a test.
type process struct {
	*exec.Cmd
	said  *said // on stderr, and on stdout unless that leads elsewhere
	send  func(signal string) error
	ended chan struct{} // closed when it has
}

func launch(cmd *exec.Cmd) (p *process, err error) {
	p = &process{Cmd: cmd, said: new(said), ended: make(chan struct{})}
	cmd.Stderr = p.said
	if cmd.Stdout == nil {
		cmd.Stdout = p.said
	}
	if p.send, err = startSignalled(cmd); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // its exit code says it
		close(p.ended)
	}()
	return p, nil
}

func (p *process) kill() {
	if p.running() {
		_ = p.send("KILL")
	}
	<-p.ended
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// wait waits for its end. One that does not end is killed.
func (p *process) wait() (code int, said string) {
	select {
	case <-p.ended:
	case <-time.After(timeout):
		p.kill()
		return 0, fmt.Sprintf("it had not ended after %s", timeout)
	}
	return p.ProcessState.ExitCode(), p.said.String()
}

// start launches a program that is killed when the test ends.
func start(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p, err := launch(cmd)
	must(t, err)
	t.Cleanup(p.kill)
	return p
}

// until waits for a condition while it runs.
func (p *process) until(t testing.TB, message string, met func() bool) {
	t.Helper()
	for deadline := time.After(timeout); !met(); {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-p.ended:
			t.Fatalf("it has ended: %s; it said\n%s", message, p.said)
		case <-deadline:
			t.Fatalf("after %s: %s; it said\n%s", timeout, message, p.said)
		}
	}
}

// said is what a process has written so far; it can be read meanwhile.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// hubbench is what a command prints that succeeds in a process of its own.
func hubbench(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command("hubbench", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("hubbench %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// janitorName stands for the clean-up process among the disks' workers.
const janitorName = "janitor"

var (
	startedPID = regexp.MustCompile(`"(?:clean-up process|worker) started",` +
		`(?:"disk":"([^"]*)","phase":"[^"]*",)?"pid":(\d+)`)
	exitedDisk = regexp.MustCompile(`"worker exited","disk":"([^"]*)"`)
)

// started are the processes that a run's log tells of and that have not exited: the workers by
// disk, and the janitor.
func started(log []byte) map[string]int {
	pids := map[string]int{}
	for line := range bytes.Lines(log) {
		if m := startedPID.FindSubmatch(line); m != nil {
			pids[cmp.Or(string(m[1]), janitorName)], _ = strconv.Atoi(string(m[2]))
		} else if m := exitedDisk.FindSubmatch(line); m != nil {
			delete(pids, string(m[1]))
		}
	}
	return pids
}

// argumentsOf are files in place of the words that a command's usage asks for, by these words.
func argumentsOf(cmd *cobra.Command, files map[string]string) (args []string) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if word == "|" {
			break
		}
		if file, ok := files[strings.TrimSuffix(word, "...")]; ok {
			args = append(args, file)
		}
	}
	return args
}
