package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// truth is the true value of a fitted parameter, with the first disk's weights and the reads'
// weight at 1.
func truth(t *testing.T, p *hub.Profile, name string) float64 {
	t.Helper()
	c := &p.Capacity
	values := map[string]float64{
		"capacity.read": c.Read, "capacity.write": c.Write, "capacity.both": c.Both,
		"weights.write": c.WriteWeight / c.ReadWeight, "noise": p.Noise,
		"capacity.pair": cmp.Or(c.Pair, 1), "capacity.two_writers": cmp.Or(c.TwoWriters, 1),
	}
	for _, d := range p.Disks {
		for _, side := range []struct {
			name        string
			side, first hub.Side
		}{{"read", d.Read, p.Disks[0].Read}, {"write", d.Write, p.Disks[0].Write}} {
			key := d.Name + "." + side.name
			values[key+".hub"] = side.side.Hub
			values[key+".direct"] = side.side.Direct
			values[key+".weight"] = side.side.Weight / side.first.Weight
		}
	}
	for _, list := range p.Lags.Lists() {
		for staying := 1; staying <= 4; staying++ {
			values[fmt.Sprintf("recovery.%s[%d]", list.Key, staying)] = p.Lags.After(list.Stays,
				list.Left, staying).Seconds()
		}
	}
	v, ok := values[name]
	if !ok {
		t.Fatalf("parameter %s is unknown", name)
	}
	return v
}

func fit(t *testing.T, e *hub.Evidence) *FitResult {
	t.Helper()
	f, err := Fit(e, FitOptions{Name: "fitted"})
	check.Must(t, err)
	return f
}

// True parameters lie in their 95 % intervals in at least 90 % of the trials. A single one may have
// bad luck: more would happen once in some 500. (In 50 trials none was outside in more than 6.)
func TestFitCoversTheTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	p := noisy()
	trials := evidence.Trials(6, 2)
	missed, seen := map[string]int{}, map[string]int{}
	for trial := range uint64(trials) {
		f := fit(t, observe(t, study([]string{"A", "B", "C"}, 3, 30, trial), p))
		for _, param := range f.Parameters {
			want := truth(t, p, param.Name)
			seen[param.Name]++
			// 1 is the edge of what pairs carry.
			if want < param.Low || want > param.High && want < 1 || want > 1 && want > param.High {
				missed[param.Name]++
			}
			if param.Note != "" || param.Unit == "B/s" && param.High > 1.1*param.Low {
				t.Errorf("trial %d: %s from %g to %g, %q: a full study should know it", trial,
					param.Name, param.Low, param.High, param.Note)
			}
		}
		if f.ModelError < 0.6 || f.ModelError > 1.4 || len(f.Warnings) > 0 {
			t.Errorf("trial %d: model error %.2f, warnings %q", trial, f.ModelError, f.Warnings)
		}
	}
	check.Same(t, "how many parameters", 25, len(seen))
	allMissed, allSeen := 0, 0
	for name, n := range seen {
		if float64(missed[name]) > 3+0.08*float64(n) {
			t.Errorf("%s lay outside its interval in %d of %d trials", name, missed[name], n)
		}
		allMissed += missed[name]
		allSeen += n
	}
	t.Logf("%d of %d parameters outside their intervals", allMissed, allSeen)
	evidence.Report(t, evidence.AtMost("fit-covers",
		"parameters of a hub outside their intervals, fitted to a full study", allMissed, allSeen,
		allSeen/10))
}

// A full study of files that differ by 3 % gives every rate of a hub that shares by the law within
// 5 %.
func TestFitOfFullStudy(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	worst, disks := 0.0, []string{"A", "B", "C"}
	for seed := range uint64(evidence.Trials(max(6, *HubsTried), 2)) {
		rng := rand.New(rand.NewPCG(seed, 31))
		p := randomProfile(rng, true)
		if p.Noise = 0.03; seed%2 == 0 {
			p.Capacity.Pair, p.Capacity.TwoWriters = between(rng, 0.88, 0.97), between(rng, 0.85, 1)
		}
		f := fit(t, observe(t, study(disks, 3, 20, seed), p))
		if f.Refused != "" {
			t.Errorf("hub %d: %s", seed, f.Refused)
		}
		for atWork := range 4 {
			worst = max(worst, slices.Max(append(offBy(t, p, f.Profile, disks, atWork), 0)))
		}
	}
	evidence.Report(t, evidence.Below("fit-covers",
		"rates of hubs that share by the law, fitted to a full study: worst error", "%", 100*worst,
		5))
}

