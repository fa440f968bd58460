package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/pkg/trace"
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
				check.Within(timeout, func() bool { return len(left()) == 0 })
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

// What programs do with files works as on any disk.
func TestMountedOperations(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	a := filepath.Join(m.root, "A")
	at := func(name string) string { return filepath.Join(a, name) }
	holds := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(at(name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, want %q (%v)", name, got, want, err)
		}
	}
	must(t, os.WriteFile(at("one"), []byte("one and more"), 0o600))
	must(t, os.Rename(at("one"), at("two")))
	must(t, os.Truncate(at("two"), 3))
	holds("two", "one")
	if err := os.Rename(at("two"), filepath.Join(m.root, "B", "two")); !errors.Is(err, unix.EXDEV) {
		t.Errorf("moving a file to another disk: %v, want %v", err, unix.EXDEV)
	}

	for _, word := range []string{"a", "b", "c"} {
		f, err := os.OpenFile(at("list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		_, err = f.WriteString(word)
		must(t, errors.Join(err, f.Close()))
	}
	holds("list", "abc")

	f, err := os.OpenFile(at("mapped"), os.O_CREATE|os.O_RDWR, 0o600)
	must(t, err)
	defer f.Close()
	must(t, unix.Fallocate(int(f.Fd()), 0, 0, 1<<20))
	_, err = f.WriteAt([]byte("here"), 500_000)
	must(t, err)
	mapped, err := unix.Mmap(int(f.Fd()), 0, 1<<20, unix.PROT_READ, unix.MAP_SHARED)
	must(t, err)
	if got := string(mapped[499_999:500_005]); got != "\x00here\x00" {
		t.Errorf("mapped: %q", got)
	}
	must(t, unix.Munmap(mapped))

	must(t, os.Mkdir(at("many"), 0o700))
	for i := range 500 {
		must(t, os.WriteFile(at(fmt.Sprintf("many/%d", i)), []byte("small"), 0o600))
	}
	if list, err := os.ReadDir(at("many")); err != nil || len(list) != 500 {
		t.Errorf("%d small files (%v), want 500", len(list), err)
	}
	must(t, os.RemoveAll(at("many")))

	must(t, os.Remove(at("mapped"))) // while it is open
	if _, err := f.WriteAt([]byte("gone"), 500_000); err != nil {
		t.Errorf("writing to an open file that was removed: %v", err)
	}
	must(t, f.Close())
	must(t, os.Remove(at("list")))
	must(t, os.Remove(at("two")))
	if list, err := os.ReadDir(filepath.Join(m.backing, "A")); err != nil || len(list) != 0 {
		t.Errorf("left behind: %v (%v)", list, err)
	}
}

// The mount is killed while a run writes to it: the run ends as one with a part of its results, and names the disk that failed
// first. The other is told to stop then, and may do so before it fails too.
func TestMountedAndKilledUnderLoad(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	t.Cleanup(m.letGo)
	path := m.scenario("killed.yaml", `version: 1
name: killed
disks: [{name: A, path: ROOT/A}, {name: B, path: ROOT/B}]
allow_system_disk: true
workload: {sizes: [4 MB], flush: none, footprint: 40 MB}
phases: [{pattern: WW, files: 1000}, {pattern: RR}]
`)
	out := filepath.Join(m.dir, "killed")
	run := start(t, exec.Command("hubbench", "run", path, "--yes", "--quiet", "--out", out, "--allow", "same_disk,busy,background"))
	run.until(t, "nothing was written", func() bool {
		events, _ := os.ReadFile(filepath.Join(out, "events.jsonl"))
		return bytes.Contains(events, []byte(`"type":"file"`))
	})
	m.kill()
	code, said := run.wait()
	if code != exitPartial {
		t.Errorf("exit code %d, want %d", code, exitPartial)
	}
	text := strings.Join(strings.Fields(said), " ") // on a line
	for _, want := range []string{"Disk [AB] failed \\(A and B write\\): write file", "the disk was disconnected or has failed"} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if a := readAnalysis(t, out); len(a.Phases) == 0 {
		t.Error("no phase is kept")
	}
	if _, err := os.Stat(filepath.Join(m.root, "A")); !errors.Is(err, unix.ENOTCONN) {
		t.Errorf("the disk is there: %v", err)
	}
}

// Once a disk has vanished, every operation says so, those on open files included.
func TestMountedVanishes(t *testing.T) {
	m := mountHub(t, "usb-10g", "--scale", "0.1", "--fault", "A:vanish@4KB")
	f, err := os.Create(filepath.Join(m.root, "A", "open"))
	must(t, err)
	fd := int(f.Fd())
	defer f.Close()
	must(t, os.Symlink("open", filepath.Join(m.root, "A", "link")))
	if _, err := f.Write(make([]byte, 8192)); !errors.Is(err, unix.ENODEV) {
		t.Fatalf("the disk is still there: %v", err)
	}
	for name, do := range map[string]func() error{
		"fgetxattr":  func() error { _, err := unix.Fgetxattr(fd, "user.hubbench", make([]byte, 8)); return err },
		"fsetxattr":  func() error { return unix.Fsetxattr(fd, "user.hubbench", []byte("x"), 0) },
		"flistxattr": func() error { _, err := unix.Flistxattr(fd, make([]byte, 8)); return err },
		"SEEK_HOLE":  func() error { _, err := unix.Seek(fd, 0, unix.SEEK_HOLE); return err },
		"SEEK_DATA":  func() error { _, err := unix.Seek(fd, 0, unix.SEEK_DATA); return err },
		"fstatfs":    func() error { return unix.Fstatfs(fd, &unix.Statfs_t{}) },
		"fallocate":  func() error { return unix.Fallocate(fd, 0, 0, 1<<20) },
		"fsync":      func() error { return unix.Fsync(fd) },
		"symlink":    func() error { return os.Symlink("open", filepath.Join(m.root, "A", "another")) },
		"link":       func() error { return os.Link(filepath.Join(m.root, "A", "open"), filepath.Join(m.root, "A", "linked")) },
		"mkdir":      func() error { return os.Mkdir(filepath.Join(m.root, "A", "folder"), 0o700) },
	} {
		if err := do(); !errors.Is(err, unix.ENODEV) {
			t.Errorf("%s: %v, want %v", name, err, unix.ENODEV)
		}
	}
}

// A file that is open past the cache can be mapped, as on ext4.
func TestMountedMapsDirect(t *testing.T) {
	var system unix.Utsname
	var major, minor int
	must(t, unix.Uname(&system))
	if _, err := fmt.Sscanf(unix.ByteSliceToString(system.Release[:]), "%d.%d", &major, &minor); err != nil || major*100+minor < 606 {
		t.Skipf("Linux %d.%d lets nobody do that: %v", major, minor, err)
	}
	m := mountHub(t, "usb-10g", "--scale", "0.1")
	path := filepath.Join(m.root, "A", "mapped")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("mapped. "), 1024), 0o600))
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_DIRECT, 0)
	must(t, err)
	mapped, err := unix.Mmap(fd, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err)
	if got := string(mapped[8:16]); got != "mapped. " {
		t.Errorf("mapped: %q", got)
	}
	copy(mapped, "written.")
	if err := errors.Join(unix.Msync(mapped, unix.MS_SYNC), unix.Munmap(mapped), unix.Close(fd)); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got[:16]) != "written.mapped. " {
		t.Errorf("the file holds %.16q (%v)", got, err)
	}
}

