package analysis

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// cachedHub is a hub of three disks, of which A has a fast cache, or none.
func cachedHub(cache *hub.Cache, noise float64) *hub.Profile {
	disk := func(name string, write float64, cache *hub.Cache) hub.DiskModel {
		return hub.DiskModel{
			Name: name, Cache: cache,
			Read:  hub.Side{Hub: 2.6e9, Direct: 2.6e9, Weight: 1},
			Write: hub.Side{Hub: write, Direct: write, Weight: 1},
		}
	}
	return &hub.Profile{
		Name: "cached", Noise: noise, Link: math.Inf(1), Lane: math.Inf(1),
		Capacity: hub.Capacity{
			Read: 3.3e9, Write: 3.3e9, Both: 4.6e9, Pair: 1, TwoWriters: 1, ReadWeight: 1,
			WriteWeight: 1,
		},
		Disks: []hub.DiskModel{disk("A", 2.3e9, cache), disk("B", 1.5e9, nil),
			disk("C", 1.5e9, nil)},
	}
}

// saturate simulates the preset, and analyses what that would have recorded.
func saturate(t *testing.T, pattern string, seed int, p *hub.Profile) *Analysis {
	t.Helper()
	s, err := scenario.Load("saturation.yaml", fmt.Appendf(nil, `
version: 1
name: saturation
hub: {profile: cached}
disks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}, {name: C, simulate: {profile: C}}]
workload: {preset: saturation, seed: %d}
phases: [{pattern: %s}]
`, seed, pattern))
	check.Must(t, err)
	plan, err := s.Plan()
	check.Must(t, err)
	var text []byte
	check.Must(t, hub.Simulate(plan, p, func(e *trace.Event) error {
		text = trace.AppendEvent(text, e)
		return nil
	}))
	run, err := trace.Load(bytes.NewReader(text), "events.jsonl")
	check.Must(t, err)
	return Analyze(run, Options{})
}

// agrees reports whether a number is what it must be, within 5 %.
func agrees(got, want float64) bool { return math.Abs(got-want) <= 0.05*math.Abs(want) }

// The cliff, the rate after it, what the others gain and the rest that brings the cache back are
// the model's, within 5 %.
func TestSaturationAgainstTheModel(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		cache   hub.Cache
		noise   float64
	}{
		{"WRR", hub.Cache{Bytes: 24e9, After: 0.65e9, Refill: 0.16e9}, 0},
		{"WRR", hub.Cache{Bytes: 24e9, After: 0.65e9, Refill: 0.16e9}, 0.02},
		{"WWW", hub.Cache{Bytes: 24e9, After: 0.3e9, Refill: 0.16e9}, 0.02},
		{"WW-", hub.Cache{Bytes: 40e9, After: 0.9e9, Refill: 0.25e9}, 0.02},
		{"WR-", hub.Cache{Bytes: 15e9, After: 0.4e9, Refill: 0.06e9}, 0.03},
	} {
		for seed := range 2 {
			name := fmt.Sprintf("%s, cache of %.0f GB, noise %.2f, seed %d", tt.pattern,
				float64(tt.cache.Bytes)/1e9, tt.noise, seed)
			p := cachedHub(&tt.cache, tt.noise)
			a := saturate(t, tt.pattern, seed, p)
			if len(a.Saturations) == 0 || a.Saturations[0].Disk != "A" ||
				a.Saturations[0].Fall == nil || a.Saturations[0].Back == nil {
				t.Errorf("%s: got %+v", name, a.Saturations)
				continue
			}
			s := a.Saturations[0]
			if f, bytes := s.Fall, float64(tt.cache.Bytes); !agrees(f.AtBytes, bytes) ||
				f.CI95[0] > bytes || f.CI95[1] < bytes || f.CI95.Half() > 0.03*bytes ||
				!agrees(f.FromRate, 2.3e9) || !agrees(f.ToRate, tt.cache.After) {
				t.Errorf("%s: fell after %.3g bytes from %.3g to %.3g", name, f.AtBytes, f.FromRate,
					f.ToRate)
			}
			want := float64(tt.cache.Bytes) / tt.cache.Refill
			if s.Back.RestS == nil || !agrees(*s.Back.RestS, want) {
				t.Errorf("%s: back %+v, want after %.0f s", name, s.Back, want)
			}
			for _, other := range a.Saturations[1:] {
				if other.Fall != nil {
					t.Errorf("%s: disk %s has no cache, and fell: %+v", name, other.Disk,
						other.Fall)
				}
			}
			checkGains(t, name, tt.pattern, p, s.Together)
		}
	}
}