// offBy is how far one profile's rates lie from another's, in every mix of so many disks.
func offBy(t *testing.T, truth, model *hub.Profile, disks []string, atWork int) (off []float64) {
	t.Helper()
	for _, m := range mixes(disks) {
		if len(m.Disks) == atWork {
			got := model.Rates(m.Disks)
			for i, want := range truth.Rates(m.Disks) {
				off = append(off, math.Abs(got[i]/want-1))
			}
		}
	}
	return off
}

func note(f *FitResult, name string) string {
	for _, p := range f.Parameters {
		if p.Name == name {
			return p.Note
		}
	}
	return "no such parameter"
}

func TestFitSaysWhatItCannotKnow(t *testing.T) {
	disks := []string{"A", "B", "C"}
	p := noisy()

	f := fit(t, observe(t, study(disks, 1, 10, 1), p)) // solos
	for name, want := range map[string]string{
		"capacity.read":  "not identifiable",
		"capacity.both":  "not identifiable: no phase",
		"C.write.weight": "not identifiable: no phase",
		"A.write.hub":    "", // C's might be the hub's
	} {
		if got := note(f, name); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("solos only, %s: got %q, want %q", name, got, want)
		}
	}
	high := map[string]float64{}
	for _, param := range f.Parameters {
		high[param.Name] = param.High
	}
	if high["C.write.hub"] > high["capacity.write"] {
		t.Errorf("solos only: C might write at %.3g, more than the %.3g that the hub might carry",
			high["C.write.hub"], high["capacity.write"])
	}
	check.Same(t, "lags of solos", 0, len(f.Profile.Lags.WriteAfterWrite))

	// A's and B's writes do not fill the hub; C's with either of them do, and so tell the weights
	// of all three.
	f = fit(t, observe(t, study(disks, 2, 20, 1), p))
	check.Same(t, "pairs, B's weight", "", note(f, "B.write.weight"))

	// If only A and B were there, nothing was ever contended between writers.
	f = fit(t, observe(t, study(disks[:2], 2, 20, 1), p))
	if got := note(f, "B.write.weight"); got == "" {
		t.Error("two slow writers: B's weight passes for known")
	}
}

// A run in one direction says nothing of the other: it is assumed, and a profile holds no figure that
// is no number.
func TestFitOfOneDirection(t *testing.T) {
	all := observe(t, study([]string{"A", "B"}, 2, 10, 1), noisy())
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		e := hub.Evidence{}
		for _, o := range all.Rates {
			if !slices.ContainsFunc(o.Disks, func(d hub.Observed) bool { return d.Op != op }) {
				e.Rates = append(e.Rates, o)
			}
		}
		f := fit(t, &e)
		if _, err := hub.Load("hub.yaml", f.YAML()); err != nil {
			t.Errorf("%s only: %v", op, err)
		}
		for _, p := range f.Parameters {
			if !(p.Value > 0) {
				t.Errorf("%s only: %s is %v", op, p.Name, p.Value)
			}
		}
	}
}

// A hub that starves a disk shares by no law, and its profile can be loaded all the same.
func TestFitOfAStarvedDisk(t *testing.T) {
	observed := func(rates ...float64) hub.Observation {
		o := hub.Observation{Phase: "writes"}
		for i, rate := range rates {
			if rate > 0 {
				disk := string(rune('A' + i))
				o.Disks = append(o.Disks,
					hub.Observed{Disk: disk, Op: trace.Write, Rate: rate, Error: 0.005})
			}
		}
		return o
	}
	for _, starved := range []float64{100e3, 1e6, 5e6} {
		f := fit(t, &hub.Evidence{Rates: []hub.Observation{
			observed(1*gb, 0), observed(0, 1*gb), observed(0.99*gb, starved),
		}})
		if _, err := hub.Load("hub.yaml", f.YAML()); err != nil {
			t.Errorf("%g B/s: %v", starved, err)
		}
	}
}

func TestFitNoticesWhatTheModelLacks(t *testing.T) {
	p := noisy()
	disks := []string{"A", "B", "C"}
	p.Disks[2].Cache = &hub.Cache{Bytes: 20e9, After: 0.6 * gb, Refill: 0.2 * gb}
	f := fit(t, observe(t, study(disks, 3, 30, 1), p))
	if f.ModelError < 1.5 || len(f.Warnings) != 1 ||
		!strings.Contains(f.Warnings[0],
			"heat, a full cache or another program may have been at work") {
		t.Errorf("a cache ran out: model error %.1f, warnings %q", f.ModelError, f.Warnings)
	}
}

