package hub

import (
	"math"
	"math/rand/v2"

	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	read  = trace.Read
	write = trace.Write
	gb    = 1e9
)

// slowShare is an independent solver: it finds every water level by bisection, knowing nothing of
// rounds.
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
		l := level(c.Both, func(l float64) float64 {
			return math.Min(r, l*c.ReadWeight) + math.Min(w, l*c.WriteWeight)
		})
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

// randomCase draws a hub and one to eight claims; every third case has several equal caps or
// weights, where ties lie.
func randomCase(rng *rand.Rand) (Capacity, []Claim) {
	between := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	c := Capacity{Read: between(0.5, 10), Write: between(0.5, 10), ReadWeight: between(0.1, 5),
		WriteWeight: between(0.1, 5)}
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
		bad := func(what string) {
			t.Fatalf("case %d: %s\n%+v\n%+v\n%v", n, what, c, claims, rates)
		}

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
	c := Capacity{Read: 3, Write: 4, Both: 5, ReadWeight: 1, WriteWeight: 1, Pair: 0.9,
		TwoWriters: 0.8}
	for _, test := range []struct {
		pattern string
		want    float64 // in all
	}{{"", 0}, {"R", 3}, {"W", 4}, {"RR", 2.7}, {"WW", 3.6}, {"RRR", 3}, {"WWW", 4}, {"WWWWW", 4},
		{"RW", 5}, {"RRW", 5}, {"RWW", 4}, {"RRWWW", 4}} {
		var claims []Claim
		for _, letter := range test.pattern {
			claims = append(claims, Claim{Op: map[rune]trace.Role{'R': read, 'W': write}[letter],
				Cap: 9, Weight: 1})
		}
		total := 0.0
		for _, rate := range Share(c, claims) {
			total += rate
		}
		check.Near(t, test.pattern, test.want, total, 1e-9)
	}
}
