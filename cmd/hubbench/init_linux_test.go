package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/testdisk"
)

// From disks that are plugged in to a report, in two commands: on loop devices, which only root can
// make.
func TestInitToReport(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make loop devices")
	}
	for _, tool := range []string{"mkfs.ext4", "mount", "findmnt"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	// Mounts of this thread's own go with it, even if the test is killed, and the loop devices with
	// them. The process's first thread never goes, and what it has mounted /proc/self tells for
	// all: it is kept from the test.
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		defer runtime.UnlockOSThread()
		t.Run("on another thread", initToReport)
		return
	}
	initToReport(t)
}

func initToReport(t *testing.T) {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skipf("no mounts of one's own here: %v", err)
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	// The disks of other tests are mounted here too, now, and would stay in use for as long as this
	// process lives.
	for _, at := range testdisk.MountsIn(testdisk.Memory) {
		if strings.HasPrefix(at, testdisk.Memory+"/hubbench-") {
			if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
				t.Errorf("let go of %s: %v", at, err)
			}
		}
	}
	command := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		return strings.TrimSpace(string(out))
	}
	var loops []string
	for _, name := range []string{"one", "it's two"} {
		image, mount := filepath.Join(t.TempDir(), "image"), filepath.Join(t.TempDir(), name)
		write(t, image, "")
		must(t, os.Truncate(image, 320<<20))
		must(t, os.Mkdir(mount, 0o755))
		command("mkfs.ext4", "-q", "-m", "0", image)
		// mount makes a loop device that goes by itself when nothing is mounted from it.
		command("mount", "-o", "loop", image, mount)
		t.Cleanup(func() { command("umount", mount) })
		loops = append(loops,
			filepath.Base(command("findmnt", "--noheadings", "--output", "SOURCE", mount)))
	}
	t.Chdir(t.TempDir())
	hubbench(t, "init", "--disks", strings.Join(loops, ","))
	data := read(t, "hubbench.yaml")
	hubbench(t, "plan", "hubbench.yaml") // which fails if a check does
	quick := bytes.ReplaceAll(data, []byte("stop: 10 s"), []byte("stop: 300 ms"))
	quick = bytes.ReplaceAll(quick, []byte("cooldown: 2 s"), []byte("cooldown: 0 s"))
	write(t, "hubbench.yaml", string(quick))
	hubbench(t, "run", "hubbench.yaml", "--out", "run")
	if _, err := os.Stat("run/report.html"); err != nil {
		t.Error(err)
	}
	if said := hubbench(t, "analyze", "run", "--all"); !strings.Contains(said, "A and B write") ||
		strings.Contains(said, "Failed") {
		t.Errorf("not all of it was measured:\n%s\n%s", data, said)
	}
}
