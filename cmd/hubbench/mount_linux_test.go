package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mounted is a hub that a process of its own has mounted.
type mounted struct {
	t       *testing.T
	dir     string // of the test's own
	root    string // where its disks are
	backing string
	*process
}

// mountHub mounts a profile, or skips the test.
func mountHub(t *testing.T, profile string, args ...string) *mounted {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no FUSE here: ", err)
	}
	dir := inMemory(t) // a disk behind it would add what it takes itself
	m := &mounted{t: t, dir: dir, root: filepath.Join(dir, "hub"), backing: filepath.Join(dir, "behind")}
	m.process = start(t, exec.Command("hubbench", append([]string{"mount", profile, m.root, "--backing", m.backing}, args...)...))
	m.until(t, "not mounted", func() bool {
		said := m.said.String()
		if strings.Contains(said, "operation not permitted") {
			t.Skipf("FUSE cannot be mounted here: %s", said)
		}
		return strings.Contains(said, "Ctrl-C unmounts")
	})
	t.Cleanup(m.end)
	return m
}

// end unmounts it, as Ctrl-C does.
func (m *mounted) end() {
	if !m.running() {
		return
	}
	_ = m.send("INT")
	if code, said := m.wait(); code != exitOK {
		m.t.Errorf("mount ends with %d: %s", code, said)
	}
	if _, err := os.Stat(m.root); err == nil {
		m.t.Errorf("%s is still there", m.root)
	}
}

// letGo unmounts what a mount has left that did not end by itself.
func (m *mounted) letGo() {
	for _, disk := range []string{"A", "B", "C"} {
		_ = unix.Unmount(filepath.Join(m.root, disk), unix.MNT_DETACH)
	}
}

// run runs a scenario on it, whose paths begin with ROOT.
func (m *mounted) run(out, text string, args ...string) (code int, said string) {
	m.t.Helper()
	path := m.scenario("scenario.yaml", text)
	return start(m.t, exec.Command("hubbench", append([]string{"run", path, "--yes", "--quiet", "--out", filepath.Join(m.dir, out), "--allow", "same_disk,busy,background"}, args...)...)).wait()
}

func (m *mounted) scenario(name, text string) (path string) {
	m.t.Helper()
	return write(m.t, filepath.Join(m.dir, name), strings.ReplaceAll(text, "ROOT", m.root))
}

