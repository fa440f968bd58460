package fittest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/pkg/fit/fittest"
	"github.com/hubbench/hubbench/pkg/hub"
)

// Whatever the kind, every disk gets something, no disk more than alone, and all together no more than any hub here
// carries: 3.6 GB/s in a direction, 5.8 in both. The same disks always get the same, in whatever order they are named.
func TestWorldsArePossible(t *testing.T) {
	for _, k := range append(fittest.Own(), fittest.Foreign()...) {
		for seed := range uint64(30) {
			w := k.Make(rand.New(rand.NewPCG(seed, 1)))
			alone := map[string]float64{}
			for _, mix := range w.Mixes(len(w.Disks)) {
				rates := w.Rates(mix)
				var sum [2]float64
				for i, use := range mix {
					key := use.Disk + string(use.Op)
					if len(mix) == 1 {
						alone[key] = rates[i]
					}
					if rates[i] < 1e6 || rates[i] > alone[key]*(1+1e-6) || math.IsNaN(rates[i]) {
						t.Fatalf("%s, seed %d: %v get %.4g, alone %v", k.Name, seed, mix, rates, alone)
					}
					sum[hub.Direction(use.Op)] += rates[i]
				}
				if max(sum[0], sum[1]) > 4.3e9 || sum[0]+sum[1] > 5.9e9 {
					t.Fatalf("%s, seed %d: %v get %.4g", k.Name, seed, mix, rates)
				}
				turned := append(mix[1:len(mix):len(mix)], mix[0])
				for i, rate := range w.Rates(turned) {
					if was := rates[(i+1)%len(mix)]; math.Abs(rate/was-1) > 1e-6 {
						t.Fatalf("%s, seed %d: %v get %.6g, turned round %.6g", k.Name, seed, mix, rates, w.Rates(turned))
					}
				}
			}
		}
	}
}
