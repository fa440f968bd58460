package hub

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	read  = trace.Read
	write = trace.Write
	gb    = 1e9
)

// slowShare is an independent solver: it finds every water level by bisection, knowing nothing of rounds.
func slowShare(c Capacity, claims []Claim) []float64 {
	wants := func(op trace.Role, carries float64) float64 {
		sum := 0.0
		for _, claim := range claims {
			if claim.Op == op {
				sum += claim.Cap
			}
		}
		return math.Min(sum, carries)
	}
	level := func(amount float64, at func(level float64) float64) float64 {
		low, high := 0.0, 1.0
		for at(high) < amount && high < 1e30 {
			high *= 2
		}
		for range 200 {
			if mid := (low + high) / 2; at(mid) < amount {
				low = mid
			} else {
				high = mid
			}
		}
		return high
	}
	r, w := wants(read, c.Read), wants(write, c.Write)
	if r > 0 && w > 0 && r+w > c.Both {
		l := level(c.Both, func(l float64) float64 { return math.Min(r, l*c.ReadWeight) + math.Min(w, l*c.WriteWeight) })
		r, w = math.Min(r, l*c.ReadWeight), math.Min(w, l*c.WriteWeight)
	}
	rates := make([]float64, len(claims))
	for op, amount := range map[trace.Role]float64{read: r, write: w} {
		l := level(amount*(1-1e-15), func(l float64) float64 {
			sum := 0.0
			for _, claim := range claims {
				if claim.Op == op {
					sum += math.Min(claim.Cap, l*claim.Weight)
				}
			}
			return sum
		})
		for i, claim := range claims {
			if claim.Op == op {
				rates[i] = math.Min(claim.Cap, l*claim.Weight)
			}
		}
	}
	return rates
}

// randomCase draws a hub and one to eight claims; every third case has several equal caps or weights, where
// ties lie.
func randomCase(rng *rand.Rand) (Capacity, []Claim) {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	c := Capacity{Read: between(0.5, 10), Write: between(0.5, 10), ReadWeight: between(0.1, 5), WriteWeight: between(0.1, 5)}
	c.Both = between(math.Max(c.Read, c.Write)*0.7, c.Read+c.Write)
	ties := rng.IntN(3) == 0
	claims := make([]Claim, 1+rng.IntN(8))
	for i := range claims {
		claims[i] = Claim{Op: read, Cap: between(0.05, 6), Weight: between(0.1, 5)}
		if rng.IntN(2) == 0 {
			claims[i].Op = write
		}
		if ties {
			claims[i].Cap, claims[i].Weight = math.Ceil(claims[i].Cap), math.Ceil(claims[i].Weight)
		}
	}
	return c, claims
}

func sums(claims []Claim, rates []float64) (r, w float64) {
	for i, claim := range claims {
		if claim.Op == write {
			w += rates[i]
		} else {
			r += rates[i]
		}
	}
	return r, w
}

func TestShareAgainstBisection(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 10_000 {
		c, claims := randomCase(rng)
		got, want := Share(c, claims), slowShare(c, claims)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Fatalf("case %d: %+v %+v:\ngot  %v\nwant %v", n, c, claims, got, want)
			}
		}
	}
}

// What the slow solver cannot tell to the last bit, and what a hold relies on.
func TestShareProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for n := range 10_000 {
		c, claims := randomCase(rng)
		rates := Share(c, claims)
		bad := func(what string) { t.Fatalf("case %d: %s\n%+v\n%+v\n%v", n, what, c, claims, rates) }

		// A twin of a disk gets exactly what the disk gets, wherever it stands.
		twins := append([]Claim{claims[len(claims)-1]}, claims...)
		if rates := Share(c, twins); rates[0] != rates[len(rates)-1] {
			bad("equal disks with different rates")
		}
		// Nobody who stays loses when another leaves.
		for i, rate := range Share(c, claims[:len(claims)-1]) {
			if rate < rates[i]-1e-9 {
				bad("a disk that loses by another's leaving")
			}
		}
	}
}

// Two disks in a direction, and two writers among readers, may find less than there is at best.
func TestShareOfFew(t *testing.T) {
	c := Capacity{Read: 3, Write: 4, Both: 5, ReadWeight: 1, WriteWeight: 1, Pair: 0.9, TwoWriters: 0.8}
	for _, test := range []struct {
		pattern string
		want    float64 // in all
	}{{"", 0}, {"R", 3}, {"W", 4}, {"RR", 2.7}, {"WW", 3.6}, {"RRR", 3}, {"WWW", 4}, {"WWWWW", 4}, {"RW", 5}, {"RRW", 5}, {"RWW", 4}, {"RRWWW", 4}} {
		var claims []Claim
		for _, letter := range test.pattern {
			claims = append(claims, Claim{Op: map[rune]trace.Role{'R': read, 'W': write}[letter], Cap: 9, Weight: 1})
		}
		total := 0.0
		for _, rate := range Share(c, claims) {
			total += rate
		}
		check.Near(t, test.pattern, test.want, total, 1e-9)
	}
}

