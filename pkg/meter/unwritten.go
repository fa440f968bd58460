package meter

import "slices"

// Unwritten is how much of what was written to a disk has not been seen to reach its device yet, by disk. It may follow
// in any later phase: a system holds writes back for half a minute, and longer than short phases last. Disks on one device
// share a number.
type Unwritten map[string]*float64

// of is the number that disks on one device share from now on.
func (u Unwritten) of(disks []string) *float64 {
	var sum float64
	var seen []*float64
	for _, disk := range disks {
		if v := u[disk]; v != nil && !slices.Contains(seen, v) {
			seen = append(seen, v)
			sum += *v
		}
	}
	for _, disk := range disks {
		u[disk] = &sum
	}
	return &sum
}
