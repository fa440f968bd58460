package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
)

var (
	// mountRuns is how many runs TestMountedHub takes the medians of: five in make proof FULL=1.
	mountRuns = flag.Int("mount-runs", 0,
		"`runs` on a mounted hub whose medians must be the profile's; 40 s each")
	// mountFits is how many runs TestFitOfMountedHub fits a profile to: one in make proof FULL=1.
	mountFits = flag.Int("mount-fits", 0,
		"`runs` on a mounted hub that together must give its profile back; 2 min each")
)

const (
	// mountedScale is the part to which the hub is slowed down, and its files made smaller:
	// everything takes as long as on the hub itself, and two busy cores carry it.
	mountedScale = 0.02
	mountedHub   = "goshen-ridge"
	// fullFile is the files' size on the hub itself.
	fullFile = 500_000_000
	lagsOff  = 0.5 // s, by which lags may be off
)

// The phases rest first, so that nobody is held by what was written before.
const mountedScenario = `version: 1
name: mounted
disks: [{name: A, path: ROOT/A}, {name: B, path: ROOT/B}, {name: C, path: ROOT/C}]
allow_system_disk: true
workload: {sizes: [SIZE], block: BLOCK, flush: none, footprint: 20 GB}
phases:
  - {pattern: WWW, files: {A: 38, B: 38, C: 24}, cooldown: 1 s}
  - {pattern: RRR, files: 14, cooldown: 1 s}
  - {pattern: WRR, order: [C, A, B], files: 14, cooldown: 1 s}
`

// mounted is the hub as a file system: folders that are as fast as its disks, slowed down.
type mounted struct {
	t       *testing.T
	dir     string            // of the test's own
	profile *hub.Profile      // as it is slowed down
	folders map[string]string // by disk
}

func mountHub(t *testing.T) *mounted {
	t.Helper()
	profile, err := prepare.LoadProfile(mountedHub)
	must(t, err)
	profile = fusetest.Scaled(profile, mountedScale)
	return &mounted{t, t.TempDir(), profile, fusetest.Hub(t, profile)}
}

// model simulates a scenario on the hub itself.
func (m *mounted) model(text string) (out string) {
	m.t.Helper()
	out = filepath.Join(m.dir, "model")
	hubbench(m.t, "simulate", m.scenario("model.yaml", sized(text, 1)), "--profile", mountedHub,
		"--out", out)
	return out
}

// slow runs a scenario on the hub that is mounted, with files as much smaller as it is slower, and
// smaller requests.
func (m *mounted) slow(name, text string) (out string) {
	m.t.Helper()
	out = filepath.Join(m.dir, name)
	hubbench(m.t, "run", m.scenario("scenario.yaml", sized(text, mountedScale)), "--yes", "--quiet",
		"--out", out,
		"--allow", "same_disk,busy,background")
	return out
}

// scenario writes a scenario whose disks are in the folders.
func (m *mounted) scenario(name, text string) (path string) {
	m.t.Helper()
	for disk, folder := range m.folders {
		text = strings.ReplaceAll(text, "ROOT/"+disk, folder)
	}
	return write(m.t, filepath.Join(m.dir, name), text)
}

func sized(text string, scale float64) string {
	block := "8 MiB"
	if scale < 1 {
		// As a mounted disk has them at most: 75 ms of the slowest writer, and many smaller ones
		// keep a busy machine from keeping up.
		block = "1 MiB"
	}
	return strings.NewReplacer("SIZE", fmt.Sprintf("%d B", int64(fullFile*scale)), "BLOCK",
		block).Replace(text)
}

// measures are what a run and the model of it are compared by: totals in bytes per second, shares,
// lags in seconds.
type measures map[string]float64

