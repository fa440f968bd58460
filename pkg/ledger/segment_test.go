package ledger

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var seeds = flag.Int("seeds", 6, "how many series of each kind are played")

// part is for how long a rate is what it is.
type part struct {
	s    float64
	rate func(t float64) float64
}

func at(r float64) func(float64) float64 { return func(float64) float64 { return r } }

// What may be wanted besides a number of changes.
const (
	curved   = -1
	whatever = -2
)

// kind is a kind of series: the levels and curves that a rate goes through, and its noise.
type kind struct {
	name     string
	parts    []part
	noise    float64
	file     func(r *rand.Rand) float64
	memory   bool
	bursts   bool
	maxSize  float64
	want     int // changes of level, or one of curved and whatever
	repeated int
}

// play makes a series of log rates in tenths of a second, and in which file each lies.
func play(r *rand.Rand, k kind) ([]float64, []int) {
	const dt = 0.1
	var y []float64
	for range max(1, k.repeated) {
		for _, p := range k.parts {
			for i := range int(math.Round(p.s / dt)) {
				y = append(y, math.Log(p.rate(float64(i)*dt)))
			}
		}
	}
	n := len(y)
	e, fid := make([]float64, n), make([]int, n)
	noise := k.noise
	if noise == 0 {
		noise = 0.02
	}
	maxSize := k.maxSize
	if maxSize == 0 {
		maxSize = 2
	}
	for i, f := 0, 0; i < n; f++ {
		v := r.NormFloat64() * noise
		if k.file != nil {
			v = k.file(r)
		}
		size, got, j := 0.002+r.Float64()*(maxSize-0.002), 0.0, i
		for j < n && got < size {
			got += math.Exp(y[j]+v) * dt
			j++
		}
		j = max(j, i+1)
		for ; i < j; i++ {
			e[i], fid[i] = v, f
		}
	}
	a, phi := 0.0, math.Exp(-dt/5)
	next := int(r.ExpFloat64() * 15 / dt)
	for i := range y {
		y[i] += e[i] + r.NormFloat64()*noise
		if k.memory {
			a = phi*a + r.NormFloat64()*0.2*math.Sqrt(1-phi*phi)
			y[i] += a
		}
		if k.bursts && i >= next {
			y[i] += math.Log(0.4)
			if i == next+20 {
				next = i + int(r.ExpFloat64()*15/dt)
			}
		}
	}
	return y, fid
}

