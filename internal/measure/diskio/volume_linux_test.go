package diskio

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// mountVolume makes an ext4 file system of that many MiB on a loop device over a file in memory,
// mounts it with the options and returns its root. That takes root's rights; CI must have them.
func mountVolume(t *testing.T, mib int64, options string) string {
	t.Helper()
	disk := testdisk.Make(t, testdisk.Options{Bytes: mib << 20}, os.Getenv("CI") == "true")
	// All of it is laid out at once: the kernel would otherwise go on with that while a test counts
	// what the device moves.
	check.Must(t, disk.Format(0, "mkfs.ext4", "-q", "-m", "0", "-E",
		"lazy_itable_init=0,lazy_journal_init=0"))
	root, err := disk.Mount(0, options)
	check.Must(t, err)
	return root
}

// A volume on which a job cannot begin. What becomes of one that fills up or turns read-only later
// is tested on whole runs (cmd/hubbench).
func TestVolumeTakesNoFiles(t *testing.T) {
	for _, tt := range []struct {
		options string
		reserve bool
		want    []string
	}{
		{"rw", false, []string{"write test file 0 before the phase", "no space left on device",
			"free some space"}},
		{"rw", true, []string{"allocate test file data-000000.bin", "no space left on device"}},
		{"ro", false, []string{"mount the volume writable"}},
	} {
		dir := mountVolume(t, 64, tt.options)
		job := newJob(dir, trace.Read, 200<<20)
		job.IO.Preallocate = tt.reserve
		runtime.LockOSThread()
		engine := newMover(job, systems["io_uring"])
		_, err := engine.Prepare(t.Context(), func(int64) {})
		for _, want := range append(tt.want, "disk B: prepare in "+dir) {
			check.Refused(t, "Prepare()", err, want)
		}
		closeEngine(t, engine)
		check.Same(t, "left", []string{"lost+found"}, check.Names(t, dir))
	}
}

// The bytes that the device counts are those reported, within 0.1 %: none came from a cache, and
// nothing was moved beside them. The loop device belongs to this test alone.
func TestDeviceCountsWhatIsReported(t *testing.T) {
	dir := mountVolume(t, 250, "rw,noatime,commit=300")
	source := testdisk.Run(t, "findmnt", "-n", "-o", "SOURCE", dir)
	write := newJob(dir, trace.Write, 100<<20, 100<<20)
	write.IO.Block = 1 << 20
	read := write
	read.Role = trace.Read
	random := newJob(dir, trace.Read, 50<<20, 50<<20, 50<<20)
	random.IO.Block, random.IO.Depth, random.IO.OneFile, random.IO.Access = 4096, 32, true, "random"
	app := read
	app.IO.Mode = "app"
	for _, how := range []string{"threads", "io_uring"} {
		sys := systems[how]
		for what, job := range map[string]Job{"write": write, "read": read, "random read": random,
			"app read": app} {
			role := job.Role
			engine, _ := prepared(t, job, sys)
			testdisk.Run(t, "sync")
			before := sectors(t, source, role)
			transferAll(t, engine)
			got := (sectors(t, source, role) - before) * 512
			check.Near(t, how+", "+what+": bytes counted by the device", float64(job.Bytes()),
				float64(got), 0.001*float64(job.Bytes()))
			closeEngine(t, engine)
		}
	}
}

// sectors is how many sectors of 512 bytes the device has moved so far.
func sectors(t *testing.T, device string, role trace.Role) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/sys/class/block", filepath.Base(device), "stat"))
	check.Must(t, err)
	column := 2
	if role == trace.Write {
		column = 6
	}
	n, err := strconv.ParseInt(strings.Fields(string(text))[column], 10, 64)
	check.Must(t, err)
	return n
}