func TestFitOfRealDisksByTheirOwnPorts(t *testing.T) {
	p := noisy()
	plan := study([]string{"A", "B"}, 1, 10, 1)
	plan.Disks[1].Connection = "direct"
	f := fit(t, observe(t, plan, p))
	check.Near(t, "B writes at", 2.5*gb, f.Profile.Disk("B").Write.Direct, 0.03*2.5*gb)
	if got := f.Profile.Disk("A").Write; got.Direct != got.Hub {
		t.Errorf("A was never on a port of its own: %+v", got)
	}
}

func TestFillLags(t *testing.T) {
	for _, test := range []struct {
		means map[int]float64
		want  string
	}{
		{nil, "[]"}, {map[int]float64{1: 0.0001}, "[]"}, {map[int]float64{2: 10}, "[10s 10s]"},
		{map[int]float64{1: 4, 3: 10}, "[4s 4s 10s]"},
		{map[int]float64{1: 4, 4: 10}, "[4s 4s 10s 10s]"},
	} {
		check.Same(t, fmt.Sprint(test.means), test.want, fmt.Sprint(fillLags(test.means)))
	}
}

func TestFitRefuses(t *testing.T) {
	_, err := Fit(&hub.Evidence{}, FitOptions{})
	check.Refused(t, "no evidence", err, "record solo phases and pairs")
	crowd := &hub.Evidence{} // so many disks would take hours
	for i := range maxFitted + 1 {
		crowd.Rates = append(crowd.Rates,
			hub.Observation{Disks: []hub.Observed{{Disk: strconv.Itoa(i), Rate: 1e9}}})
	}
	_, err = newLaw(&hub.Profile{}, crowd)
	check.Refused(t, "a crowd", err, "33 disks, and the limit is 32")
}

// Fits and predictions are JSON with keys in snake case, whatever is infinite or refused in them.
func TestJSON(t *testing.T) {
	disks := []string{"A", "B", "C"}
	e := observe(t, study(disks, 1, 10, 1), noisy()) // solos bound no capacity from above
	f := fit(t, e)
	if !math.IsInf(f.Parameters[0].High, 1) {
		t.Fatalf("%+v: want no upper end", f.Parameters[0])
	}
	predicted := predict(t, f.Profile, disks)
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for name, v := range map[string]any{"fit": f, "prediction": predicted} {
		text, err := json.Marshal(v)
		check.Must(t, err)
		for _, key := range regexp.MustCompile(`"([^"]*)":`).FindAllSubmatch(text, -1) {
			if !snake.Match(key[1]) {
				t.Errorf("%s: key %q", name, key[1])
			}
		}
	}
	parts := func(v any) map[string]any {
		text, err := json.Marshal(v)
		check.Must(t, err)
		var got map[string]any
		check.Must(t, json.Unmarshal(text, &got))
		return got
	}
	if p := parts(f.Parameters[0]); p["name"] != "capacity.read" || p["low"] == nil ||
		p["high"] != nil || p["note"] == "" {
		t.Errorf("%v, want capacity.read with a lower end, no upper one and a note", p)
	}
	last := predicted.Rows[len(predicted.Rows)-1]
	got := parts(last.Rates[0])
	if got["rate"] != nil || got["low"] != nil || got["high"] != nil || got["refused"] == nil ||
		parts(last)["kept"] != nil {
		t.Errorf("three disks were predicted from solos: %v", got)
	}
	if p := parts(Parameter{Value: math.Inf(1)}); p["value"] != nil {
		t.Errorf("%v, want value null", p)
	}
}

func TestFitYAMLShowsIntervals(t *testing.T) {
	f := &FitResult{Profile: noisy(), Parameters: []Parameter{
		{Name: "capacity.read", Unit: "B/s", Value: 3.25e9, Low: 3.2e9, High: 3.3e9},
		{Name: "weights.write", Value: 1.37, Low: 0.5, High: 3, Note: "not identifiable: assumed"},
		{Name: "recovery.write_after_write[2]", Unit: "s", Value: 10, Low: 9.9, High: 10.1},
	}}
	f.Profile.Link, f.Profile.Lane = math.Inf(1), math.Inf(1)
	f.Profile.Lags = hub.Lags{WriteAfterWrite: []time.Duration{4 * time.Second, 10 * time.Second}}
	got := string(f.YAML())
	for _, want := range []string{
		"  read: 3.25 GB/s    # 3.20 GB/s to 3.30 GB/s\n",
		"  write: 1.37    # 0.5 to 3; not identifiable: assumed\n",
		"  write_after_write: [4 s, 10 s]\n  # 2 staying:    # 9.9 s to 10.1 s\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if _, err := hub.Load("fit.yaml", []byte(got)); err != nil {
		t.Error(err)
	}
}