func measuresOf(a *analysis.Analysis) measures {
	m := measures{}
	for _, p := range a.Phases {
		if p.Overlap == nil {
			continue
		}
		m[p.Name+" total"] = p.Overlap.Rate
		for disk, d := range p.Overlap.Disks {
			m[p.Name+" share "+disk] = d.Share
		}
		for _, r := range p.Recoveries {
			if r.LagS != nil {
				m[p.Name+" lag "+r.Disk] = *r.LagS
			}
		}
	}
	return m
}

// Real files on a mounted hub show what the model says: the medians of five runs are within 5 % of
// its shares, 0.5 s of its lags and 2 % of its totals.
func TestMountedHub(t *testing.T) {
	if *mountRuns == 0 {
		t.Skip("a run takes 40 s, and what other programs do spoils it; -mount-runs 5 makes five")
	}
	m := mountHub(t)
	want := measuresOf(readAnalysis(t, m.model(mountedScenario)))
	if len(want) != 14 { // three totals, nine shares, two lags
		t.Fatalf("the model says %v", want)
	}
	all := map[string][]float64{}
	for i := range *mountRuns {
		out := m.slow(fmt.Sprintf("out-%d", i), mountedScenario)
		for name, value := range measuresOf(readAnalysis(t, out)) {
			all[name] = append(all[name], value)
		}
	}
	for name, truth := range want {
		var f evidence.Finding
		values := all[name]
		if len(values) != *mountRuns {
			t.Errorf("%s: measured in %d of %d runs", name, len(values), *mountRuns)
			continue
		}
		slices.Sort(values)
		median, title := values[len(values)/2], fmt.Sprintf("%s, median of %d", name, *mountRuns)
		switch {
		case strings.Contains(name, "lag"):
			f = lagWithin("mount-hub", title, truth, median)
		case strings.Contains(name, "share"):
			f = evidence.Within("mount-hub", title, "", truth, median, 0.05)
		default:
			truth *= mountedScale
			f = evidence.Within("mount-hub", title, "B/s", truth, median, 0.02)
		}
		f.Low, f.High = values[0], values[len(values)-1]
		t.Logf("%s: %.4g, the model says %.4g", name, values, truth)
		evidence.Report(t, f)
	}
}

func lagWithin(claim, name string, truth, measured float64) evidence.Finding {
	f := evidence.Within(claim, name, "s", truth, measured, 0)
	f.Limit, f.Pass = fmt.Sprintf("within %g s", lagsOff), math.Abs(measured-truth) <= lagsOff
	return f
}

// fittedScenario is what tells a hub: each disk alone, pairs and triples of every kind for as long
// as rates take to be known well; and before it those combinations that one disk leaves early, for
// the lags of who stays.
const fittedScenario = `version: 1
name: fitted
disks: [{name: A, path: ROOT/A}, {name: B, path: ROOT/B}, {name: C, path: ROOT/C}]
allow_system_disk: true
workload: {sizes: [SIZE], block: BLOCK, flush: none, footprint: 20 GB}
phases:
  - {pattern: WWW, files: {A: 24, B: 24, C: 14}, cooldown: 500 ms}
  - {pattern: W-W, files: {A: 16, C: 18}, cooldown: 500 ms}
  - {pattern: RRR, files: {A: 9, B: 9, C: 5}, cooldown: 500 ms}
  - {pattern: R-R, files: {A: 14, C: 6}, cooldown: 500 ms}
  - {pattern: WRR, order: [C, A, B], files: {A: 32, B: 32, C: 12}, cooldown: 500 ms}
  - {roles: {C: write, A: read}, files: {A: 24, C: 12}, cooldown: 500 ms}
study: {include: [solo, pairs, all, mixed], stop: 1500 ms, cooldown: 500 ms}
`

type parameter struct {
	Name, Unit, Note string
	Value, Low, High float64
}

func fitted(t *testing.T, run string) map[string]parameter {
	t.Helper()
	cmd := exec.Command("hubbench", "fit", "--json", run)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal("fit: ", err)
	}
	var f struct{ Parameters []parameter }
	must(t, json.Unmarshal(text, &f))
	all := map[string]parameter{}
	for _, p := range f.Parameters {
		all[p.Name] = p
	}
	return all
}

