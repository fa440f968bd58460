package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// searchRuns is how often TestSearchesOfAHeldVolume searches: ten times in make proof FULL=1.
var searchRuns = flag.Int("search-runs", 0, "`runs` that must find the streams which a held-back device allows; five minutes each")

// Three folders of a device that the kernel lets move 40 MB/s in each direction are three disks behind one limit, which
// allows four streams of 9.2 MB/s. Beside two disks that write 8 MB/s each, two streams can be recorded. Beside two that
// write as fast as they can, which is the other direction, four can be played. The limit is low so that a busy machine can
// keep up with it.
const heldSearches = `version: 1
name: held
disks: [{name: A, path: ROOT/A}, {name: B, path: ROOT/B}, {name: C, path: ROOT/C}]
workload: {files: 3, sizes: [50 MB], footprint: 200 MB, flush: none}
phases:
  - {name: record, streams: {A: {rate: 9.2 MB/s, op: write, buffer: 2 s}}, roles: {B: write, C: write}, pace: 8 MB/s, search: {streams: A, most: 6}, hold: 10 s}
  - {name: play, streams: {A: {rate: 9.2 MB/s, buffer: 2 s}}, roles: {B: write, C: write}, search: {streams: A, most: 6}, hold: 10 s}
`

const heldHub = `version: 1
name: held
capacity: {read: 40 MB/s, write: 40 MB/s, both: 80 MB/s}
disks:
  - {name: A, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
  - {name: B, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
  - {name: C, read: {hub: 40 MB/s}, write: {hub: 40 MB/s}}
`

// A search finds what the limit allows, or one stream less, and a simulation says the same within one.
func TestSearchesOfAHeldVolume(t *testing.T) {
	if *searchRuns == 0 {
		t.Skip("each run takes five minutes; -search-runs 1 makes one")
	}
	v := newHeldVolume(t, 40e6)
	scenario := filepath.Join(t.TempDir(), "s.yaml")
	profile := filepath.Join(filepath.Dir(scenario), "held.yaml")
	text := strings.ReplaceAll(heldSearches, "ROOT", v.root)
	for path, data := range map[string]string{scenario: text, profile: heldHub} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, disk := range []string{"A", "B", "C"} {
		if err := os.Mkdir(filepath.Join(v.root, disk), 0o755); err != nil {
			t.Fatal(err)
		}
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
		t.Logf("run %d: found %v, the model says %v, the limit allows %v", run+1, got, model, allowed)
		for name, want := range allowed {
			for _, c := range []struct {
				who              string
				got, want, model float64
			}{{"alone", got[name].alone, want.alone, model[name].alone}, {"beside two that write", got[name].with, want.with, model[name].with}} {
				evidence.Report(t, evidence.Finding{
					Claim: "search-streams", Case: fmt.Sprintf("run %d, %s, %s; the model says %g", run+1, name, c.who, c.model), Unit: "streams", Truth: c.want, Measured: c.got, Low: c.got, High: c.got,
					Limit: "the limit or one less, and the model's within one", Pass: (c.got == c.want || c.got == c.want-1) && math.Abs(c.got-c.model) <= 1,
				})
			}
		}
	}
}