func kinds() []kind {
	logn := func(s float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return r.NormFloat64() * s }
	}
	pareto := func(a float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			return -math.Log(0.7 + 0.3*math.Pow(1-r.Float64(), -1/a)*(a-1)/a)
		}
	}
	flat := []part{{60, at(2)}}
	heat := []part{{15, at(2)}, {15, at(1)}, {15, at(.5)}, {15, at(1)}, {15, at(2)}}
	dips := []part{
		{15, at(2)}, {3.5, at(.8)}, {15, at(2)}, {3.5, at(.8)}, {15, at(2)}, {3.5, at(.8)},
		{10, at(2)},
	}
	swing := []part{{4, at(1.5)}, {4, at(.7)}}
	return []kind{
		{name: "steady 2%", parts: flat},
		{name: "steady 10%", parts: flat, noise: .1},
		{name: "lognormal .3", parts: flat, file: logn(.3)},
		{name: "lognormal .6", parts: flat, file: logn(.6)},
		{name: "pareto 1.5", parts: flat, file: pareto(1.5)},
		{name: "pareto 2.5", parts: flat, file: pareto(2.5)},
		{name: "ar 20% 5s", parts: flat, memory: true},
		{name: "8 MB files", parts: flat, noise: .1, maxSize: .008},
		{name: "heat 2%", parts: heat, want: 4},
		{name: "heat 10%", parts: heat, noise: .1, want: 4},
		{name: "heat lognormal .3", parts: heat, file: logn(.3), want: 4},
		{name: "three dips 2%", parts: dips, want: 6},
		{name: "three dips 10%", parts: dips, noise: .1, want: 6},
		{
			name: "refills 2%",
			parts: []part{
				{10, at(2)}, {15, at(.5)}, {5, at(2)}, {15, at(.5)}, {5, at(2)}, {15, at(.5)},
			},
			want: 5,
		},
		{
			name: "refills 10%",
			parts: []part{
				{10, at(2)}, {15, at(.5)}, {5, at(2)}, {15, at(.5)}, {5, at(2)}, {15, at(.5)},
			},
			noise: .1, want: 5,
		},
		{name: "swing 8s 2%", parts: swing, repeated: 8, want: 15},
		{name: "swing 8s 10%", parts: swing, repeated: 8, noise: .1, want: 15},
		{
			name: "swing 4s 2% 200MB", parts: []part{{2, at(1.5)}, {2, at(.7)}}, repeated: 15,
			maxSize: .2, want: 29,
		},
		{name: "swing 40s 2%", parts: []part{{20, at(1.5)}, {20, at(.7)}}, repeated: 3, want: 5},
		{name: "fall 20% at 10%", parts: []part{{30, at(2)}, {30, at(1.6)}}, noise: .1, want: 1},
		{name: "fall 15% at 2%", parts: []part{{30, at(2)}, {30, at(1.7)}}, want: 1},
		{name: "fall last 5 s", parts: []part{{55, at(2)}, {5, at(1)}}, noise: .1, want: 1},
		{name: "usb2", parts: []part{{30, at(2)}, {30, at(.04)}}, noise: .1, want: 1},
		{
			name:  "exponential 2%",
			parts: []part{{60, func(t float64) float64 { return .5 + 1.5*math.Exp(-t/15) }}},
			want:  curved,
		},
		{
			name:  "exponential 10%",
			parts: []part{{60, func(t float64) float64 { return .5 + 1.5*math.Exp(-t/15) }}},
			noise: .1, want: curved,
		},
		{
			name: "line 2%", parts: []part{{60, func(t float64) float64 { return 2 - t/60 }}},
			want: curved,
		},
		{
			name: "line 10%", parts: []part{{60, func(t float64) float64 { return 2 - t/60 }}},
			noise: .1, want: curved,
		},
		{
			name:  "plateau slope",
			parts: []part{{25, at(2)}, {35, func(t float64) float64 { return 2 * (1 - .7*t/35) }}},
			want:  curved,
		},
		{
			name:  "plateau slope 10%",
			parts: []part{{25, at(2)}, {35, func(t float64) float64 { return 2 * (1 - .7*t/35) }}},
			noise: .1, want: curved,
		},
		{name: "bursts", parts: flat, bursts: true, want: whatever},
	}
}

// TestCriterion plays series of which all changes are known, and steady ones with noise of many
// classes, and counts in how many the criterion finds just these.
//
//	go test ./pkg/ledger -run Criterion -v -args -seeds 40
func TestCriterion(t *testing.T) {
	all, right := 0, 0
	for _, k := range kinds() {
		counts, hits := map[int]int{}, 0
		for seed := range *seeds {
			y, file := play(rand.New(rand.NewPCG(uint64(seed), 7)), k)
			q := newSequence(y, file, 0.1, &binnedTime{})
			found := len(q.segment().pieces) - 1
			for _, p := range q.segment().pieces {
				if p.form != flat {
					found = -1
				}
			}
			counts[found]++
			if found == k.want || k.want == whatever {
				hits++
			}
		}
		t.Logf("%-20s %d of %d as they are, changes found: %v", k.name, hits, *seeds, counts)
		if hits < *seeds-max(4, *seeds/2) {
			t.Errorf("%s: %d of %d as they are: %v", k.name, hits, *seeds, counts)
		}
		all, right = all+*seeds, right+hits
	}
	if 100*right < 95*all {
		t.Errorf("%d of %d series as they are, want 95 %%", right, all)
	}
}
