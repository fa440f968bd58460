package scenario

import "github.com/hubbench/hubbench/pkg/trace"

// combine lists the roles, phase by phase, for one part of a study; none if there are too few disks. Phases of one disk
// are spread out, so that it rests while others work, and solo phases come first: what they show sizes the others' work.
func combine(part string, disks []string) []map[string]trace.Role {
	var phases []map[string]trace.Role
	add := func(roles map[string]trace.Role) { phases = append(phases, roles) }
	switch part {
	case studySolo:
		for _, role := range []trace.Role{trace.Write, trace.Read} {
			for _, disk := range disks {
				add(map[string]trace.Role{disk: role})
			}
		}
	case studyPairs:
		for _, roles := range [][2]trace.Role{{trace.Write, trace.Write}, {trace.Read, trace.Read}, {trace.Write, trace.Read}, {trace.Read, trace.Write}} {
			for _, pair := range pairs(len(disks)) {
				add(map[string]trace.Role{disks[pair[0]]: roles[0], disks[pair[1]]: roles[1]})
			}
		}
	case studyAll:
		for _, role := range []trace.Role{trace.Write, trace.Read} {
			add(allBut(disks, role, "", trace.Idle))
		}
	case studyAllButOne:
		if len(disks) < 2 {
			return nil
		}
		for _, role := range []trace.Role{trace.Write, trace.Read} {
			for _, disk := range disks {
				add(allBut(disks, role, disk, trace.Idle))
			}
		}
	case studyMixed:
		if len(disks) < 2 {
			return nil
		}
		for _, role := range [][2]trace.Role{{trace.Write, trace.Read}, {trace.Read, trace.Write}} {
			for _, disk := range disks {
				add(allBut(disks, role[1], disk, role[0]))
			}
		}
	case studyMatrix:
		for _, part := range []string{studySolo, studyPairs, studyAllButOne, studyAll, studyMixed} {
			phases = append(phases, combine(part, disks)...)
		}
	}
	return phases
}

// allBut gives every disk a role, and one of them another.
func allBut(disks []string, role trace.Role, one string, its trace.Role) map[string]trace.Role {
	roles := map[string]trace.Role{}
	for _, disk := range disks {
		roles[disk] = role
	}
	if one != "" {
		roles[one] = its
	}
	return roles
}

// pairs lists every two of n, in rounds in which nobody is twice: the circle method of tournaments. One
// stays, the others rotate; if n is odd, whoever is paired with it rests.
func pairs(n int) [][2]int {
	var all [][2]int
	stays := n - 1 + n%2
	for round := range stays {
		if stays < n {
			all = append(all, [2]int{round, stays})
		}
		for i := 1; i <= (stays-1)/2; i++ {
			a, b := (round+i)%stays, (round-i+stays)%stays
			all = append(all, [2]int{min(a, b), max(a, b)})
		}
	}
	return all
}
