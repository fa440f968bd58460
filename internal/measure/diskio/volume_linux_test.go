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

func TestVolumeFillsUp(t *testing.T) {
	for _, tt := range []struct {
		name     string
		role     trace.Role
		reserve  bool
		sizes    []int64
		prepares bool
		want     string
	}{
		{"while writing", trace.Write, false, []int64{8 << 20, 200 << 20}, true, "write file 1"},
		{"while allocating", trace.Write, true, []int64{8 << 20, 200 << 20}, true,
			"allocate test file data-000001.bin"},
		{"while the files to be read are written", trace.Read, false, []int64{200 << 20}, false,
			"write test file 0 before the phase"},
	} {
		for how, sys := range systems {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				runtime.LockOSThread()
				dir := mountVolume(t, 64, "rw")
				job := newJob(dir, tt.role, tt.sizes...)
				job.IO.Preallocate = tt.reserve
				engine := newMover(job, sys)
				_, err := engine.Prepare(t.Context(), func(int64) {})
				if (err == nil) != tt.prepares {
					t.Fatalf("Prepare() = %v", err)
				}
				if tt.prepares {
					started(engine)
					moved(t, engine, 0)
					_, err = engine.Transfer(t.Context(), 1, nil)
				}
				if err == nil {
					t.Fatal("200 MiB fit into 64")
				}
				for _, want := range []string{"disk B: ", tt.want, dir, "no space left on device",
					"free some space"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("got %v, want it to say %q", err, want)
					}
				}
				closeEngine(t, engine)
				if got := names(t, dir); len(got) != 1 || got[0] != "lost+found" {
					t.Errorf("left: %q", got)
				}
			})
		}
	}
}

func TestReadOnlyVolume(t *testing.T) {
	dir := mountVolume(t, 16, "ro")
	engine := newMover(newJob(dir, trace.Write, 1), systems["io_uring"])
	_, err := engine.Prepare(t.Context(), func(int64) {})
	if err == nil || !strings.Contains(err.Error(), "disk B: prepare in "+dir) ||
		!strings.Contains(err.Error(), "mount the volume writable") {
		t.Errorf("Prepare() = %v, want an error that says so", err)
	}
	closeEngine(t, engine)
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
			if want := job.Bytes(); got < want*999/1000 || got > want*1001/1000 {
				t.Errorf("%s, %s: the device counted %d bytes, reported were %d", how, what, got,
					want)
			}
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