// checkGains holds what the others gained against what the model gives them, and their intervals to
// hold it.
func checkGains(t *testing.T, name, pattern string, p *hub.Profile, f *FallTogether) {
	t.Helper()
	if f == nil || !f.Reported {
		t.Errorf("%s: together %+v", name, f)
		return
	}
	share := func(capOfA float64) []float64 {
		var claims []hub.Claim
		for i, letter := range pattern {
			switch d := &p.Disks[i]; letter {
			case 'W':
				claims = append(claims, hub.Claim{Op: trace.Write, Cap: d.Write.Hub, Weight: 1})
			case 'R':
				claims = append(claims, hub.Claim{Op: trace.Read, Cap: d.Read.Hub, Weight: 1})
			}
		}
		claims[0].Cap = capOfA
		shares := make([]float64, len(claims))
		hub.ShareInto(p.Capacity, claims, shares)
		return shares
	}
	before, after := share(2.3e9), share(p.Disks[0].Cache.After)
	if !agrees(f.FromRate, before[0]) || !agrees(f.ToRate, after[0]) {
		t.Errorf("%s: fell from %.3g to %.3g beside others, want %.3g to %.3g", name, f.FromRate,
			f.ToRate, before[0], after[0])
	}
	gains := map[string]Gain{}
	for _, g := range f.Gains {
		gains[g.Disk] = g
	}
	for i := 1; i < len(before); i++ {
		disk, want := p.Disks[i].Name, after[i]-before[i]
		g, reported := gains[disk]
		switch {
		case want < 0.01e9 && reported:
			t.Errorf("%s: %s gained %.3g, and had all it can", name, disk, g.Difference)
		case !reported && want < 0.2*before[i]: // within what noise may make
		case want >= 0.01e9 && (!reported || !agrees(g.ToRate, after[i]) ||
			!agrees(g.FromRate, before[i])):
			t.Errorf("%s: %s gained %+v, want %.3g to %.3g", name, disk, g, before[i], after[i])
		}
	}
}

func TestSaturationWithoutAnEnd(t *testing.T) {
	if s := saturate(t, "WR-", 1, cachedHub(nil, 0.02)).Saturations; len(s) != 1 ||
		s[0].Fall != nil || s[0].Back != nil || s[0].Together != nil {
		t.Errorf("no cache: %+v", s)
	}
	never := saturate(t, "WR-", 1,
		cachedHub(&hub.Cache{Bytes: 24e9, After: 0.65e9}, 0.02)).Saturations[0]
	if b := never.Back; b == nil || b.WithinS != nil || b.RestS != nil || b.AfterS != 320 ||
		b.Regained > 0.05 {
		t.Errorf("a cache that never comes back: %+v", b)
	}
	if never.Together != nil {
		t.Errorf("it had nothing left to lose beside others: %+v", never.Together)
	}
	soon := saturate(t, "W--", 1, cachedHub(&hub.Cache{Bytes: 24e9, After: 0.65e9, Refill: 4e9},
		0.02)).Saturations[0]
	if b := soon.Back; b == nil || b.WithinS == nil || *b.WithinS != 10 || b.RestS != nil {
		t.Errorf("a cache that is back before the first burst: %+v", b)
	}
	large := saturate(t, "W--", 1,
		cachedHub(&hub.Cache{Bytes: 100e9, After: 0.65e9, Refill: 0.5e9}, 0.02)).Saturations[0]
	if b := large.Back; b == nil || b.WithinS == nil || *b.WithinS != 160 || b.Bytes > 50e9 ||
		b.RestS != nil {
		t.Errorf("a cache that no burst empties: %+v", b)
	}
}

