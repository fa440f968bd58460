package fit

import (
	"cmp"
	"math"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Family is a way in which hubs share, fitted with parameters of its own.
type Family string

// The families that are fitted.
const (
	// Weighted is max-min sharing by weights that are fitted.
	Weighted Family = "weighted"
	// Proportional gives every disk the same part of what it can do.
	Proportional Family = "proportional"
	// DiskCost is Weighted on a hub that carries less the more disks are active.
	DiskCost Family = "disk_cost"
	// PairLoss is Weighted on a hub that carries less in a direction for two disks than for three or more, and less in both
	// together when more than one disk writes.
	PairLoss Family = "pair_loss"
	// DuplexLoss is Weighted on a hub each of whose directions loses to the traffic of the other, by factors of its own.
	DuplexLoss Family = "duplex_loss"
	// Pooled is Weighted on a hub where each direction pulls by what its disks pull together.
	Pooled Family = "pooled"
)

// families lists them, the simplest to read first: it is preferred if the runs do not distinguish them.
var families = [...]Family{Weighted, Proportional, DiskCost, PairLoss, DuplexLoss, Pooled}

// String says it in words.
func (f Family) String() string {
	words := map[Family]string{
		Weighted:     "by weights",
		Proportional: "in proportion to the disks' speeds",
		DiskCost:     "by weights, with a cost per active disk",
		PairLoss:     "by weights, filled less by two disks, or by several writers",
		DuplexLoss:   "by weights, each direction losing to the other",
		Pooled:       "by weights, each direction pulling by its disks' together",
	}
	return cmp.Or(words[f], string(f))
}

// The priors of the families' parameters.
const (
	likelyDiskCost, wideDiskCost  = 0.06, 0.85        // about 6 %; 95 % from 1 % to 43 %
	likelyPair, widePair, minPair = -0.05, 0.05, -0.3 // the logarithm of the part that two disks carry, or writers; at most 0
	likelyLoss, wideLoss          = 0.2, 1.0
	maxLoss                       = 0.95
)

// addCapacities lays out the parameters that all disks share.
func (s *space) addCapacities(seen *seen) {
	// All capacities are parameters: one that no observation touches still needs a value.
	c := &s.model.capacity
	*c = hub.Capacity{ReadWeight: 1, WriteWeight: 1, Both: math.Inf(1), Proportional: s.family == Proportional, Pooled: s.family == Pooled}
	highest := math.Log(max(seen.total[0], seen.total[1], seen.fastest))
	s.add(coordinate{name: "capacity.read", value: &c.Read, start: highest, prior: prior{centre: highest, wide: wideRate}})
	s.add(coordinate{name: "capacity.write", value: &c.Write, start: highest, prior: prior{moved: []term{{reads, 1}}, wide: wideWays}})
	if s.family == DuplexLoss {
		at := math.Log(likelyLoss)
		loss := coordinate{kind: aFactor, start: at, prior: prior{centre: at, wide: wideLoss}}
		loss.name, loss.value = "capacity.read_loss", &c.ReadLoss
		s.add(loss)
		loss.name, loss.value = "capacity.write_loss", &c.WriteLoss
		s.add(loss)
		for i := len(s.params) - 2; i < len(s.params); i++ {
			s.params[i].high = math.Log(maxLoss)
		}
		return
	}
	s.add(coordinate{
		name: "capacity.both", value: &c.Both, start: highest + math.Log(bothRatio),
		prior: prior{centre: math.Log(bothRatio), moved: []term{{reads, 0.5}, {writes, 0.5}}, wide: wideBoth},
	})
	s.add(coordinate{name: "weights.write", kind: aFactor, value: &c.WriteWeight, prior: prior{wide: wideWeight, heavy: true}})
	if s.family == PairLoss {
		s.addPart("capacity.pair", &c.Pair)
		if seen.severalWriters { // else nothing determines the part, and it is better left out
			s.addPart("capacity.two_writers", &c.TwoWriters)
		}
	}
	if s.family == DiskCost {
		at := math.Log(likelyDiskCost)
		s.add(coordinate{name: "capacity.per_disk", kind: aFactor, value: &c.PerDisk, start: at, prior: prior{centre: at, wide: wideDiskCost}})
	}
}

// addPart lays out the part that some disks fill of a capacity.
func (s *space) addPart(name string, value *float64) {
	s.add(coordinate{name: name, kind: aFactor, value: value, start: likelyPair, prior: prior{centre: likelyPair, wide: widePair}})
	p := &s.params[len(s.params)-1]
	p.low, p.high = minPair, 0
}
