package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/check"
)

// newBeneathFolder makes a folder of such a file system itself. It is well again before it is
// removed.
func newBeneathFolder(t testing.TB) (b *beneath, root string) {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil && !ci() {
		t.Skip("no FUSE here")
	}
	root, behind := filepath.Join(t.TempDir(), "disk"), inMemory(t)
	must(t, os.Mkdir(root, 0o755))
	b = &beneath{t: t}
	t.Cleanup(func() {
		b.recover()
		check.Within(timeout, func() bool { return unix.Unmount(root, 0) == nil })
		b.end()
	})
	must(t, b.serve(root, behind))
	return b, root
}

// kill ends it as nobody should: every request to its files fails from then on.
func (b *beneath) kill() error {
	err := b.cmd.Process.Kill()
	b.end()
	b.cmd = nil
	return err
}

// Each fault of single requests is reported as what it is, and no test file is left unless the disk
// is gone.
func TestFaultsOfRequests(t *testing.T) {
	t.Parallel()
	c := faults(t,
		"requests that fail, are slow or find neither space nor disk; wrong and short data")
	for _, tc := range []struct {
		fault, workload string
		phase           string // keys of both phases
		args            []string
		code            int
		said            string // on stderr
	}{
		{fault: "fail after 25000000", code: exit.Partial,
			said: "disk A, phase W: write file 1 in " +
				"ROOT: input/output error; the disk was disconnected or has failed"},
		{fault: "fill after 25000000", code: exit.Partial,
			said: "disk A, phase W: write file 1 in " +
				"ROOT: no space left on device; free some space"},
		{
			fault: "stall after 25000000", args: []string{"--stall", "2s"}, code: exit.Partial,
			said: "check that the disk is still connected",
		},
		{fault: "vanish after 25000000", code: exit.Partial,
			said: "disk A, phase W: write file 1 in " +
				"ROOT: no such device; the disk was disconnected or has failed"},
		{fault: "corrupt", code: exit.Partial,
			said: "disk A, phase W: write file 0 in ROOT: the disk " +
				"returned different data than was written, in test file 0 at byte 524288: wrote"},
		{
			fault: "corrupt after 45000000", workload: ", verify: stamps", code: exit.Partial,
			said: "disk A, phase R: read file 0 in ROOT: the disk returned different data than was " +
				"written, in test file 0 at byte ",
		},
		// Whoever asks again for the rest, as is right, notices nothing. At a pace requests come
		// from threads: those of io_uring get wrong data from Linux itself, which reads on from
		// where a request of FUSE began (seen in 6.18).
		{fault: "shorten", workload: ", io: app", code: exit.OK},
		{fault: "shorten", phase: ", pace: 1 GB/s", code: exit.OK},
		{fault: "delay flushes", workload: ", flush: fsync", code: exit.OK},
	} {
		if !strings.Contains(tc.workload, "verify") {
			tc.workload += ", verify: full"
		}
		c.try(tc.fault+tc.workload+tc.phase, func(t *testing.T) {
			b, root := newBeneathFolder(t)
			must(t, b.tell(tc.fault))
			r := beginRun(t, `version: 1
name: faults
disks: [{name: A, path: '`+root+`'}]
allow_system_disk: true
workload: {sizes: [10 MB], files: 4`+tc.workload+`}
phases: [{pattern: W`+tc.phase+`}, {pattern: R`+tc.phase+`}]
`, tc.args...)
			began := time.Now()
			code, said := r.wait()
			want := strings.ReplaceAll(tc.said, "ROOT", root)
			if code != tc.code || !strings.Contains(said, want) {
				t.Errorf("exit code %d, want %d and %q; it said\n%s", code, tc.code, want, said)
			}
			took := time.Since(began) // four files are flushed
			if tc.fault == "delay flushes" && took < 2*time.Second {
				t.Errorf("it took %s, and four flushes of half a second", took)
			}
			left := func() (left []string) {
				for _, pattern := range []string{"data-*", "trial-*"} {
					found, err := filepath.Glob(filepath.Join(b.behind, ".hubbench-*", pattern))
					must(t, err)
					left = append(left, found...)
				}
				return left
			}
			gone := strings.HasPrefix(tc.fault, "vanish")
			if gone && len(left()) == 0 {
				t.Error("files were removed from a disk that is gone")
			}
			// After a stall its files are removed when the disk is back.
			if !gone && !check.Within(timeout, func() bool { return len(left()) == 0 }) {
				t.Errorf("left: %q", left())
			}
		})
	}
}

// A file system whose process is killed while a run writes to it is as a disk that was unplugged.
func TestFaultsOfAKilledFileSystem(t *testing.T) {
	t.Parallel()
	c := faults(t, "a file system whose process is killed under load")
	c.try("killed", func(t *testing.T) {
		b, root := newBeneathFolder(t)
		well := inMemory(t)
		r := beginRun(t, endless(root, well, writing))
		r.inject("WW", b.kill)
		r.holds(exit.Partial, `partial run: disk A, phase WW: [^\n]*; `+
			`the disk was disconnected or has failed`, well)
	})
}