// medians are the parameters that most of the fits know, by the medians of those, from the least of
// them to the most; what another program did in a second of one run does not spoil them. What one
// fit says goes with the interval that it gives.
func medians(fits []map[string]parameter) map[string]parameter {
	known := map[string][]parameter{}
	for _, fit := range fits {
		for name, p := range fit {
			if p.Note == "" {
				known[name] = append(known[name], p)
			}
		}
	}
	m := map[string]parameter{}
	for name, list := range known {
		if 2*len(list) <= len(fits) {
			continue
		}
		slices.SortFunc(list, func(a, b parameter) int { return cmp.Compare(a.Value, b.Value) })
		p := list[len(list)/2]
		if len(fits) > 1 {
			p.Low, p.High = list[0].Value, list[len(list)-1].Value
		}
		m[name] = p
	}
	return m
}

// The medians of fits to runs on a mounted hub are its profile's figures within 5 %, and lags
// within 0.5 s: everything that the fits themselves say to know, which is at least what a fit to
// the same phases in the model knows.
func TestFitOfMountedHub(t *testing.T) {
	if *mountFits == 0 {
		t.Skip("a run takes 2 min, and what other programs do spoils it; -mount-fits 3 makes three")
	}
	m := mountHub(t)
	var fits []map[string]parameter
	for i := range *mountFits {
		fits = append(fits, fitted(t, m.slow(fmt.Sprintf("out-%d", i), fittedScenario)))
	}
	got := medians(fits)
	for name := range medians([]map[string]parameter{fitted(t, m.model(fittedScenario))}) {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is known from the model's run, and not from those on the mounted hub",
				name)
		}
	}
	delete(got, "noise") // which a mounted hub leaves out
	// All of sixteen rates, parts and weights; lags of writers after writers and of readers after
	// either.
	if len(got) < 20 {
		t.Errorf("the fits know %d parameters, want 20 at least", len(got))
	}
	truths := truthsOf(m.profile)
	for name, p := range got {
		truth, ok := truths[name]
		if !ok {
			t.Errorf("%s is no parameter of the hub", name)
			continue
		}
		t.Logf("%s: %.4g [%.4g, %.4g], true is %.4g", name, p.Value, p.Low, p.High, truth)
		title := fmt.Sprintf("%s, median of %d", name, *mountFits)
		f := evidence.Within("fit-mounted", title, p.Unit, truth, p.Value, 0.05)
		if p.Unit == "s" {
			f = lagWithin("fit-mounted", title, truth, p.Value)
		}
		f.Low, f.High = p.Low, p.High
		evidence.Report(t, f)
	}
}

// truthsOf are the parameters of a profile by the names that fit gives them, the weights by those
// of the first disk, and of reads.
func truthsOf(p *hub.Profile) map[string]float64 {
	c := &p.Capacity
	truths := map[string]float64{
		"capacity.read": c.Read, "capacity.write": c.Write, "capacity.both": c.Both,
		"weights.write": c.WriteWeight / c.ReadWeight,
		"capacity.pair": c.Pair, "capacity.two_writers": c.TwoWriters,
	}
	first := &p.Disks[0]
	for _, d := range p.Disks {
		truths[d.Name+".read.hub"], truths[d.Name+".write.hub"] = d.Read.Hub, d.Write.Hub
		truths[d.Name+".read.weight"], truths[d.Name+
			".write.weight"] = d.Read.Weight/first.Read.Weight, d.Write.Weight/first.Write.Weight
	}
	for _, list := range p.Lags.Lists() {
		for staying := 1; staying <= hub.MaxStaying; staying++ {
			truths[fmt.Sprintf("recovery.%s[%d]", list.Key, staying)] = p.Lags.After(list.Stays,
				list.Left, staying).Seconds()
		}
	}
	return truths
}
