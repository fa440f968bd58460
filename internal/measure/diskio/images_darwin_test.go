package diskio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/machine/libsystem"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What is believed of macOS from its sources is tried on disk images of its file systems, step by
// step: each step says what was seen, and the next follows whatever came of it.
func TestDiskImages(t *testing.T) {
	if _, err := exec.LookPath("hdiutil"); err != nil {
		t.Skip("hdiutil is not here: this is no Mac")
	}
	version, _ := exec.Command("sw_vers", "-productVersion").Output()
	t.Logf("macOS %s, pages of %d bytes, small writes past the cache: %v",
		strings.TrimSpace(string(version)),
		os.Getpagesize(), libsystem.WriteSmallDirectly())
	for kind, format := range map[string]string{"apfs": "APFS", "exfat": "ExFAT",
		"msdos": "MS-DOS FAT32"} {
		t.Run(kind, func(t *testing.T) {
			i := &image{T: t, kind: kind, dir: attach(t, format)}
			var volume unix.Statfs_t
			check.Must(t, unix.Statfs(i.dir, &volume))
			i.small = volume.Bsize < cachedBelow
			t.Logf("blocks of %d bytes, mounted from %s", volume.Bsize,
				unix.ByteSliceToString(volume.Mntfromname[:]))
			i.expect("the kind of file system", kind, fileSystem(i.dir))
			folder, err := os.OpenRoot(i.dir)
			check.Must(t, err)
			t.Cleanup(func() { _ = folder.Close() })
			i.folder = folder
			i.directWrites()
			i.reserves()
			i.evicts()
			i.locks()
			i.flushes()
			i.doesAJob()
		})
	}
}

// attach makes an image of 3 GB with a file system, and returns where it is mounted.
func attach(t *testing.T, format string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check.Must(t, err)
	file, at := filepath.Join(dir, "image.sparseimage"), filepath.Join(dir, "mounted")
	check.Must(t, os.Mkdir(at, 0o755))
	for _, args := range [][]string{
		{"create", "-size", "3g", "-type", "SPARSE", "-fs", format, "-volname", "HUBBENCH", file},
		{"attach", "-nobrowse", "-mountpoint", at, file},
	} {
		out, err := exec.Command("hdiutil", args...).CombinedOutput()
		t.Logf("hdiutil %q: %v\n%s", args, err, out)
		check.Must(t, err)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("hdiutil", "detach", "-force",
			at).CombinedOutput(); err != nil {
			t.Errorf("detach: %v\n%s", err, out)
		}
	})
	return at
}

// image is a mounted image under test.
type image struct {
	*testing.T
	kind, dir string
	folder    *os.Root
	// Its blocks are smaller than what macOS writes directly without being asked to
	// (cluster_write_ext).
	small bool
}

// expect says what a step found, and fails if that is not as expected; the test goes on.
func (i *image) expect(step, want string, got any) {
	i.Helper()
	i.Logf("%s: %v", step, got)
	if fmt.Sprint(got) != want {
		i.Errorf("%s: got %v, expected %s", step, got, want)
	}
}

// file makes a file for a step, or says why it could not.
func (i *image) file(name string, direct bool) testFile {
	i.Helper()
	f, err := openTestFile(i.folder, name, opening{op: trace.Write, direct: direct, lanes: 1})
	check.Must(i, err)
	i.Cleanup(func() { _ = f.close() })
	return f
}