// stepOf is a phase of the preset, of disks that move as they please.
func stepOf(name string, step trace.Saturation, disks ...*trace.DiskRecord) *trace.Phase {
	p := tracetest.Phase(name, disks...)
	step.Of, p.Stop, p.Saturation = "W", "time", &step
	return p
}

// A disk that falls twice, from 2 to 1 GB/s after 20 GB and to 0.3 after 35: both falls are told,
// and what a rest brings back of the whole cache, whichever of the falls the burst saw.
func TestSaturationInTwoSteps(t *testing.T) {
	const refill = 0.2e9
	phases := []*trace.Phase{
		stepOf("W A alone", trace.Saturation{Step: trace.SaturationAlone, Disk: "A"},
			diskOf("A", "write", 2e8, pace{10, 2e9}, pace{25, 1e9}, pace{60, 0.3e9})),
	}
	rests := []float64{10, 20, 40, 80, 160, 320}
	for _, rest := range rests {
		left := min(refill*rest, 35e9)
		fast, middle := max(left-15e9, 0)/2e9, min(left, 15e9)/1e9 // seconds
		var paces []pace
		at := 0.0
		for _, part := range []pace{{fast, 2e9}, {middle, 1e9}, {20, 0.3e9}} {
			if at = min(at+part.untilS, 20); part.untilS > 0 {
				paces = append(paces, pace{at, part.rate})
			}
		}
		step := trace.Saturation{Step: trace.SaturationBurst, Disk: "A", RestNS: int64(rest * 1e9)}
		phases = append(phases, stepOf(fmt.Sprintf("W A after %.0f s", rest), step,
			diskOf("A", "write", 5e7, paces...)))
	}
	s := Analyze(tracetest.Run(phases...), Options{}).Saturations[0]
	if f := s.Fall; f == nil || len(f.Steps) != 2 || !agrees(f.AtBytes, 35e9) ||
		!agrees(f.FromRate, 2e9) || !agrees(f.ToRate, 0.3e9) || !agrees(f.Steps[0].AtBytes, 20e9) {
		t.Fatalf("fall %+v", s.Fall)
	}
	for i, b := range s.Bursts {
		if want := min(refill*rests[i], 35e9); !agrees(b.FastBytes, want) {
			t.Errorf("after %v s: %.3g of the cache are back, want %.3g", rests[i], b.FastBytes,
				want)
		}
	}
	if b := s.Back; b == nil || b.RestS == nil || !agrees(*b.RestS, 175) || b.AfterS != 160 ||
		*b.WithinS != 320 {
		t.Errorf("back %+v, want after 175 s", b)
	}
}

// A disk that rose by itself before another fell has not gained by the fall; one that rose with it
// has, a little later: at once, it may as well have taken what the other lost.
func TestGainsComeAfterTheFall(t *testing.T) {
	falling := func() *trace.DiskRecord {
		return diskOf("A", "write", 2e8, pace{15, 2e9}, pace{45, 0.5e9})
	}
	for _, tt := range []struct {
		roseS  float64
		gained bool
	}{{12, false}, {13, false}, {14, false}, {15.5, true}, {16, true}, {19, false}} {
		a := Analyze(tracetest.Run(
			stepOf("W A alone", trace.Saturation{Step: trace.SaturationAlone, Disk: "A"},
				falling()),
			stepOf("W together", trace.Saturation{Step: trace.SaturationTogether}, falling(),
				diskOf("B", "write", 1e8, pace{tt.roseS, 1e9}, pace{45, 1.3e9})),
		), Options{})
		f := a.Saturations[0].Together
		if f == nil || !f.Reported || len(f.Gains) > 0 != tt.gained {
			t.Errorf("B rose at %v s, A fell at 15 s: %+v, want a gain: %v", tt.roseS, f, tt.gained)
		}
	}
}

