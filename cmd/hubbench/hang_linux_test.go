package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
)

// told is how soon a person is told what is waited for.
const told = 10 * time.Second

// atWork are the arguments with which a command reads from, or writes to, a folder on; out is one
// elsewhere. Nil if there are none.
func atWork(cmd *cobra.Command, on, out string) []string {
	in := func(name string) string { return filepath.Join(on, name) }
	elsewhere := func(name string) string { return filepath.Join(out, name) }
	switch cmd.Name() {
	case "init":
		return []string{"--demo", "--out", in("new.yaml")}
	case "run", "simulate":
		return []string{in("s.yaml"), "--out", elsewhere(cmd.Name())}
	case "report":
		return []string{in("run"), "--out", elsewhere("report.md")}
	case "compare":
		return []string{in("run"), in("run2")}
	case "check":
		return []string{in("run"), "--limits", in("limits.yaml")}
	case "import":
		return []string{in("a_bw.1.log"), "--start", "a=0s", "--out", elsewhere("imported")}
	case "collect":
		return []string{in("run"), "--into", elsewhere("catalogue")}
	case "devices":
		return []string{"--out", in("devices.md")}
	case "doctor":
		return []string{on}
	}
	return argumentsOf(cmd, map[string]string{"RUN": in("run"), "SCENARIO": in("s.yaml"),
		"PROFILE": in("hub.yaml"), "PATH": on, "DIR": in("man")})
}

// waits returns when a command says what it waits for.
func (p *process) waits(t testing.TB, command string) {
	t.Helper()
	p.until(t, "hubbench "+command+" does not say that it waits", func() bool {
		return strings.Contains(p.said.String(), "waiting for ")
	})
}

// inspected makes, in a folder, what these commands read.
func inspected(t testing.TB, on string) {
	t.Helper()
	const small = `version: 1
name: small
hub: {profile: usb-10g, speedup: 20}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 4, sizes: [100 MB]}
phases: [{pattern: WW}]
`
	run := filepath.Join(on, "run")
	prints(t, "simulate", write(t, filepath.Join(on, "s.yaml"), small), "--out", run)
	prints(t, "simulate", filepath.Join(on, "s.yaml"), "--out", run+"2")
	prints(t, "fit", run, "--out", filepath.Join(on, "hub.yaml"))
	write(t, filepath.Join(on, "limits.yaml"), "expect: [{phase: WW, rate: {min: 1 MB/s}}]\n")
	write(t, filepath.Join(on, "a_bw.1.log"), ofFio(100_000))
}

// With these a disk hangs, and is back: whatever is asked of it waits, not only reads and writes.
const hang, again = syscall.SIGSTOP, syscall.SIGCONT

// holdsUp has a disk hang, begins each command that reads from it or writes to it, with out for
// what goes elsewhere, and returns them once all have said that they wait.
func (b *beneath) holdsUp(root, out string) map[string]*process {
	b.t.Helper()
	begun := map[string]*process{}
	must(b.t, b.cmd.Process.Signal(hang))
	for _, cmd := range newRoot(program{}).Commands() {
		if args := atWork(cmd, root, out); args != nil && !cmd.Hidden {
			c := exec.Command("hubbench", append([]string{cmd.Name()}, args...)...)
			c.Env = append(os.Environ(), "XDG_CONFIG_HOME="+out)
			begun[cmd.Name()] = start(b.t, c)
		}
	}
	for command, p := range begun {
		p.waits(b.t, command)
	}
	return begun
}

// Whatever a command does with a file on a disk that hangs, a person is told soon, Ctrl-C ends it,
// and if the disk is back before that, the command does its work.
func TestHangsAreTold(t *testing.T) {
	t.Parallel()
	disk, root := newBeneathFolder(t)
	inspected(t, root)
	// It is back before what waits for it is killed, which is in vain till then.
	defer func() { _ = disk.cmd.Process.Signal(again) }()
	for command, p := range disk.holdsUp(root, t.TempDir()) {
		must(t, p.send("INT"))
		if code, said := p.wait(); code != exit.Interrupted {
			t.Errorf("hubbench %s, interrupted: exit code %d, %s", command, code, said)
		}
	}
	begun := disk.holdsUp(root, t.TempDir())
	must(t, disk.cmd.Process.Signal(again))
	delete(begun, "doctor") // it writes for a minute
	for command, p := range begun {
		if code, said := p.wait(); code != exit.OK {
			t.Errorf("hubbench %s, once the disk is back: exit code %d, %s", command, code, said)
		}
	}
}

// BenchmarkHangs measures how long it takes until all commands that a disk holds up at once have
// said so, from the first one's start on.
func BenchmarkHangs(b *testing.B) {
	disk, root := newBeneathFolder(b)
	inspected(b, root)
	defer func() { _ = disk.cmd.Process.Signal(again) }()
	slowest := time.Duration(0)
	for b.Loop() {
		began := time.Now()
		begun := disk.holdsUp(root, b.TempDir())
		slowest = max(slowest, time.Since(began))
		for _, p := range begun {
			must(b, p.send("INT"))
			p.wait()
		}
		must(b, disk.cmd.Process.Signal(again))
	}
	b.ReportMetric(slowest.Seconds(), "s-until-told")
	b.ReportMetric(0, "ns/op") // most of it is the end of the commands
	if slowest > told {
		b.Errorf("told after %s, want %s at most", slowest, told)
	}
}

// A request that has reached the disk cannot be taken back: what waits for it ends at Ctrl-C all
// the same.
func TestHangsOfRequests(t *testing.T) {
	t.Parallel()
	disk, root := newBeneathFolder(t)
	inspected(t, root)
	must(t, disk.tell("suspend"))
	defer disk.recover()
	for _, args := range [][]string{
		{"analyze", filepath.Join(root, "run")},
		{"table", filepath.Join(root, "run"), "--out", filepath.Join(root, "x.csv")},
		{"init", "--demo", "--out", filepath.Join(root, "new.yaml")},
	} {
		p := start(t, exec.Command("hubbench", args...))
		p.waits(t, args[0])
		must(t, p.send("INT"))
		if code, said := p.wait(); code != exit.Interrupted {
			t.Errorf("%q, interrupted: exit code %d, %s", args, code, said)
		}
	}
}

// A program that takes its time over what hubbench prints is no disk that hangs.
func TestSlowReadersAreNoHang(t *testing.T) {
	t.Parallel()
	_, run := simulated(t, `version: 1
name: many
hub: {profile: usb-10g}
disks: [{name: A, simulate: {profile: A}}]
workload: {files: 400, sizes: [1 MB]}
phases: [{pattern: W}]
`)
	out, stdout, err := os.Pipe()
	must(t, err)
	cmd := exec.Command("hubbench", "table", run, run, run, "--grain", "file")
	cmd.Stdout = stdout
	p := start(t, cmd)
	must(t, stdout.Close())
	time.Sleep(told) // for as long as nothing must be said
	text, err := io.ReadAll(out)
	must(t, err)
	code, errs := p.wait()
	if code != exit.OK || len(text) < 1<<16 || errs != "" {
		t.Errorf("exit code %d; of %d bytes it says %q", code, len(text), errs)
	}
}
