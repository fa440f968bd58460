package analysis

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// cachedHub is a hub of three disks, of which A has a fast cache, or none.
func cachedHub(cache *hub.Cache, noise float64) *hub.Profile {
	disk := func(name string, write float64, cache *hub.Cache) hub.Disk {
		return hub.Disk{
			Name: name, Cache: cache,
			Read:  hub.Side{Hub: 2.6e9, Direct: 2.6e9, Weight: 1},
			Write: hub.Side{Hub: write, Direct: write, Weight: 1},
		}
	}
	return &hub.Profile{
		Name: "cached", Noise: noise, Link: math.Inf(1), Lane: math.Inf(1),
		Capacity: hub.Capacity{Read: 3.3e9, Write: 3.3e9, Both: 4.6e9, Pair: 1, TwoWriters: 1, ReadWeight: 1, WriteWeight: 1},
		Disks:    []hub.Disk{disk("A", 2.3e9, cache), disk("B", 1.5e9, nil), disk("C", 1.5e9, nil)},
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
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	if err := hub.Simulate(plan, p, func(e *trace.Event) error { text = trace.AppendEvent(text, e); return nil }); err != nil {
		t.Fatal(err)
	}
	run, err := trace.Load(bytes.NewReader(text), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return Analyze(run, Options{})
}

// agrees reports whether a number is what it must be, within 5 %.
func agrees(got, want float64) bool { return math.Abs(got-want) <= 0.05*math.Abs(want) }

// The cliff, the rate after it, what the others gain and the rest that brings the cache back are the model's, within 5 %.
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
			name := fmt.Sprintf("%s, cache of %.0f GB, noise %.2f, seed %d", tt.pattern, float64(tt.cache.Bytes)/1e9, tt.noise, seed)
			p := cachedHub(&tt.cache, tt.noise)
			a := saturate(t, tt.pattern, seed, p)
			if len(a.Saturations) == 0 || a.Saturations[0].Disk != "A" || a.Saturations[0].Fall == nil || a.Saturations[0].Back == nil {
				t.Errorf("%s: got %+v", name, a.Saturations)
				continue
			}
			s := a.Saturations[0]
			if f := s.Fall; !agrees(f.AtBytes, float64(tt.cache.Bytes)) || !agrees(f.FromRate, 2.3e9) || !agrees(f.ToRate, tt.cache.After) {
				t.Errorf("%s: fell after %.3g bytes from %.3g to %.3g", name, f.AtBytes, f.FromRate, f.ToRate)
			}
			want := float64(tt.cache.Bytes) / tt.cache.Refill
			if s.Back.RestS == nil || !agrees(*s.Back.RestS, want) {
				t.Errorf("%s: back %+v, want after %.0f s", name, s.Back, want)
			}
			for _, other := range a.Saturations[1:] {
				if other.Fall != nil {
					t.Errorf("%s: disk %s has no cache, and fell: %+v", name, other.Disk, other.Fall)
				}
			}
			checkGains(t, name, tt.pattern, p, s.Together)
		}
	}
}

// checkGains holds what the others gained against what the model gives them, and their intervals to hold it.
func checkGains(t *testing.T, name, pattern string, p *hub.Profile, f *FallTogether) {
	t.Helper()
	if f == nil || !f.Told {
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
		t.Errorf("%s: fell from %.3g to %.3g beside others, want %.3g to %.3g", name, f.FromRate, f.ToRate, before[0], after[0])
	}
	gains := map[string]Gain{}
	for _, g := range f.Gains {
		gains[g.Disk] = g
	}
	for i := 1; i < len(before); i++ {
		disk, want := p.Disks[i].Name, after[i]-before[i]
		g, told := gains[disk]
		switch {
		case want < 0.01e9 && told:
			t.Errorf("%s: %s gained %.3g, and had all it can", name, disk, g.Gain)
		case !told && want < 0.2*before[i]: // within what noise may make
		case want >= 0.01e9 && (!told || !agrees(g.ToRate, after[i]) || !agrees(g.FromRate, before[i])):
			t.Errorf("%s: %s gained %+v, want %.3g to %.3g", name, disk, g, before[i], after[i])
		}
	}
}

func TestSaturationWithoutAnEnd(t *testing.T) {
	if s := saturate(t, "WR-", 1, cachedHub(nil, 0.02)).Saturations; len(s) != 1 || s[0].Fall != nil || s[0].Back != nil || s[0].Together != nil {
		t.Errorf("no cache: %+v", s)
	}
	never := saturate(t, "WR-", 1, cachedHub(&hub.Cache{Bytes: 24e9, After: 0.65e9}, 0.02)).Saturations[0]
	if b := never.Back; b == nil || b.WithinS != nil || b.RestS != nil || b.AfterS != 320 || b.Regained > 0.05 {
		t.Errorf("a cache that never comes back: %+v", b)
	}
	if never.Together != nil {
		t.Errorf("it had nothing left to lose beside others: %+v", never.Together)
	}
	soon := saturate(t, "W--", 1, cachedHub(&hub.Cache{Bytes: 24e9, After: 0.65e9, Refill: 4e9}, 0.02)).Saturations[0]
	if b := soon.Back; b == nil || b.WithinS == nil || *b.WithinS != 10 || b.RestS != nil {
		t.Errorf("a cache that is back before the first burst: %+v", b)
	}
	large := saturate(t, "W--", 1, cachedHub(&hub.Cache{Bytes: 100e9, After: 0.65e9, Refill: 0.5e9}, 0.02)).Saturations[0]
	if b := large.Back; b == nil || b.WithinS == nil || *b.WithinS != 160 || b.Bytes > 50e9 || b.RestS != nil {
		t.Errorf("a cache that no burst empties: %+v", b)
	}
}