// tenths is how many megabytes a throttled device really read in each tenth of a second, digits
// beyond 9 being letters: 25 MB/s, and 45 from when its neighbour fell after 15 s, with a pause of
// most of a second after 20.
const tenths = "082424122324241223242412232424122324241223242412232424122324241223242412232424122324241220" +
	"362412232424122324241223242412232424122324241223242412232424545634581455535571545544572464" +
	"4455625544545634582111112b15455460a2086444662554454563458144653467154554457244644466255445" +
	"456304d1446534671540a4457244644466255445456345814465346715455445724464446625508540b3458144" +
	"653467154554457244644466255445456345814465346715455445724464446625544545634581446534671063"

// If each progress line holds a request or two, little is known of the noise. That a disk moves
// nearly twice as much all the time is no matter of it.
func TestGainOfFewRequests(t *testing.T) {
	falling := func() *trace.DiskRecord {
		return diskOf("A", "write", 2e7, pace{15, 60e6}, pace{45, 15e6})
	}
	var reads []pace
	for i := range tenths {
		n, err := strconv.ParseInt(tenths[i:i+1], 36, 64)
		check.Must(t, err)
		reads = append(reads, pace{float64(i+1) / 10, max(float64(n)*1e7, 1e3)})
	}
	found := Analyze(tracetest.Run(
		stepOf("W A alone", trace.Saturation{Step: trace.SaturationAlone, Disk: "A"}, falling()),
		stepOf("W together", trace.Saturation{Step: trace.SaturationTogether}, falling(),
			diskOf("B", "read", 2e7, reads...)),
	), Options{}).Saturations[0].Together
	if found == nil || len(found.Gains) != 1 || !agrees(found.Gains[0].FromRate, 25.2e6) ||
		!agrees(found.Gains[0].ToRate, 43.6e6) {
		t.Errorf("%+v, want B's gain from 25 to 44 MB/s", found)
	}
}

// gainRuns is how many runs of each kind TestNoGainByNoise makes.
const gainRuns = 40

// A disk whose rate only varies is not said to have gained when another falls, whatever its noise.
func TestNoGainByNoise(t *testing.T) {
	for _, kind := range []string{"independent", "lasting", "sawtooth", "files of many speeds"} {
		claims, reported := 0, 0
		for seed := range uint64(gainRuns) {
			rnd := rand.New(rand.NewPCG(seed, 77))
			uniform := func(low, high float64) float64 { return low + (high-low)*rnd.Float64() }
			falls, slow := 8+rnd.IntN(20), uniform(0.2e9, 1.2e9)
			var a, b []pace
			sd, phi, lasting, period := uniform(0.01, 0.08), uniform(0.4, 0.9), rnd.NormFloat64(),
				uniform(3, 15)
			for s := range 60 {
				off := 0.0
				switch lasting = phi*lasting + math.Sqrt(1-phi*phi)*rnd.NormFloat64(); kind {
				case "independent":
					off = sd * rnd.NormFloat64()
				case "lasting":
					off = sd * lasting
				case "sawtooth":
					off = 0.01*rnd.NormFloat64() - 0.2*math.Mod(float64(s)/period, 1)
				case "files of many speeds":
					off = math.Exp(3*sd*rnd.NormFloat64()) - 1
				}
				rate := 2e9
				if s >= falls {
					rate = slow
				}
				a = append(a, pace{float64(s + 1), rate * (1 + 0.02*rnd.NormFloat64())})
				b = append(b, pace{float64(s + 1), 1e9 * (1 + off)})
			}
			found := Analyze(tracetest.Run(
				stepOf("W A alone", trace.Saturation{Step: trace.SaturationAlone, Disk: "A"},
					diskOf("A", "write", 2e8, a...)),
				stepOf("W together", trace.Saturation{Step: trace.SaturationTogether},
					diskOf("A", "write", 2e8, a...), diskOf("B", "write", 2e8, b...)),
			), Options{}).Saturations
			if len(found) == 1 && found[0].Together != nil && found[0].Together.Reported {
				reported++
				claims += len(found[0].Together.Gains)
			}
		}
		t.Logf("%s: %d claims in %d runs of which it is told", kind, claims, reported)
		if reported < gainRuns*9/10 || claims > 1+gainRuns/40 {
			t.Errorf("%s: %d gains in %d of %d runs in which the disk gained nothing", kind, claims,
				reported, gainRuns)
		}
	}
}
