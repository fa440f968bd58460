package check

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// These tests make file systems and devices with the faults that the checks of a disk are to find,
// and without them. That takes root's rights; CI must have them. Whatever happens, what they made
// goes away: devices are set to be detached by themselves, mounts are lazily undone.

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 && os.Getenv("CI") != "true" {
		t.Skip("needs root, to make devices and mount them")
	}
	if testing.Short() {
		t.Skip("moves a gigabyte or two")
	}
}

// mount mounts with these arguments and returns the folder.
func mountAt(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	testdisk.Run(t, "mount", append(args, dir)...)
	t.Cleanup(func() {
		if exec.Command("umount", dir).Run() != nil {
			testdisk.Run(t, "umount", "--lazy", dir)
		}
	})
	return dir
}

// loopDisk is a file system on a loop device over a file in a folder; it returns its root.
func loopDisk(t *testing.T, under, options string, mkfs ...string) string {
	t.Helper()
	image, err := os.CreateTemp(under, "hubbench-doctor-")
	must(t, err)
	t.Cleanup(func() { os.Remove(image.Name()) })
	must(t, errors.Join(image.Truncate(900<<20), image.Close()))
	testdisk.Run(t, mkfs[0], append(mkfs[1:], image.Name())...)
	return mountAt(t, "-o", "loop,"+options, image.Name())
}

// A sound disk passes every check: a journal that writes data twice, a cache that others fill and
// the like do not. The disk behind a file system is the same one whatever numbers the file system
// has: btrfs has its own.
func TestSoundDisks(t *testing.T) {
	needsRoot(t)
	for name, mkfs := range map[string][]string{
		"ext4": {"mkfs.ext4", "-q", "-m", "0"}, "XFS": {"mkfs.xfs", "-q", "-f"},
		"btrfs": {"mkfs.btrfs", "-q"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(mkfs[0]); err != nil && os.Getenv("CI") != "true" {
				t.Skip("nothing makes such a file system here: ", err)
			}
			path := loopDisk(t, os.TempDir(), "rw", mkfs...)
			f := oneDisk(t, options(t), path)
			if f.readCacheState(); !f.cacheKnown || !f.virtualDisk {
				t.Errorf("%+v, want a virtual disk that says whether its cache is volatile", f)
			}
			if name == "btrfs" {
				return // it counts more than what was moved
			}
			// A busy machine holds up requests, and a check says so, rightly.
			unsound := unsoundBy(diagnose(t, options(t), path))
			for tries := 1; tries < 10 && len(unsound) > 0; tries++ {
				unsound = unsoundBy(diagnose(t, options(t), path))
			}
			if len(unsound) > 0 {
				t.Errorf("never sound: %+v", unsound)
			}
		})
	}
}

// unsoundBy returns the checks that a sound disk does not pass.
func unsoundBy(found map[string]trace.Check) (unsound []trace.Check) {
	for code, c := range found {
		// What holds the images may lie in memory.
		if code != "not_disk" && c.Measured != "not known" && c.Verdict != trace.Pass {
			unsound = append(unsound, c)
		}
	}
	return unsound
}

// A folder in memory takes direct requests, and serves them from memory. A file system that refuses
// them is named as that; so is one that takes them, and goes through its cache.
func TestMemoryAndCaches(t *testing.T) {
	needsRoot(t)
	found := diagnose(t, options(t), mountAt(t, "-t", "tmpfs", "-o", "size=1g", "tmpfs"))
	hold(t, found, "direct", trace.Fail, "cache")
	hold(t, found, "direct_4k", trace.Skip, "see direct")
	hold(t, found, "counters", trace.Skip, "nothing counts")
	hold(t, found, "flush", trace.Fail, "sooner than a disk can answer")
	found = diagnose(t, options(t), mountAt(t, "-t", "ramfs", "ramfs"))
	hold(t, found, "direct", trace.Fail, "direct I/O is not available here", "invalid argument")
	found = diagnose(t, options(t),
		loopDisk(t, os.TempDir(), "data=journal", "mkfs.ext4", "-q", "-m", "0"))
	hold(t, found, "direct", trace.Fail, "cache")
}

// userSpace mounts a file system that keeps its files in memory. A process of its own serves it:
// Go's runtime cannot let others go on while a page of this process waits for its answer.
func userSpace(t *testing.T) string {
	t.Helper()
	behind, err := os.MkdirTemp("/dev/shm", "hubbench-doctor-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(behind) })
	dir := t.TempDir()
	cmd := options(t).Command("fuse", dir, behind)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_DETACH)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if said, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || said != "mounted\n" {
		t.Skip("no FUSE here: ", said, err)
	}
	return dir
}

