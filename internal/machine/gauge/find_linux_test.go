package gauge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What is written to a folder shows in its disk's count, and two folders of one disk have the same
// counters.
func TestCount(t *testing.T) {
	dir := t.TempDir()
	before, err := Count(t.Context(), dir)
	if err != nil {
		t.Skip("the temporary folder is on no block device: ", err)
	}
	const size = 8 << 20
	file, err := os.Create(filepath.Join(dir, "f"))
	if err == nil {
		_, err = file.Write(make([]byte, size))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	after, err := Count(t.Context(), dir)
	if err != nil || after.Written-before.Written < size || after.Sum()-before.Sum() < size {
		t.Errorf("writing %d bytes moved the count from %+v to %+v, %v", size, before, after, err)
	}
	if c, err := Count(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Errorf("a folder that does not exist has moved %+v", c)
	}
	sources := new(Finder).Find(t.Context(),
		[]Target{{"A", dir}, {"none", "/proc"}, {"B", t.TempDir()}})
	reads, err := sources[0].Read(t.Context())
	if err != nil || len(reads) != 4 || !sources[0].Total {
		t.Fatalf("%s: %v, %v", sources[0].Name, reads, err)
	}
	for i, want := range []Reading{
		{"A", trace.DeviceRead, reads[1].Value}, {"B", trace.DeviceRead, reads[0].Value},
		{"A", trace.DeviceWrite, reads[3].Value}, {"B", trace.DeviceWrite, reads[2].Value},
	} {
		check.Same(t, fmt.Sprintf("reading %d", i), want, reads[i])
	}
}

// cpuTime is what this process has used so far.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var use unix.Rusage
	check.Must(t, unix.Getrusage(unix.RUSAGE_SELF, &use))
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// Reading everything that the kernel reports eight disks takes less than a hundredth of a second of
// one core, so that once a second it is under 1 %.
func TestCost(t *testing.T) {
	dir := t.TempDir()
	var sources []Source
	// Each found by itself, so that none is shared.
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		sources = append(sources, new(Finder).Find(t.Context(), []Target{{name, dir}})...)
	}
	const rounds = 200
	before := cpuTime(t)
	for range rounds {
		for _, s := range sources {
			if s.Every == Every {
				_, _ = s.Read(t.Context())
			}
		}
	}
	took := (cpuTime(t) - before) / rounds
	t.Logf("%d sources: %s of one core each second", len(sources), took)
	if took > 10*time.Millisecond {
		t.Errorf("reading all takes %s of CPU", took)
	}
}
