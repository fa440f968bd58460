package analysis_test

import (
	"slices"

	"github.com/hubbench/hubbench/internal/test/tracetest"
)

// sharing is what the model knows of a phase: who is slowed by whom while all disks work.
type sharing struct {
	disks   int
	times   int                       // moments at which all worked
	slowed  map[string]int            // moments at which the disk got less than it could move
	takes   map[string]map[string]int // moments at which the second had more without the first
	even    int                       // moments at which all got about the same
	could   map[string]float64        // sum of what the disk could move
	most    map[string]float64        // the most that it could move at any time
	gets    map[string]float64        // sum of what it got
	freed   map[string]float64        // sum of what the others would have without the disk
	freedOf map[string]float64        // sum of what these others have with it
}

const (
	slowedBelow = 0.97 // A disk that gets this much of what it could move is not slowed.
	freedAbove  = 1.05 // A disk takes from another that would have this much more without it.
	evenWithin  = 1.2  // Disks share evenly if none gets this much more than another.
)

func newSharing(disks int) *sharing {
	return &sharing{
		disks: disks, slowed: map[string]int{}, takes: map[string]map[string]int{},
		could: map[string]float64{}, gets: map[string]float64{},
		freed: map[string]float64{}, freedOf: map[string]float64{}, most: map[string]float64{},
	}
}

// watch takes in how the hub shares at one moment.
func (k *sharing) watch(now tracetest.Shared) {
	for disk, could := range now.Could {
		k.most[disk] = max(k.most[disk], could)
	}
	if len(now.Could) < k.disks {
		return
	}
	k.times++
	least, most := 1e18, 0.0
	for disk, could := range now.Could {
		got := now.Gets[disk]
		least, most = min(least, got), max(most, got)
		k.could[disk] += could
		k.gets[disk] += got
		if got < slowedBelow*could {
			k.slowed[disk]++
		}
		for other, rate := range now.Without(disk) {
			k.freed[disk] += rate
			k.freedOf[disk] += now.Gets[other]
			if rate >= freedAbove*now.Gets[other] {
				if k.takes[disk] == nil {
					k.takes[disk] = map[string]int{}
				}
				k.takes[disk][other]++
			}
		}
	}
	if most <= evenWithin*least {
		k.even++
	}
}

// often reports whether a count is more than what a claim about a phase needs to be true.
func (k *sharing) often(moments int) bool { return 10*moments > k.times }

// isSlowed reports whether the disk is slowed by the others in a good part of the phase.
func (k *sharing) isSlowed(disk string) bool { return k.often(k.slowed[disk]) }

// isTaking reports whether the disk takes from one of the others, or from any if none is named.
func (k *sharing) isTaking(disk string, from ...string) bool {
	for other, moments := range k.takes[disk] {
		if k.often(moments) && (len(from) == 0 || slices.Contains(from, other)) {
			return true
		}
	}
	return false
}

// gain returns what the others gain without the disk.
func (k *sharing) gain(disk string) float64 { return k.freed[disk]/max(k.freedOf[disk], 1) - 1 }

// kept returns the part of what the disk could move that it got.
func (k *sharing) kept(disk string) float64 { return k.gets[disk] / max(k.could[disk], 1) }
