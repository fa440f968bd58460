package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mounted is a hub that a process of its own has mounted.
type mounted struct {
	t       *testing.T
	dir     string // of the test's own
	root    string // where its disks are
	backing string
	cmd     *exec.Cmd
}

// mountHub mounts a profile, or skips the test.
func mountHub(t *testing.T, profile string, args ...string) *mounted {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no FUSE here: ", err)
	}
	dir, err := os.MkdirTemp("/dev/shm", "hubbench-mounted-") // in memory: a disk behind it would add what it takes itself
	if err != nil {
		t.Skip("no memory to hold the files: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &mounted{t: t, dir: dir, root: filepath.Join(dir, "hub"), backing: filepath.Join(dir, "behind")}
	m.cmd = exec.Command("hubbench", append([]string{"mount", profile, m.root, "--backing", m.backing}, args...)...)
	stderr, err := os.Create(filepath.Join(dir, "said"))
	must(t, err)
	defer stderr.Close()
	m.cmd.Stderr = stderr
	must(t, m.cmd.Start())
	t.Cleanup(m.end)
	for deadline := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		said, _ := os.ReadFile(stderr.Name())
		switch {
		case bytes.Contains(said, []byte("Ctrl-C unmounts")):
			return m
		case bytes.Contains(said, []byte("operation not permitted")):
			t.Skipf("FUSE cannot be mounted here: %s", said)
		case time.Now().After(deadline):
			t.Fatalf("not mounted: %s", said)
		}
	}
}

// end unmounts it, as Ctrl-C does.
func (m *mounted) end() {
	if m.cmd.ProcessState != nil {
		return
	}
	_ = m.cmd.Process.Signal(syscall.SIGINT)
	if err := m.cmd.Wait(); err != nil {
		said, _ := os.ReadFile(filepath.Join(m.dir, "said"))
		m.t.Errorf("mount ends: %v: %s", err, said)
	}
	if _, err := os.Stat(m.root); err == nil {
		m.t.Errorf("%s is still there", m.root)
	}
}

// run runs a scenario on it, whose paths begin with ROOT.
func (m *mounted) run(out, text string, args ...string) (code int, said string) {
	m.t.Helper()
	path := m.scenario("scenario.yaml", text)
	cmd := exec.Command("hubbench", append([]string{"run", path, "--yes", "--quiet", "--out", filepath.Join(m.dir, out), "--allow", "same_disk,busy,background"}, args...)...)
	all, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		m.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(all)
}

func (m *mounted) scenario(name, text string) (path string) {
	m.t.Helper()
	path = filepath.Join(m.dir, name)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", m.root)), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// Each fault is reported as what it is, and no test file is left unless the disk is gone.
func TestMountedFaults(t *testing.T) {
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

// Any program may use the folders. A copy takes as long as the slower of the two disks needs, and what was copied is the
// same.
func TestMountedFilesAreReal(t *testing.T) {
	m := mountHub(t, "goshen-ridge", "--scale", "0.05")
	want := bytes.Repeat([]byte("hub and disks "), 1<<20)
	from, to := filepath.Join(m.root, "A", "from"), filepath.Join(m.root, "B", "deep", "to")
	write(t, from, string(want))
	must(t, os.Mkdir(filepath.Dir(to), 0o700))
	began := time.Now()
	sh(t, "dd", "if="+from, "of="+to, "bs=1M", "oflag=direct", "conv=fsync")
	// At 72.5 MB/s, 50 ms of which the disk may take ahead; a busy machine may be slower.
	if shortest := float64(len(want))/72.5e6 - 0.05; time.Since(began).Seconds() < shortest {
		t.Errorf("copied in %s, the disk needs %.2f s", time.Since(began), shortest)
	}
	if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the copy differs: %v", err)
	}
	m.end()
	if got, err := os.ReadFile(filepath.Join(m.backing, "B", "deep", "to")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the copy is not in the folder behind: %v", err)
	}
}

// What a killed mount leaves is named with the command that takes it away.
func TestMountedAndKilled(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	t.Cleanup(func() {
		for _, disk := range []string{"A", "B", "C"} {
			_ = syscall.Unmount(filepath.Join(m.root, disk), 2) // MNT_DETACH
		}
	})
	must(t, m.cmd.Process.Kill())
	_ = m.cmd.Wait()
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
	must(t, m.cmd.Process.Signal(syscall.SIGTERM))
	err = m.cmd.Wait()
	said, _ := os.ReadFile(filepath.Join(m.dir, "said"))
	if want := filepath.Join(m.root, "A") + " was still in use: it was unmounted anyway"; err == nil || !bytes.Contains(said, []byte(want)) {
		t.Errorf("got error %v and %s, want %s", err, said, want)
	}
	if _, err := os.Stat(m.root); err == nil {
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
		holds       func(t *testing.T, m *mounted) *exec.Cmd
		signal      syscall.Signal
		says        string // instead of nothing
	}{
		{"copied to another mount namespace", "B:slowsync=1ms", func(t *testing.T, _ *mounted) *exec.Cmd {
			return exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-c", "echo; exec sleep 60")
		}, syscall.SIGINT, ""},
		{"a process waits for a disk that stalls", "A:stall=1h", func(t *testing.T, m *mounted) *exec.Cmd {
			return exec.Command("sh", "-c", "echo; exec head -c 1000000 /dev/zero > "+filepath.Join(m.root, "A", "waits"))
		}, syscall.SIGTERM, ""},
		{"SIGQUIT prints stacks", "A:short", nil, syscall.SIGQUIT, "SIGQUIT: quit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := mountHub(t, "usb-10g", "--scale", "0.1", "--fault", tc.fault)
			t.Cleanup(func() {
				for _, disk := range []string{"A", "B", "C"} {
					_ = syscall.Unmount(filepath.Join(m.root, disk), 2) // MNT_DETACH
				}
			})
			if tc.holds != nil {
				holder := tc.holds(t, m)
				ready, err := holder.StdoutPipe()
				must(t, err)
				if err := holder.Start(); err != nil {
					t.Skip(err)
				}
				defer func() { _, _ = holder.Process.Kill(), holder.Wait() }()
				if _, err := ready.Read(make([]byte, 1)); err != nil {
					t.Skipf("no namespace or process of its own here: %v", err)
				}
			}
			must(t, m.cmd.Process.Signal(tc.signal))
			ended := make(chan struct{})
			go func() { _ = m.cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(10 * time.Second): // it takes two at most, on a machine that has the time
				_ = m.cmd.Process.Kill()
				<-ended
				t.Error("it goes on after ", tc.signal)
			}
			if said, _ := os.ReadFile(filepath.Join(m.dir, "said")); !bytes.Contains(said, []byte(tc.says)) {
				t.Errorf("it said %s, want %s", said, tc.says)
			}
			if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || tc.says == "" && bytes.Contains(mounts, []byte(m.root)) {
				t.Errorf("still mounted (%v):\n%s", err, mounts)
			}
		})
	}
}
