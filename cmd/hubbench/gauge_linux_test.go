package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// quietRuns is how many clean runs TestGaugesOfCleanRuns makes: 20 in make proof FULL=1.
var quietRuns = flag.Int("quiet-runs", 1,
	"clean `runs` that must show no foreign traffic and no cache")

const (
	runRate     = 300e6 // what the device gives the run, in bytes per second
	foreignRate = 50e6  // what the test moves beside it
)

// heldVolume is a file system on a device that the kernel lets hubbench, and none but hubbench, use
// at a rate in either direction.
type heldVolume struct {
	root string
	disk *testdisk.Disk
}

func newHeldVolume(t *testing.T, rate float64) heldVolume {
	t.Helper()
	disk := testdisk.Make(t, testdisk.Options{Bytes: 1500e6}, ci())
	root := format(t, disk, "")
	if err := disk.Limit(rate, rate); errors.Is(err, testdisk.ErrNoLimits) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return heldVolume{root: root, disk: disk}
}

// run begins a scenario on the volume; wait gives its analysis.
func (v heldVolume) run(t *testing.T, workload, phases string) (out string,
	wait func() *analysis.Analysis) {
	t.Helper()
	return v.begin(t,
		fmt.Sprintf("version: 1\nname: gauges\ndisks: [{name: A, path: %s}]\n", v.root)+
			fmt.Sprintf("workload: %s\nphases: %s\n", workload, phases))
}

// begin begins a run that the volume holds back.
func (v heldVolume) begin(t *testing.T, text string) (out string, wait func() *analysis.Analysis) {
	t.Helper()
	dir := t.TempDir()
	scenario := write(t, filepath.Join(dir, "s.yaml"), text)
	out = filepath.Join(dir, "out")
	p := start(t, v.disk.Command(context.Background(), "hubbench", "run", scenario, "--yes",
		"--quiet", "--out", out, "--allow", "same_disk"))
	return out, func() *analysis.Analysis {
		t.Helper()
		<-p.ended // which with a search takes minutes
		if code, said := p.wait(); code != exit.OK {
			t.Fatalf("exit code %d\n%s", code, said)
		}
		return readAnalysis(t, out)
	}
}

// figure is one of a finding's or a warning's numbers, as analysis.json has them.
func figure(values any, key string) float64 { return values.(map[string]any)[key].(float64) }

// found is the finding of a code, nil if there is none.
func found(a *analysis.Analysis, code string) *analysis.Finding {
	i := slices.IndexFunc(a.Findings, func(f analysis.Finding) bool { return f.Code == code })
	if i < 0 {
		return nil
	}
	return &a.Findings[i]
}

// awaitEvent waits until the journal of a run has a line that matches.
func awaitEvent(t *testing.T, out, line string) {
	t.Helper()
	if !check.Within(timeout, func() bool {
		data, _ := os.ReadFile(filepath.Join(out, rundir.EventsFile))
		return regexp.MustCompile(line).Match(data)
	}) {
		t.Fatalf("no event %s", line)
	}
}

// Three seconds of what direct and cached I/O move at runRate.
const (
	someFiles = "{sizes: [100MB], files: 9}"
	appFiles  = "{sizes: [100MB], files: 9, io: app, flush: fsync}"
)

// What writes beside the run does so before and after it, and the run takes nine seconds: a busy
// machine may hold up either for a while.
func TestGaugesFindForeignTraffic(t *testing.T) {
	v := newHeldVolume(t, runRate/3)
	writeBeside(t, filepath.Join(v.root, "other"))
	_, wait := v.run(t, someFiles, "[{pattern: W, name: w}]")
	a := wait()
	f := found(a, "foreign_traffic")
	if f == nil {
		t.Fatalf("findings %+v, want foreign traffic", a.Findings)
	}
	t.Log(f.Text)
	evidence.Report(t, evidence.Within("gauges",
		"the rate of another program's writes beside a run", "B/s", foreignRate,
		figure(f.Values, "rate"), 0.1))
	// It went on for as long as the device was watched, which is a little longer than files were
	// moved.
	from, to := figure(f.Values, "from_s"), figure(f.Values, "to_s")
	if end := a.Phases[0].Series.EndS; from > 0.2*end || to < 0.9*end {
		t.Errorf("from %.1f to %.1f s, want all of the %.1f s in which files were moved", from, to,
			end)
	}
	if got, want := figure(f.Values, "bytes"), foreignRate*(to-from); got < 0.9*want ||
		got > 1.1*want {
		t.Errorf("got %.1f MB, want %.1f within 10%%", got/1e6, want/1e6)
	}
}

