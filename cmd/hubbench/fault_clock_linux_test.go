package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// clockSteps builds hubbench once more, which takes minutes: in make proof.
var clockSteps = flag.Bool("clock-steps", false, "run a hubbench whose wall clock is set to and fro all the time")

// The wall clock of a machine that is set while it measures. The machine's own is left alone: hubbench is built with a
// package time whose clock jumps by an hour and a half, forth and back, five times a second, in all of its processes.
func TestFaultsOfTheClock(t *testing.T) {
	c := faults(t, "a wall clock that is set to and fro")
	c.try("steps", func(t *testing.T) {
		if !*clockSteps {
			c.left = "needs minutes to build; -clock-steps does"
			t.Skip(c.left)
		}
		dir := t.TempDir()
		source := filepath.Join(runtime.GOROOT(), "src", "time", "time.go") //nolint:staticcheck // the one that builds this test
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
		if !strings.Contains(string(text), now) {
			t.Fatalf("%s reads the clock in another way than this test knows", source)
		}
		stepping := strings.Replace(string(text), now, now+"\tif mono/100_000_000%2 == 0 {\n\t\tsec += 3600\n\t} else {\n\t\tsec -= 1800\n\t}\n", 1)
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: filepath.Join(dir, "time.go")}})
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"time.go": []byte(stepping), "overlay.json": overlay} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		program := filepath.Join(dir, "hubbench")
		if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}

		a, b := inMemory(t), inMemory(t)
		r := &faultRun{t: t, out: filepath.Join(dir, "out"), said: &said{}}
		scenario := filepath.Join(dir, "s.yaml")
		if err := os.WriteFile(scenario, []byte(endless(a, b, strings.Replace(writing, "stop: 60 s", "stop: 3 s", 1))), 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r.beginCommand(program, "run", scenario, "--yes", "--allow", "same_disk,busy,background", "--out", r.out)
		r.ends(exitOK, `report: `)
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
		if err != nil {
			t.Fatal(err)
		}
		if started, err := time.Parse(time.RFC3339, info.Started); err != nil || started.Sub(began).Abs() < 20*time.Minute {
			t.Errorf("it says that it began at %s (%v): its clock is not set", info.Started, err)
		}
	})
}
