package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// Two disks of unlike speeds, from nothing to a page: one as fast as memory, one that the kernel
// holds at 60 MB/s. The scenario knows their speeds, and its plan an upper bound of what is
// written, within a factor of 2.
func TestRunFolders(t *testing.T) {
	const rate = 60e6
	slow := newHeldVolume(t, rate)
	fast := format(t, testdisk.Make(t, testdisk.Options{Bytes: 600e6}, ci()), "")
	folders := []string{filepath.Join(fast, "ssd"), filepath.Join(slow.root, "ssd")}
	for _, folder := range folders {
		must(t, os.Mkdir(folder, 0o755))
	}
	out, ready := runFolders(t, slow.disk, folders)
	for range 4 {
		if measured := ready.Plan.Disks[1].Speed; min(measured.Write, measured.Read) >= 0.8*rate {
			break
		}
		out, ready = runFolders(t, slow.disk, folders) // a busy machine held the disk up
	}
	disk := ready.Plan.Disks[1]
	check.Near(t, "the speed of writing", rate, disk.Speed.Write, 0.2*rate)
	check.Near(t, "the speed of reading", rate, disk.Speed.Read, 0.2*rate)
	check.Same(t, "names", []string{"ssd", "ssd-2"}, []string{ready.Plan.Disks[0].Name, disk.Name})
	bounds(t, out, disk.Name, ready.Plan.Totals()[1].Written)
	if _, err := os.Stat(filepath.Join(out, "report.html")); err != nil {
		t.Error(err)
	}
	for _, folder := range folders {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", folder, left, err)
		}
	}
}

// runFolders runs two folders without a scenario, and returns the run's folder and the scenario that
// it has written.
func runFolders(t *testing.T, slow *testdisk.Disk, folders []string) (out string, r *prepare.Ready) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	args := append([]string{"run"}, folders...)
	p := start(t, slow.Command(context.Background(), "hubbench",
		append(args, "--allow", "not_disk", "--phase", "2s", "--out", out)...))
	<-p.ended
	if code, said := p.wait(); code != exit.OK ||
		!strings.Contains(said, "This takes 19.2 s and writes up to ") {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	ready, err := prepare.Load(filepath.Join(out, "scenario.yaml"), func(string) {})
	must(t, err)
	return out, ready
}

// terminal is one to type into, and the end of it that a program has.
func terminal(t *testing.T) (keyboard, stdin *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	must(t, err)
	must(t, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	must(t, err)
	stdin, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	t.Cleanup(func() { _, _ = keyboard.Close(), stdin.Close() })
	return keyboard, stdin
}

// A disk that is twice as fast without the hub, and comes back at another place, is measured there,
// after an answer too soon and an interrupt; and the results say what the hub costs.
func TestRunDirect(t *testing.T) {
	const rate = 60e6
	volume := newHeldVolume(t, rate)
	out := filepath.Join(t.TempDir(), "out")
	keyboard, stdin := terminal(t)
	begin := func(args ...string) *process {
		cmd := volume.disk.Command(context.Background(), "hubbench",
			append([]string{"run", "--allow", "not_disk"}, args...)...)
		cmd.Stdin = stdin
		return start(t, cmd)
	}
	asks := func(p *process, text string) {
		t.Helper()
		if !check.Within(timeout, func() bool { return strings.Contains(p.said.String(), text) }) {
			t.Fatalf("does not ask %q:\n%s", text, p.said.String())
		}
	}
	const question = "Connect at-0 directly to the computer.\nPress Enter to continue: "
	p := begin(volume.root, "--direct", "at-0", "--phase", "8s", "--out", out)
	asks(p, question)
	must(t, p.send("INT"))
	if code, said := p.wait(); code != exit.Interrupted ||
		!strings.Contains(said, "continue with: hubbench run --resume "+out) {
		t.Fatalf("exit code %d after an interrupt\n%s", code, said)
	}
	p = begin("--resume", out)
	asks(p, question)
	must(t, unix.Unmount(volume.root, 0))
	enter := func() {
		_, err := keyboard.WriteString("\n")
		must(t, err)
	}
	enter()
	asks(p, "at-0 is on no volume that is mounted. Connect it, and wait until it is mounted.")
	elsewhere := t.TempDir()
	must(t, unix.Mount(volume.disk.Part(0), elsewhere, "ext4", 0, ""))
	t.Cleanup(func() { _ = unix.Unmount(elsewhere, 0) })
	must(t, volume.disk.Limit(2*rate, 2*rate))
	enter()
	if code, said := p.wait(); code != exit.OK ||
		!strings.Contains(said, "at-0 is at "+elsewhere+" now") {
		t.Fatalf("exit code %d\n%s", code, said)
	}
	// On a busy machine not all of it is beyond noise, and what is not is no finding.
	a := readAnalysis(t, out)
	told := 0
	for _, f := range a.Findings {
		if f.Code == "hub_cost" {
			told++
		}
	}
	for _, c := range a.HubCosts {
		if c.Lost {
			told--
		}
		if c.Loss <= 0 || c.Nothing {
			t.Errorf("the hub costs %+v, want about half of it", c)
		}
	}
	if len(a.HubCosts) != 2 || told != 0 {
		t.Errorf("costs %+v, want those of writing and reading; findings %+v", a.HubCosts, a.Findings)
	}
	if left, err := filepath.Glob(filepath.Join(elsewhere, ".hubbench-*")); err != nil ||
		len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
