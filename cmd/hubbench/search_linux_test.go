package main

import (
	"flag"
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
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// searchRuns is how often TestSearchesOfAHeldVolume searches: ten times in make proof FULL=1.
var searchRuns = flag.Int("search-runs", 0,
	"`runs` that must find the streams which a held-back device allows; five minutes each")

// Three folders of a device that the kernel lets move 40 MB/s in each direction are three disks
// behind one limit, which allows four streams of 9.2 MB/s. Beside two disks that write 8 MB/s each,
// two streams can be recorded. Beside two that write as fast as they can, which is the other
// direction, four can be played. The limit is low so that a busy machine can keep up with it.
const heldSearches = `version: 1
name: held
disks: [{name: A, path: ROOT/A}, {name: B, path: ROOT/B}, {name: C, path: ROOT/C}]
workload: {files: 3, sizes: [50 MB], footprint: 200 MB, flush: none}
phases:
  - name: record
    streams: {A: {rate: 9.2 MB/s, op: write, buffer: 2 s}}
    roles: {B: write, C: write}
    pace: 8 MB/s
    search: {streams: A, most: 6}
    hold: 10 s
  - name: play
    streams: {A: {rate: 9.2 MB/s, buffer: 2 s}}
    roles: {B: write, C: write}
    search: {streams: A, most: 6}
    hold: 10 s
`

const heldHub = `version: 1
name: held
capacity: {read: 40 MB/s, write: 40 MB/s, both: 80 MB/s}
disks:
  - {name: A, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
  - {name: B, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
  - {name: C, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
`

// A search finds what the limit allows, or one stream less, and a simulation says the same within
// one.
func TestSearchesOfAHeldVolume(t *testing.T) {
	if *searchRuns == 0 {
		t.Skip("each run takes five minutes; -search-runs 1 makes one")
	}
	v := newHeldVolume(t, 40e6)
	scenario := filepath.Join(t.TempDir(), "s.yaml")
	profile := filepath.Join(filepath.Dir(scenario), "held.yaml")
	text := strings.ReplaceAll(heldSearches, "ROOT", v.root)
	for path, data := range map[string]string{scenario: text, profile: heldHub} {
		write(t, path, data)
	}
	for _, disk := range []string{"A", "B", "C"} {
		must(t, os.Mkdir(filepath.Join(v.root, disk), 0o755))
	}
	type counts struct{ alone, with float64 }
	allowed := map[string]counts{"record": {4, 2}, "play": {4, 4}}
	found := func(a *analysis.Analysis) map[string]counts {
		all := map[string]counts{}
		for _, s := range a.Searches {
			if s.Alone != nil && s.Found != nil {
				all[s.Name] = counts{*s.Alone, *s.Found}
			}
		}
		return all
	}
	simulated := filepath.Join(filepath.Dir(scenario), "simulated")
	hubbench(t, "simulate", scenario, "--profile", profile, "--out", simulated)
	model := found(readAnalysis(t, simulated))
	for run := range *searchRuns {
		_, wait := v.begin(t, text)
		got := found(wait())
		t.Logf("run %d: found %v, the model says %v, the limit allows %v", run+1, got, model,
			allowed)
		for name, want := range allowed {
			for _, c := range []struct {
				who              string
				got, want, model float64
			}{{"alone", got[name].alone, want.alone, model[name].alone},
				{"beside two that write", got[name].with, want.with, model[name].with}} {
				evidence.Report(t, evidence.Finding{
					Claim: "search-streams",
					Case: fmt.Sprintf("run %d, %s, %s; the model says %g", run+1, name, c.who,
						c.model), Unit: "streams", Truth: c.want, Measured: c.got, Low: c.got,
					High:  c.got,
					Limit: "the limit or one less, and the model's within one",
					Pass: (c.got == c.want || c.got == c.want-1) &&
						math.Abs(c.got-c.model) <= 1,
				})
			}
		}
	}
}

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

// Two in a hundred reads that the device holds back for 10 ms are in the 99th percentile and not in
// the 95th: of a probe, of random reads at full speed, and of several paced ones at once. At full
// speed they come one by one: Linux has requests of io_uring to FUSE wait for one another.
func TestDelaysOfTheDeviceAreInTheLatencies(t *testing.T) {
	if *mountRuns == 0 {
		t.Skip("it needs a machine that does little else; -mount-runs 1 makes it run")
	}
	const by = 10 * time.Millisecond
	d := delays{every: 50, by: by}
	dir := fusetest.Mount(t, &fusetest.Device{Before: d.wait})
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
	write(t, scenario, text)
	hubbench(t, "run", scenario, "--yes", "--quiet", "--out", out)
	a := readAnalysis(t, out)
	quiet := true
	for _, name := range []string{"quiet", "quiet still"} { // requests of 8 KiB are not held back
		hist := latenciesOf(t, out, name)
		slow := longer(hist, by/2)
		t.Logf("%s: %d requests, %.2f%% over 5 ms", name, hist.TotalCount(), 100*slow)
		quiet = quiet && slow < 0.002
	}
	checked := 0
	for _, phase := range a.Phases {
		if strings.HasPrefix(phase.Name, "quiet") {
			continue
		}
		checked++
		hist := latenciesOf(t, out, phase.Name)
		p95, p99 := time.Duration(hist.ValueAtQuantile(95)), time.Duration(hist.ValueAtQuantile(99))
		slow := longer(hist, by)
		t.Logf("%s: %d requests, p95 %s, p99 %s; %.2f%% over 10 ms", phase.Name, hist.TotalCount(),
			p95, p99, 100*slow)
		evidence.Report(t, evidence.Finding{
			Claim: "latency-device", Case: phase.Name +
				": requests of which the device held back one in 50 for 10 ms, " +
				"found to have taken that long", Unit: "%",
			Truth: 2, Measured: 100 * slow, Low: 100 * slow, High: 100 * slow,
			Limit: "1.9% at least, and the 99th percentile 10 ms or more",
			Pass:  slow >= 0.019 && p99 >= by,
		})
		latency := phase.Disks["A"].Latency
		if latency == nil || latency.P99NS == nil ||
			math.Abs(float64(*latency.P99NS)/float64(p99)-1) > 0.05 {
			t.Errorf("%s: the analysis tells %+v, want a 99th percentile of %s", phase.Name,
				latency, p99)
		}
		if quiet && (p95 >= by || p99 > 3*by/2) {
			t.Errorf("%s: the 95th percentile is %s and the 99th %s, "+
				"but the device held back 2%% and by 10 ms", phase.Name, p95, p99)
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
func longer(hist *latency.Sum, than time.Duration) float64 {
	var over int64
	for _, bar := range hist.Distribution() {
		if bar.From > than.Nanoseconds() {
			over += bar.Count
		}
	}
	return float64(over) / float64(hist.TotalCount())
}

func latenciesOf(t *testing.T, out, phase string) *latency.Sum {
	t.Helper()
	f, err := os.Open(filepath.Join(out, rundir.EventsFile))
	must(t, err)
	defer f.Close()
	hist := latency.NewSum()
	events := trace.NewReader(f, f.Name())
	for events.Next() {
		if e := events.Event(); e.Type == trace.LatencyType && e.Phase == phase &&
			e.Op == trace.Read {
			part, err := latency.Decode(e.Hist)
			must(t, err)
			part.MergeInto(hist)
		}
	}
	must(t, events.Err())
	return hist
}