// directWrites writes pages and parts of them. FAT may pass what makes a file longer through the
// cache, which is said.
func (i *image) directWrites() {
	f := i.file("direct", true)
	buf, err := newBuffer(1 << 20)
	check.Must(i, err)
	defer freeBuffer(buf)
	for _, step := range []struct {
		name   string
		off, n int64
	}{
		{"a direct MiB that makes the file", 0, 1 << 20},
		{"a direct write of 16 KiB in it", 64 << 10, 16 << 10},
		{"a direct write of 4 KiB in it", 132 << 10, 4 << 10},
		{"one behind its end", 1 << 20, 4 << 10},
	} {
		_, err := f.writeAt(0, buf[:step.n], step.off)
		kept := f.cached(2 << 20)
		i.Logf("%s: %v, %d bytes cached", step.name, err, kept)
		inside := step.off < 1<<20 && (step.off > 0 || i.kind == "apfs")
		if err != nil || kept != 0 && inside && (i.small || step.n >= cachedBelow) {
			i.Errorf("%s: %v and %d bytes in the cache, expected none", step.name, err, kept)
		}
		_ = f.evict()
	}
	tr, err := probe(openTestFile, i.folder, true, cachedBelow)
	i.Logf("the probe finds %+v, %v", tr, err)
	i.expect("the probe finds small writes to be direct", fmt.Sprint(i.small), tr.smallDirect)
}

// reserves tries to reserve 1 GiB. On APFS that takes no time; what FAT does decides whether fills
// is right about it.
func (i *image) reserves() {
	f := i.file("reserved", true)
	before, countErr := gauge.Count(i.Context(), i.dir)
	start := time.Now()
	err := f.reserve(1 << 30)
	took := time.Since(start)
	flushErr := f.flush(scenario.FlushFsync)
	after, afterErr := gauge.Count(i.Context(), i.dir)
	moved := after.Written - before.Written
	i.Logf("a reserve of 1 GiB: %v after %v; the device then wrote %d bytes (%v)", err, took, moved,
		errors.Join(countErr, flushErr, afterErr))
	zeros := took > time.Second || moved > 10e6
	tr := traits{fileSystem: i.kind}
	i.expect("1 GiB is refused, or takes a second or 10 MB", fmt.Sprint(tr.fills()), err != nil ||
		zeros)
	i.expect("the counters can be read", "<nil>", errors.Join(countErr, afterErr))
}

// evicts writes through the cache and drops that.
func (i *image) evicts() {
	f := i.file("cached", false)
	_, err := f.writeAt(0, make([]byte, 8<<20), 0)
	i.expect("8 MiB through the cache", "<nil>", err)
	i.Logf("%d bytes of them are cached", f.cached(8<<20))
	i.expect("dropping them", "<nil>", f.evict())
	i.expect("what is cached afterwards", "0", f.cached(8<<20))
}

// locks takes a lock twice.
func (i *image) locks() {
	for _, want := range []error{nil, filesystem.ErrBusy} {
		f, err := i.folder.OpenFile("lock", os.O_RDWR|os.O_CREATE, 0o600)
		check.Must(i, err)
		i.Cleanup(func() { _ = f.Close() })
		i.expect("a lock on one file", fmt.Sprint(want), filesystem.Lock(f))
	}
}

// flushes tries both flushes. Which there are on FAT is to be found out.
func (i *image) flushes() {
	f := i.file("flushed", true)
	for _, mode := range []string{scenario.FlushFsync, scenario.FlushFull} {
		_, writeErr := f.writeAt(0, make([]byte, 16<<10), 0)
		start := time.Now()
		err := errors.Join(writeErr, f.flush(mode))
		i.Logf("flush %s: %v after %v", mode, err, time.Since(start))
		if err != nil && (i.kind == "apfs" || !filesystem.Unsupported(err)) {
			i.Errorf("flush %s: got %v, expected one that works", mode, err)
		}
	}
}

// doesAJob writes and reads files as a run does.
func (i *image) doesAJob() {
	for _, role := range []trace.Role{trace.Write, trace.Read} {
		job := newJob(i.dir, role, 64<<20, 12345, 1<<20)
		job.IO.Block = 8 << 20
		tried, err := Try(i.Context(), job, func() {})
		i.Logf("a job that %ss: %+v, %v", role, tried, err)
		i.expect("the cache of a job that "+string(role)+"s", "direct", tried.Effective.Cache)
		i.expect("its error", "<nil>", err)
	}
	left, err := filepath.Glob(filepath.Join(i.dir, testfolder.Prefix+"*"))
	check.Must(i, err)
	i.expect("folders left behind", "[]", left)
}
