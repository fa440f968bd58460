package hub

import "github.com/hubbench/hubbench/pkg/trace"

// Capacity is what the hub's one upstream port carries, in bytes per second, and how it is divided. The zero of
// every field below Both leaves it out.
type Capacity struct {
	Read  float64 // all disks reading
	Write float64 // all disks writing
	Both  float64 // reads and writes together, when both are in use; at most Read + Write

	// The pull of each direction on Both. A direction that wants less than its part leaves the rest
	// to the other.
	ReadWeight, WriteWeight float64

	// The part that is carried if fewer, or more, disks ask than at best. Zero: all of it.
	Pair       float64 // of Read, and of Write, if two disks share the direction
	TwoWriters float64 // of Both, if more than one disk writes

	// Proportional lets a disk pull by how fast it is, times its weight; else it pulls by its weight alone.
	Proportional bool
	// Pooled lets each direction pull on Both by what its disks pull together, as when all disks' requests take turns;
	// else it pulls the same however many they are.
	Pooled bool
	// PerDisk is what every active disk beyond the second costs: n of them find all capacities divided by
	// 1 + PerDisk (n - 2). If it is not zero, one disk finds no limit but its own.
	PerDisk float64
	// What a byte moved in the other direction takes from Read, and from Write: at least 0, below 1.
	ReadLoss, WriteLoss float64
}

// Claim is one active disk's part in the contention.
type Claim struct {
	Op     trace.Role // Read or Write
	Cap    float64    // the most it can move, alone on the hub; bytes per second
	Weight float64    // its pull on what its direction gets, relative to the others'
	Want   float64    // what it wants if that is less, which does not weaken its pull; zero: all it can
	Same   bool       // of the same disk as the claim before it, which reads and writes at once
}

// wants is what it would move with no one else there.
func (c *Claim) wants() float64 {
	if c.Want > 0 {
		return c.Want
	}
	return c.Cap
}

// Share divides the capacity among the claims, and returns a rate for each, in bytes per second.
//
// It is weighted max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2) twice over: first
// between the two directions, each wanting what its disks want and it can carry; then within each
// direction among its disks. So no claim passes its cap, nothing is left over that a disk could use,
// and no disk's part can grow except at the cost of one that has less for its weight.
func Share(c Capacity, claims []Claim) []float64 {
	rates := make([]float64, len(claims))
	ShareInto(c, claims, rates)
	return rates
}

// Rates are what disks get on the hub together, of which names and roles count.
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
	var of [2]int // claims of each direction
	disks := 0
	for i := range claims {
		of[Direction(claims[i].Op)]++
		if !claims[i].Same {
			disks++
		}
	}
	if of[0] == 2 && c.Pair > 0 {
		c.Read *= c.Pair
	}
	if of[1] == 2 && c.Pair > 0 {
		c.Write *= c.Pair
	}
	if of[1] > 1 && c.TwoWriters > 0 {
		c.Both *= c.TwoWriters
	}
	switch {
	case c.PerDisk == 0:
	case disks == 1:
		for i := range claims {
			rates[i] = claims[i].wants()
		}
		return
	default:
		left := 1 / (1 + c.PerDisk*float64(disks-2))
		c.Read, c.Write, c.Both = c.Read*left, c.Write*left, c.Both*left
	}
	var want [2]Claim // read, write
	var pulls [2]float64
	want[0].Weight, want[1].Weight = c.ReadWeight, c.WriteWeight
	for i := range claims {
		d := Direction(claims[i].Op)
		want[d].Cap += claims[i].Cap
		want[d].Want += claims[i].wants()
		pulls[d] += claims[i].Weight
	}
	if c.Pooled {
		want[0].Weight *= pulls[0]
		want[1].Weight *= pulls[1]
	}
	want[0].Want, want[1].Want = c.carried(want[0].Want, want[1].Want)
	if c.Proportional { // else nobody asks for the pull
		want[0].Cap, want[1].Cap = c.carried(want[0].Cap, want[1].Cap)
	}

	carried := [2]float64{want[0].Want, want[1].Want}
	if carried[0] > 0 && carried[1] > 0 {
		c.fill(c.Both, want[:], carried[:], anyDirection)
	}
	c.fill(carried[0], claims, rates, 0)
	c.fill(carried[1], claims, rates, 1)
}

// carried is how much of what the disks want each direction carries, Both aside. What the one moves takes from the
// other, which then takes less from the one: as the losses are below 1, there is one pair of amounts that agree.
func (c *Capacity) carried(wantRead, wantWrite float64) (read, write float64) {
	reads := func(write float64) float64 { return min(wantRead, max(c.Read-c.ReadLoss*write, minLeft*c.Read)) }
	writes := func(read float64) float64 { return min(wantWrite, max(c.Write-c.WriteLoss*read, minLeft*c.Write)) }
	if c.ReadLoss == 0 && c.WriteLoss == 0 {
		return min(wantRead, c.Read), min(wantWrite, c.Write)
	}
	if read = reads(wantWrite); writes(read) == wantWrite {
		return read, wantWrite
	}
	if write = writes(wantRead); reads(write) == wantRead {
		return wantRead, write
	}
	write = writes(max((c.Read-c.ReadLoss*c.Write)/(1-c.ReadLoss*c.WriteLoss), minLeft*c.Read))
	return reads(write), write
}

// minLeft is the part of its capacity that a direction keeps whatever the other moves.
const minLeft = 0.01

const anyDirection = -1

// Direction numbers the roles that move bytes: 0 reads, 1 writes.
func Direction(op trace.Role) int {
	if op == trace.Write {
		return 1
	}
	return 0
}

// fill raises one water level, each claim's part being level x pull, until the amount is used up or
// every claim of the direction is full. Each round fills those whose cap lies under the level of that
// round, which can only raise the next level, so there are at most as many rounds as claims.
func (c *Capacity) fill(amount float64, claims []Claim, rates []float64, dir int) {
	const open = -1
	mine := func(i int) bool { return dir == anyDirection || Direction(claims[i].Op) == dir }
	pull := func(i int) float64 {
		if c.Proportional {
			return claims[i].Weight * claims[i].Cap
		}
		return claims[i].Weight
	}
	for i := range claims {
		if mine(i) {
			rates[i] = open
		}
	}
	for full := true; full; { // once more while somebody is filled, which leaves more to the others
		left, pulls := amount, 0.0
		for i := range claims {
			switch {
			case !mine(i):
			case rates[i] == open:
				pulls += pull(i)
			default:
				left -= rates[i]
			}
		}
		if pulls == 0 {
			return
		}
		level := max(left, 0) / pulls
		full = false
		for i := range claims {
			if mine(i) && rates[i] == open && claims[i].wants() <= level*pull(i) {
				rates[i], full = claims[i].wants(), true
			}
		}
		for i := range claims {
			if !full && mine(i) && rates[i] == open {
				rates[i] = level * pull(i)
			}
		}
	}
}