// writeBeside writes to a file, past the cache and at foreignRate, until the test ends.
func writeBeside(t *testing.T, path string) {
	t.Helper()
	const block = 1 << 20
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_WRONLY|unix.O_DIRECT, 0o600)
	must(t, err)
	buf, err := unix.Mmap(-1, 0, block, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	must(t, err)
	quit := make(chan struct{})
	var group sync.WaitGroup
	began := time.Now()
	group.Go(func() {
		for bytes := 0.0; ; {
			select {
			case <-quit:
				return
			case <-time.After(5 * time.Millisecond):
			}
			for ; bytes < foreignRate*time.Since(began).Seconds(); bytes += block {
				if _, err := unix.Pwrite(fd, buf, int64(bytes)%(64<<20)); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	t.Cleanup(func() {
		close(quit)
		group.Wait()
		if err := unix.Close(fd); err != nil {
			t.Error(err)
		}
	})
}

func TestGaugesFindCache(t *testing.T) {
	v := newHeldVolume(t, runRate)
	out, wait := v.run(t, appFiles, "[{pattern: W, name: w}, {pattern: R, name: r, cooldown: 2s}]")
	awaitEvent(t, out, `"phase_end".*"w"`)
	// What is mapped stays in the cache, whatever hubbench does to empty it.
	files, _ := filepath.Glob(filepath.Join(v.root, "*", "data-*.bin"))
	more, _ := filepath.Glob(filepath.Join(v.root, "*", "*", "data-*.bin"))
	files = append(files, more...)
	if len(files) == 0 {
		t.Fatal("no test files between the phases")
	}
	for _, name := range files[:len(files)/2] {
		file, err := os.Open(name)
		must(t, err)
		defer file.Close()
		pages, err := unix.Mmap(int(file.Fd()), 0, 100e6, unix.PROT_READ,
			unix.MAP_SHARED|unix.MAP_POPULATE)
		must(t, err)
		defer unix.Munmap(pages)
	}
	a := wait()
	f := found(a, "cached")
	if f == nil || f.Phase != "r" {
		t.Fatalf("findings %+v, want a cache in r", a.Findings)
	}
	t.Log(f.Text)
	evidence.Report(t, evidence.Within("gauges", "bytes that came from the system's cache", "B",
		100e6*float64(len(files)/2), figure(f.Values, "bytes"), 0.1))
	if f := found(a, "foreign_traffic"); f != nil {
		t.Error(f.Text)
	}
}

func TestGaugesOfCleanRuns(t *testing.T) {
	v := newHeldVolume(t, runRate)
	alarms := 0
	for i := range *quietRuns {
		workload := []string{
			someFiles, appFiles, "{sizes: [1MB], files: 700}",
			"{sizes: [100MB], files: 6, verify: full}", "{sizes: [30MB], files: 10}",
			"{sizes: [64KB], files: 2000, io: app, flush: none}",
		}[i%6]
		end := "race"
		if i%6 == 4 {
			end = "3s" // what is under way is cut short
		}
		_, wait := v.run(t, workload,
			fmt.Sprintf("[{pattern: W, name: w, stop: %[1]s}, {pattern: R, name: r, stop: %[1]s}]",
				end))
		a := wait()
		for _, code := range []string{"foreign_traffic", "cached"} {
			if f := found(a, code); f != nil {
				alarms++
				t.Logf("run %d, %s: %s", i, workload, f.Text)
			}
		}
		for _, p := range a.Phases {
			d := p.Disks["A"].Device
			if d == nil || d.CountedWriteBytes+d.CountedReadBytes == 0 {
				t.Fatalf("run %d, phase %s: no gauges: %+v", i, p.Name, d)
			}
			var reads float64
			if d.ReadBytes != nil {
				reads = float64(*d.ReadBytes-d.CountedReadBytes) / 1e6
			}
			t.Logf("run %d, %s, %s: device beyond what was counted: read %+.3f MB, "+
				"written %+.3f MB of %d MB", i, workload, p.Name, reads,
				float64(d.WriteBytes-d.CountedWriteBytes)/1e6,
				(d.CountedReadBytes+d.CountedWriteBytes)/1e6)
		}
	}
	evidence.Report(t, evidence.AtMost("gauges",
		"clean runs that are said to have had foreign traffic or a cache", alarms, *quietRuns, 0))
}

// clockSteps builds hubbench once more, which takes minutes: in make proof.
var clockSteps = flag.Bool("clock-steps", false,
	"run a hubbench whose wall clock is set to and fro all the time")

// The wall clock of a machine that is set while it measures. The machine's own is left alone:
// hubbench is built with a package time whose clock jumps by an hour and a half, forth and back,
// five times a second, in all of its processes.
func TestFaultsOfTheClock(t *testing.T) {
	c := faults(t, "a wall clock that is set to and fro")
	c.try("steps", func(t *testing.T) {
		if !*clockSteps {
			c.left = "needs minutes to build; -clock-steps does"
			t.Skip(c.left)
		}
		dir := t.TempDir()
		//nolint:staticcheck // The one that builds this test.
		source := filepath.Join(runtime.GOROOT(), "src", "time", "time.go")
		text := read(t, source)
		const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
		if !strings.Contains(string(text), now) {
			t.Fatalf("%s reads the clock in another way than this test knows", source)
		}
		stepping := strings.Replace(string(text), now, now+
			"\tif mono/100_000_000%2 == 0 {\n\t\tsec += 3600\n\t} else {\n\t\tsec -= 1800\n\t}\n",
			1)
		replaced := map[string]string{source: filepath.Join(dir, "time.go")}
		overlay, err := json.Marshal(map[string]any{"Replace": replaced})
		must(t, err)
		for name, data := range map[string][]byte{"time.go": []byte(stepping),
			"overlay.json": overlay} {
			write(t, filepath.Join(dir, name), data)
		}
		program := filepath.Join(dir, "hubbench")
		if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"),
			"-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}

		a, b := inMemory(t), inMemory(t)
		r := &faultRun{t: t, out: filepath.Join(dir, "out")}
		scenario := write(t, filepath.Join(dir, "s.yaml"),
			endless(a, b, strings.Replace(writing, "stop: 60 s", "stop: 3 s", 1)))
		began := time.Now()
		r.process = start(t, exec.Command(program, "run", scenario, "--yes", "--allow",
			"same_disk,busy,background", "--out", r.out))
		r.ends(exit.OK, `report: `)
		took := time.Since(began).Seconds()
		r.before = readEvents(t, r.out)
		phase := r.keeps().Phases[0]
		r.leaves(a, b)
		if phase.Overlap == nil || phase.Overlap.DurationS < 2.5 || phase.Overlap.DurationS > 3.5 {
			t.Errorf("the overlap is %+v, want 3 s", phase.Overlap)
		}
		for _, w := range phase.Warnings {
			if w.Code == "stopped" || w.Code == "start_skew" && figure(w.Values, "seconds") > 1 {
				t.Errorf("it warns of %+v", w)
			}
		}
		for name, d := range phase.Disks {
			// At its pace of 20 MB/s.
			if rate := float64(d.Bytes) / d.BusyS; d.BusyS > took || rate < 15e6 || rate > 25e6 {
				t.Errorf("disk %s was busy for %g s of %g at %g B/s", name, d.BusyS, took, rate)
			}
		}
		info, err := rundir.LoadInfo(r.out)
		must(t, err)
		if started, err := time.Parse(time.RFC3339, info.Started); err != nil ||
			started.Sub(began).Abs() < 20*time.Minute {
			t.Errorf("it says that it began at %s (%v): its clock is not set", info.Started, err)
		}
	})
}
