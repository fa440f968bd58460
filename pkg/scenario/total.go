package scenario

import "strings"

// Total is what a plan asks of one disk, in bytes.
type Total struct {
	Disk    string
	Files   int   // measured transfers
	Read    int64 // measured reads
	Written int64 // measured writes, and the files that must be there beforehand: the disk's wear
	Space   int64 // most test files at one time
}

// Totals sums the plan up, disk by disk.
func (p *Plan) Totals() []Total {
	totals := make([]Total, len(p.Disks))
	for i, d := range p.Disks {
		t := Total{Disk: d.Name}
		for k, stock := range p.Stock(d.Name) {
			t.Space = max(t.Space, stock.Space)
			j, ok := p.Phases[k].Job(d.Name)
			if !ok {
				continue
			}
			t.Files += len(j.Sizes)
			t.Written += stock.Before
			if j.Role == Read {
				t.Read += j.Bytes()
			} else {
				t.Written += j.Bytes()
			}
		}
		totals[i] = t
	}
	return totals
}

// Job finds a disk's job; there is none where the disk is idle.
func (p Phase) Job(disk string) (Job, bool) {
	for _, j := range p.Jobs {
		if j.Disk == disk {
			return j, true
		}
	}
	return Job{}, false
}

// Bytes is the measured work of all disks in the phase.
func (p Phase) Bytes() int64 {
	var sum int64
	for _, j := range p.Jobs {
		sum += j.Bytes()
	}
	return sum
}

// Who says which disks do what in the phase: "C writes; A, B read".
func (p Phase) Who() string {
	var roles []Role
	disks := map[Role][]string{}
	for _, j := range p.Jobs {
		if disks[j.Role] == nil {
			roles = append(roles, j.Role)
		}
		disks[j.Role] = append(disks[j.Role], j.Disk)
	}
	var parts []string
	for _, role := range roles {
		verb := string(role)
		if len(disks[role]) == 1 {
			verb += "s"
		}
		parts = append(parts, strings.Join(disks[role], ", ")+" "+verb)
	}
	return strings.Join(parts, "; ")
}

// Files is how many transfers are measured in the phase.
func (p Phase) Files() int {
	n := 0
	for _, j := range p.Jobs {
		n += len(j.Sizes)
	}
	return n
}