// Each fault is reported as what it is, and no test file is left unless the disk is gone.
func TestMountedFaults(t *testing.T) {
	t.Parallel()
	c := faults(t, "a mounted hub's own faults: eio, enospc, stall, vanish, corrupt, short, slowsync")
	for _, tc := range []struct {
		fault, workload string
		phase           string // keys of both phases
		args            []string
		code            int
		said            string // on stderr
	}{
		{fault: "eio@25MB", code: exitPartial, said: "disk A, phase W: write file 1 in ROOT/A: input/output error; the disk was disconnected or has failed"},
		{fault: "enospc@25MB", code: exitPartial, said: "disk A, phase W: write file 1 in ROOT/A: no space left on device; free some space"},
		{fault: "stall=5s@25MB", args: []string{"--stall", "2s"}, code: exitPartial, said: "nothing moved for 2s; check that the disk is still connected"},
		{fault: "vanish@25MB", code: exitPartial, said: "disk A, phase W: write file 1 in ROOT/A: no such device; the disk was disconnected or has failed"},
		{fault: "corrupt", code: exitPartial, said: "disk A, phase W: write file 0 in ROOT/A: the disk returned different data than was written, in test file 0 at byte 524288: wrote"},
		{fault: "corrupt@45MB", workload: ", verify: stamps", code: exitPartial, said: "disk A, phase R: read file 0 in ROOT/A: the disk returned different data than was written, in test file 0 at byte "},
		// Whoever asks again for the rest, as is right, notices nothing. At a pace requests come from threads: those of io_uring
		// get wrong data from Linux itself.
		{fault: "short", workload: ", io: app", code: exitOK},
		{fault: "short", phase: ", pace: 1 GB/s", code: exitOK},
		{fault: "slowsync=500ms", workload: ", flush: fsync", code: exitOK},
	} {
		if !strings.Contains(tc.workload, "verify") {
			tc.workload += ", verify: full"
		}
		c.try(tc.fault+tc.workload+tc.phase, func(t *testing.T) {
			m := mountHub(t, "goshen-ridge", "--scale", "0.05", "--fault", "A:"+tc.fault)
			began := time.Now()
			code, said := m.run("out", `version: 1
name: faults
disks: [{name: A, path: ROOT/A}]
allow_system_disk: true
workload: {sizes: [10 MB], files: 4`+tc.workload+`}
phases: [{pattern: W`+tc.phase+`}, {pattern: R`+tc.phase+`}]
`, tc.args...)
			if want := strings.ReplaceAll(tc.said, "ROOT", m.root); code != tc.code || !strings.Contains(said, want) {
				t.Errorf("exit code %d, want %d and %q; it said\n%s", code, tc.code, want, said)
			}
			if tc.fault == "slowsync=500ms" && time.Since(began) < 2*time.Second { // four files are flushed
				t.Errorf("it took %s, and four flushes of half a second", time.Since(began))
			}
			left := func() (left []string) {
				for _, pattern := range []string{"data-*", "trial-*"} {
					found, err := filepath.Glob(filepath.Join(m.backing, "A", ".hubbench-*", pattern))
					must(t, err)
					left = append(left, found...)
				}
				return left
			}
			if strings.HasPrefix(tc.fault, "stall") { // its files are removed when the disk is back
				for deadline := time.Now().Add(timeout); len(left()) > 0 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
				}
			}
			m.end()
			if strings.HasPrefix(tc.fault, "vanish") {
				if len(left()) == 0 {
					t.Error("files were removed from a disk that is gone")
				}
			} else if left := left(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// What a killed mount leaves is named with the command that takes it away.
func TestMountedAndKilled(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	t.Cleanup(m.letGo)
	m.kill()
	a := filepath.Join(m.root, "A")
	out, err := exec.Command("hubbench", "mount", "usb-10g", m.root).CombinedOutput()
	if want := a + " is left of a mount whose process was killed; unmount it first: fusermount3 -u " + a; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("got error %v and %s, want %s", err, out, want)
	}
	if left, _ := filepath.Glob(filepath.Join(m.dir, "hubbench-mount-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A disk that a program still uses at the end is unmounted all the same, and said to have been in use.
func TestMountedInUse(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	file, err := os.Create(filepath.Join(m.root, "A", "held"))
	must(t, err)
	defer file.Close()
	must(t, m.send("TERM"))
	code, said := m.wait()
	if want := filepath.Join(m.root, "A") + " was still in use: it was unmounted anyway"; code != exitFailed || !strings.Contains(said, want) {
		t.Errorf("exit code %d, and it says %s, want %s", code, said, want)
	}
	if exists(m.root) {
		t.Errorf("%s is still there", m.root)
	}
	if _, err := file.Write([]byte("more")); err == nil {
		t.Error("the program could go on writing")
	}
}

// Whatever holds a disk, an interrupt ends the mount: no disk stays mounted, and the process has ended in a moment.
func TestMountedEnds(t *testing.T) {
	for _, tc := range []struct {
		name, fault string
		holds       []string // a command that says when it does
		signal      string
		says        string // instead of nothing
	}{
		{"copied to another mount namespace", "B:slowsync=1ms", []string{"unshare", "--mount", "--propagation", "private", "sh", "-c", "echo; exec sleep 60"}, "INT", ""},
		{"a process waits for a disk that stalls", "A:stall=1h", []string{"sh", "-c", "echo; exec head -c 1000000 /dev/zero > ROOT/A/waits"}, "TERM", ""},
		{"SIGQUIT prints stacks", "A:short", []string{"echo"}, "QUIT", "SIGQUIT: quit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := mountHub(t, "usb-10g", "--scale", "0.1", "--fault", tc.fault)
			t.Cleanup(m.letGo)
			for i := range tc.holds {
				tc.holds[i] = strings.ReplaceAll(tc.holds[i], "ROOT", m.root)
			}
			holder := exec.Command(tc.holds[0], tc.holds[1:]...)
			ready, err := holder.StdoutPipe()
			must(t, err)
			must(t, holder.Start())
			defer func() { _, _ = holder.Process.Kill(), holder.Wait() }()
			if _, err := ready.Read(make([]byte, 1)); err != nil {
				t.Skipf("no namespace or process of its own here: %v", err)
			}
			must(t, m.send(tc.signal))
			select {
			case <-m.ended:
			case <-time.After(10 * time.Second): // it takes two at most, on a machine that has the time
				t.Error("it goes on after ", tc.signal)
				m.kill()
			}
			if !strings.Contains(m.said.String(), tc.says) {
				t.Errorf("it said %s, want %s", m.said, tc.says)
			}
			if mounts := read(t, "/proc/self/mounts"); tc.says == "" && bytes.Contains(mounts, []byte(m.root)) {
				t.Errorf("still mounted:\n%s", mounts)
			}
		})
	}
}