// serveFUSE mounts the file system, says so, and serves it until it is unmounted.
func serveFUSE(dir, behind string) error {
	nothing := func(trace.Role, int) syscall.Errno { return 0 }
	server, err := fusetest.At(dir, behind, &fusetest.Device{Before: nothing})
	if err != nil {
		return err
	}
	fmt.Println("mounted")
	server.Wait()
	return nil
}

// A file system in user space whose flushes go nowhere is found by how soon they return.
func TestUserSpace(t *testing.T) {
	needsRoot(t)
	path := userSpace(t)
	// How soon a flush returns is the machine's matter, and a busy one takes as long as flash.
	const tries = 10
	for range tries {
		f := oneDisk(t, options(t), path)
		found := diagnoseBy(t, f, path)
		hold(t, found, "direct", trace.Pass, "0.0% in memory")
		if quantile(f.flushes.farthest(), 0.25) >= minFlash {
			continue
		}
		if v := found["flush"].Verdict; v != trace.Warn && v != trace.Fail {
			t.Errorf("flush: %s: %s", v, found["flush"].Measured)
		}
		if text := found["flush"].Text; !strings.Contains(text, "ignores flushes") {
			t.Errorf("flush: got %q", text)
		}
		return
	}
	t.Skipf("too busy: in %d tries no flush returned sooner than flash can be programmed", tries)
}

// A backup of the folder under test is at work on the disk.
func TestBackup(t *testing.T) {
	needsRoot(t)
	t.Parallel()
	yes, err := exec.LookPath("yes")
	if err != nil {
		t.Skip("no program to be renamed: ", err)
	}
	opts := options(t)
	opts.Paths = []string{t.TempDir()}
	rsync := filepath.Join(t.TempDir(), "rsync")
	testdisk.Run(t, "cp", "--dereference", yes, rsync)
	cmd := exec.Command(rsync, opts.Paths[0])
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	hold(t, examine(t, opts), "background", trace.Warn, "rsync", opts.Paths[0])
}

// A disk that a control group allows 20 MB or 200 requests a second is limited: the check knows it
// by what the system says.
func TestThrottledDisk(t *testing.T) {
	needsRoot(t)
	const blkio = "/sys/fs/cgroup/blkio"
	if _, err := os.Stat(blkio + "/blkio.throttle.write_bps_device"); err != nil {
		t.Skip("no control group that limits I/O here: ", err)
	}
	group := filepath.Join(blkio, "hubbench-doctor")
	if err := os.Mkdir(group, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	enter := func(group string) {
		must(t, os.WriteFile(filepath.Join(group, "cgroup.procs"), fmt.Append(nil, os.Getpid()),
			0o644))
	}
	t.Cleanup(func() {
		enter(blkio)
		for deadline := time.Now().Add(5 * time.Second); os.Remove(group) != nil &&
			time.Now().Before(deadline); {
		}
	})
	enter(group)
	path := loopDisk(t, os.TempDir(), "rw", "mkfs.ext4", "-q", "-m", "0")
	var at unix.Stat_t
	must(t, unix.Stat(path, &at))
	number := fmt.Sprintf("%d:%d", unix.Major(at.Dev), unix.Minor(at.Dev))
	for file, limit := range map[string]int{"write_bps": 20e6, "read_bps": 20e6, "read_iops": 200} {
		file = filepath.Join(group, "blkio.throttle."+file+"_device")
		must(t, os.WriteFile(file, fmt.Appendf(nil, "%s %d", number, limit), 0o644))
		defer func() { _ = os.WriteFile(file, fmt.Appendf(nil, "%s 0", number), 0o644) }()
	}
	// The limits' time, not the clock's, on which a busy machine has its say.
	tookS := func() float64 {
		var reads, writes, merged, readSectors, writtenSectors, ms float64
		stat, err := os.ReadFile("/sys/dev/block/" + number + "/stat")
		must(t, err)
		_, err = fmt.Sscan(string(stat), &reads, &merged, &readSectors, &ms, &writes, &merged,
			&writtenSectors)
		must(t, err)
		return (readSectors+writtenSectors)*512/20e6 + reads/200
	}
	beganS := tookS()
	found := diagnose(t, options(t), path)
	if took := tookS() - beganS; took < 1 || took > 120 {
		t.Errorf("what it moved takes %.0f s at the limits, want two minutes at most", took)
	} else {
		t.Logf("what it moved takes %.0f s at the limits", took)
	}
	hold(t, found, "limits", trace.Fail, "group /hubbench-doctor limits writing to 20.0 MB/s",
		"group /hubbench-doctor limits read requests to 200/s")
}