// alike is the claim of a disk that pulls as any other.
func alike(op trace.Role, limit float64) Claim { return Claim{Op: op, Cap: limit, Weight: 1} }

// Disks that pull by how fast they are lose the same part of it, as long as their weights are equal.
func TestShareInProportion(t *testing.T) {
	c := Capacity{Read: 3, Write: 3, Both: 6, ReadWeight: 1, WriteWeight: 1, Proportional: true}
	got := Share(c, []Claim{alike(read, 0.8), alike(read, 2.6), alike(read, 2.6)})
	check.Same(t, "in proportion", []float64{0.4, 1.3, 1.3}, got, near)
	check.Same(t, "nothing contends", []float64{0.8, 2}, Share(c, []Claim{alike(read, 0.8), alike(read, 2)}), near)
}

// If each direction pulls by its disks together, two writers take twice what one reader does, by weights or by number.
func TestSharePooled(t *testing.T) {
	for _, test := range []struct {
		what   string
		pooled bool
		weight float64 // of the reader
		want   []float64
	}{
		{"even", true, 1, []float64{1, 1, 1}},
		{"a strong reader", true, 4, []float64{2, 0.5, 0.5}},
		{"not pooled", false, 4, []float64{1.5, 0.75, 0.75}},
	} {
		c := Capacity{Read: 3, Write: 3, Both: 3, ReadWeight: 1, WriteWeight: 1, Pooled: test.pooled}
		claims := []Claim{{Op: read, Cap: 3, Weight: test.weight}, alike(write, 3), alike(write, 3)}
		check.Same(t, test.what, test.want, Share(c, claims), near)
	}
}

func TestShareWithACostPerDisk(t *testing.T) {
	c := Capacity{Read: 3, Write: 3, Both: 4.2, ReadWeight: 1, WriteWeight: 1, PerDisk: 0.1}
	for n, want := range []float64{3.2, 3, 3 / 1.1} {
		claims := slices.Repeat([]Claim{alike(read, 3.2)}, n+1)
		if total, _ := sums(claims, Share(c, claims)); math.Abs(total-want) > 1e-9 {
			t.Errorf("%d disks read %g, want %g", n+1, total, want)
		}
	}
	claims := []Claim{alike(read, 3), alike(write, 3), alike(write, 0.1)}
	if r, w := sums(claims, Share(c, claims)); math.Abs(r+w-4.2/1.1) > 1e-9 {
		t.Errorf("both ways: %g, want %g", r+w, 4.2/1.1)
	}
}

// What each direction carries and what it loses to the other agree: found by a slow iteration as well.
func TestShareWithLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := range 10_000 {
		c, claims := randomCase(rng)
		c.Both, c.ReadLoss, c.WriteLoss = c.Read+c.Write, 0.9*rng.Float64(), 0.9*rng.Float64()
		var want [2]float64
		for _, claim := range claims {
			want[Direction(claim.Op)] += claim.Cap
		}
		var r, w float64
		for range 1000 {
			r = math.Min(want[0], math.Max(c.Read-c.ReadLoss*w, minLeft*c.Read))
			w = math.Min(want[1], math.Max(c.Write-c.WriteLoss*r, minLeft*c.Write))
		}
		if gotR, gotW := sums(claims, Share(c, claims)); math.Abs(gotR-r)+math.Abs(gotW-w) > 1e-6 {
			t.Fatalf("case %d: %+v %+v:\ngot  %g and %g\nwant %g and %g", n, c, claims, gotR, gotW, r, w)
		}
	}
}

// A disk that wants less than it can pulls as before: it gets what it wants if its part would be more, and else that
// part, to the last byte.
func TestShareOfLessThanAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for n := range 10_000 {
		c, claims := randomCase(rng)
		c.Proportional, c.Pooled = n%2 == 0, n%3 == 0
		full := Share(c, claims)
		i := rng.IntN(len(claims))
		claims[i].Want = claims[i].Cap * (0.01 + 0.99*rng.Float64())
		limited := Share(c, claims)
		if want := min(full[i], claims[i].Want); limited[i] < want-1e-9 || limited[i] > claims[i].Want+1e-9 {
			t.Fatalf("case %d: %+v %+v: %g instead of %g", n, c, claims[i], limited[i], want)
		}
		for j := range claims {
			if j != i && limited[j] < full[j]-1e-9 {
				t.Fatalf("case %d: %+v %+v: disk %d loses by another's wanting less: %g instead of %g", n, c, claims, j, limited[j], full[j])
			}
		}
	}
}

// One disk of both directions is one disk.
func TestShareOfOneInBothDirections(t *testing.T) {
	c := Capacity{Read: 3, Write: 3, Both: 4, ReadWeight: 1, WriteWeight: 1, PerDisk: 0.1}
	claims := []Claim{alike(read, 3), alike(write, 2), alike(read, 3)}
	claims[1].Same = true
	check.Same(t, "alone", []float64{3, 2}, Share(c, claims[:2]))
	if got := Share(c, claims); math.Abs(got[0]+got[1]+got[2]-4) > 1e-9 {
		t.Errorf("beside another: got %v, want 4 in all", got)
	}
}