// While the folder behind does not answer, no more threads wait for it than a process can have, and an interrupt unmounts.
func TestMountedOnWhatHangs(t *testing.T) {
	const readers = 200
	release := make(chan struct{})
	answer := sync.OnceFunc(func() { close(release) })
	behind := fusetest.Mount(t, func(op trace.Role, _ int) syscall.Errno {
		if op == trace.Read {
			<-release
		}
		return 0
	})
	m := mountHub(t, "usb-10g", "--scale", "0.1", "--backing", behind)
	t.Cleanup(answer) // before the mount is waited for
	path := filepath.Join(m.root, "A", "file")
	must(t, os.WriteFile(path, make([]byte, readers*4096), 0o600))
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	must(t, err)
	defer f.Close()
	for i := range readers {
		go func() {
			page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err == nil {
				_, _ = unix.Pread(int(f.Fd()), page, int64(i)*4096)
			}
		}()
	}
	threads := func() int {
		list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", m.Process.Pid))
		return len(list)
	}
	most := 0
	for began := time.Now(); time.Since(began) < 3*time.Second; time.Sleep(50 * time.Millisecond) {
		most = max(most, threads())
	}
	if most < 60 || most > 100 { // 64 requests at once, and those of the runtime
		t.Errorf("%d threads, want 64 and a few", most)
	}
	must(t, m.send("INT"))
	if !check.Within(10*time.Second, func() bool { return !bytes.Contains(read(t, "/proc/self/mounts"), []byte(m.root)) }) {
		t.Fatalf("still mounted:\n%s", read(t, "/proc/self/mounts"))
	}
	answer()
	<-m.ended // that A was still in use
}
