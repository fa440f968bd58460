package hub

import "github.com/hubbench/hubbench/pkg/trace"

// Capacity is what the hub's one upstream port carries, in bytes per second, and how it is divided.
type Capacity struct {
	Read  float64 `yaml:"read,required" is:"1 KB/s to 1 TB/s" doc:"of reads"`
	Write float64 `yaml:"write,required" is:"1 KB/s to 1 TB/s" doc:"of writes"`
	Both  float64 `yaml:"both" is:"1 KB/s to 1 TB/s" doc:"of reads and writes together; the sum of both by default"`

	// The pull of each direction on Both. A direction that wants less than its part leaves the rest
	// to the other.
	ReadWeight, WriteWeight float64

	// The part that is carried if fewer, or more, disks ask than at best. Zero: all of it.
	Pair       float64 `yaml:"pair" is:"0.01 to 1" doc:"factor of read, and of write, while two disks share that direction"`
	TwoWriters float64 `yaml:"two_writers" is:"0.01 to 1" doc:"factor of both while more than one disk writes"`
}

// Claim is one active disk's part in the contention.
type Claim struct {
	Op     trace.Role // Read or Write
	Cap    float64    // the most it moves; bytes per second
	Weight float64    // its pull on what its direction gets, relative to the others'
}

// Share divides the capacity among the claims, and returns a rate for each, in bytes per second.
//
// It is weighted max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2) twice over: first
// between the two directions, each wanting what its disks want and it can carry; then within each
// direction among its disks. So no claim passes its cap, nothing is left over that a disk could
// use, and no disk's part can grow except at the cost of one that has less for its weight.
func Share(c Capacity, claims []Claim) []float64 {
	rates := make([]float64, len(claims))
	ShareInto(c, claims, rates)
	return rates
}

// Rates returns what disks get on the hub together, of which names and roles count.
func (p *Profile) Rates(disks []Observed) []float64 {
	claims := make([]Claim, len(disks))
	for i, d := range disks {
		side := p.Disk(d.Disk).Side(d.Op)
		claims[i] = Claim{Op: d.Op, Cap: side.Hub, Weight: side.Weight}
	}
	return Share(p.Capacity, claims)
}

// ShareInto is Share into a slice of the caller's, for inner loops.
func ShareInto(c Capacity, claims []Claim, rates []float64) {
	directions := [2]Claim{{Op: trace.Read, Weight: c.ReadWeight},
		{Op: trace.Write, Weight: c.WriteWeight}}
	var disks [2]int
	for _, claim := range claims {
		d := Direction(claim.Op)
		disks[d]++
		directions[d].Cap += claim.Cap
	}
	carries := [2]float64{c.Read, c.Write}
	for d := range directions {
		if disks[d] == 2 && c.Pair > 0 {
			carries[d] *= c.Pair
		}
		directions[d].Cap = min(directions[d].Cap, carries[d])
		carries[d] = directions[d].Cap
	}
	if disks[1] > 1 && c.TwoWriters > 0 {
		c.Both *= c.TwoWriters
	}
	if disks[0] > 0 && disks[1] > 0 {
		fill(c.Both, directions[:], carries[:], "")
	}
	fill(carries[0], claims, rates, trace.Read)
	fill(carries[1], claims, rates, trace.Write)
}

// Direction numbers the roles that move bytes: 0 reads, 1 writes.
func Direction(op trace.Role) int {
	if op == trace.Write {
		return 1
	}
	return 0
}

// fill raises one water level, each claim's part being level x weight, until the amount is used up
// or every claim of the direction, or of both if there is none, is full. Each round fills those
// whose cap lies under the level of that round, which can only raise the next level, so there are
// at most as many rounds as claims.
func fill(amount float64, claims []Claim, rates []float64, direction trace.Role) {
	const open = -1
	for i, claim := range claims {
		if direction == "" || claim.Op == direction {
			rates[i] = open
		}
	}
	for full := true; full; { // once more while somebody is filled, which leaves more to the others
		left := amount
		weights := 0.0
		for i, claim := range claims {
			switch {
			case direction != "" && claim.Op != direction:
			case rates[i] == open:
				weights += claim.Weight
			default:
				left -= rates[i]
			}
		}
		level := max(left, 0) / weights
		full = false
		for i, claim := range claims {
			if rates[i] == open && claim.Cap <= level*claim.Weight {
				rates[i] = claim.Cap
				full = true
			}
		}
		for i, claim := range claims {
			if !full && rates[i] == open {
				rates[i] = level * claim.Weight
			}
		}
	}
}
