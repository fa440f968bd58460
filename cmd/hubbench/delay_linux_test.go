package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// delays are what a file system does to requests of one page: every so manieth takes longer.
type delays struct {
	every  int64
	by     time.Duration
	pages  atomic.Int64 // requests so far
	passed atomic.Int64 // of these delayed
}

func (d *delays) wait(op trace.Role, bytes int) syscall.Errno {
	if op == trace.Read && bytes == 4096 && d.pages.Add(1)%d.every == 0 {
		d.passed.Add(1)
		time.Sleep(d.by)
	}
	return 0
}

// Two in a hundred reads that the device holds back for 10 ms are in the 99th percentile and not in the 95th: of a probe,
// of random reads at full speed, and of several paced ones at once. At full speed they come one by one: Linux has requests
// of io_uring to FUSE wait for one another.
func TestDelaysOfTheDeviceAreInTheLatencies(t *testing.T) {
	if *mountRuns == 0 {
		t.Skip("it needs a machine that does little else; -mount-runs 1 makes it run")
	}
	const by = 10 * time.Millisecond
	d := delays{every: 50, by: by}
	dir := fusetest.Mount(t, d.wait)
	scenario := filepath.Join(t.TempDir(), "s.yaml")
	out := filepath.Join(filepath.Dir(scenario), "out")
	text := fmt.Sprintf(`version: 1
name: delays
disks: [{name: A, path: %s}]
workload: {sizes: [4 MB], footprint: 4 MB, block: 4 KiB, access: random}
phases:
  - {name: quiet, probe: {A: {block: 8 KiB, every: 1 ms}}, stop: 4 s}
  - {name: probe, probe: {A: {block: 4 KiB, every: 1 ms}}, stop: 4 s}
  - {name: full speed, roles: {A: read}, depth: 1, stop: 4 s}
  - {name: paced, roles: {A: read}, depth: 8, pace: 4 MB/s, stop: 4 s}
  - {name: quiet still, probe: {A: {block: 8 KiB, every: 1 ms}}, stop: 4 s}
`, dir)
	if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hubbench(t, "run", scenario, "--yes", "--quiet", "--out", out)
	a := readAnalysis(t, out)
	quiet := true
	for _, name := range []string{"quiet", "quiet still"} { // requests of 8 KiB are not held back
		hist := latenciesOf(t, out, name)
		slow := longer(hist, by/2)
		t.Logf("%s: %d requests, %.2f %% over 5 ms", name, hist.N(), 100*slow)
		quiet = quiet && slow < 0.002
	}
	checked := 0
	for _, phase := range a.Phases {
		if strings.HasPrefix(phase.Phase, "quiet") {
			continue
		}
		checked++
		hist := latenciesOf(t, out, phase.Phase)
		p95, p99 := time.Duration(hist.Quantile(0.95)), time.Duration(hist.Quantile(0.99))
		slow := longer(hist, by)
		t.Logf("%s: %d requests, p95 %s, p99 %s; %.2f %% over 10 ms", phase.Phase, hist.N(), p95, p99, 100*slow)
		evidence.Report(t, evidence.Finding{
			Claim: "latency-device", Case: phase.Phase + ": requests of which the device held back one in 50 for 10 ms, found to have taken that long", Unit: "%",
			Truth: 2, Measured: 100 * slow, Low: 100 * slow, High: 100 * slow, Limit: "1.9 % at least, and the 99th percentile 10 ms or more", Pass: slow >= 0.019 && p99 >= by,
		})
		latency := phase.Disks["A"].Latency
		if latency == nil || latency.P99NS == nil || math.Abs(float64(*latency.P99NS)/float64(p99)-1) > 0.05 {
			t.Errorf("%s: the analysis tells %+v, want a 99th percentile of %s", phase.Phase, latency, p99)
		}
		if quiet && (p95 >= by || p99 > 3*by/2) {
			t.Errorf("%s: the 95th percentile is %s and the 99th %s, but the device held back 2 %% and by 10 ms", phase.Phase, p95, p99)
		}
	}
	if checked != 3 || d.passed.Load() == 0 {
		t.Errorf("%d phases, %d reads held back", checked, d.passed.Load())
	}
	if !quiet {
		t.Skip("this machine itself delays requests: nothing is to be said of what the device did not do")
	}
}

// longer is the share of requests that took longer than a time, as far as buckets tell it.
func longer(hist *latency.Histogram, than time.Duration) float64 {
	var sum int64
	hist.Counts().Each(func(lowNS, _, n int64) {
		if lowNS > than.Nanoseconds() {
			sum += n
		}
	})
	return float64(sum) / float64(hist.N())
}

// latenciesOf are all reads of a phase.
func latenciesOf(t *testing.T, out, phase string) *latency.Histogram {
	t.Helper()
	f, err := os.Open(filepath.Join(out, rundir.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	hist := latency.New()
	events := trace.NewReader(f, f.Name())
	for events.Next() {
		if e := events.Event(); e.Type == trace.LatencyType && e.Phase == phase && e.Op == trace.Read {
			if err := hist.Decode(e.Hist); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := events.Err(); err != nil {
		t.Fatal(err)
	}
	return hist
}
