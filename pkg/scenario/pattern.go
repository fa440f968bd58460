package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// readDiskOrder reads the disks a pattern's letters stand for.
func (s *Scenario) readDiskOrder(n strictyaml.Node) []string {
	order := s.readDiskList(n, "order")
	if order != nil && len(order) != len(s.Disks) {
		n.Errorf("order has %d of the %d disks; name each disk once", len(order), len(s.Disks))
		return nil
	}
	return order
}

// readDiskList reads names of disks, each once; nil where one is wrong.
func (s *Scenario) readDiskList(n strictyaml.Node, key string) []string {
	list := []string{}
	for _, item := range n.Items() {
		name, ok := item.Text()
		if !ok {
			return nil
		}
		if !s.hasDisk(name) {
			s.unknownDisk(item.Errorf, name)
			return nil
		}
		if slices.Contains(list, name) {
			item.Errorf("disk %s is in %s twice; name each disk once", strictyaml.Quote(name), key)
			return nil
		}
		list = append(list, name)
	}
	return list
}

// readRoles reads what each disk does: a pattern, whose letters stand for the disks in order, or roles.
func (s *Scenario) readRoles(m *strictyaml.Mapping, p *PhaseSpec, order []string) {
	pattern, byPattern := m.Get("pattern")
	roles, byRoles := m.Get("roles")
	switch {
	case byPattern && byRoles:
		roles.Errorf("a phase has either a pattern or roles; delete one of the two")
	case byPattern:
		p.Roles = readPattern(pattern, order)
		p.Pattern = pattern.Raw()
	case byRoles:
		if n, ok := m.Get("order"); ok && n.Kind() == strictyaml.List {
			n.Errorf("order goes with a pattern, and roles name their disks; delete it")
		}
		p.Roles = s.readRoleMap(roles)
		p.Pattern = s.pattern(p.Roles)
	default:
		m.Missing("pattern", "the phase has no pattern; add one, such as pattern: %s", s.allWrite())
	}
}

// readPattern reads a letter per disk; nil where order is, as that was a mistake already.
func readPattern(n strictyaml.Node, order []string) map[string]trace.Role {
	pattern, ok := n.Text()
	if !ok || len(order) == 0 {
		return nil
	}
	letters := []rune(pattern)
	if len(letters) != len(order) {
		n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", strictyaml.Quote(pattern),
			count(len(letters), "letter"), count(len(order), "disk"))
		return nil
	}
	roles := map[string]trace.Role{}
	for i, letter := range letters {
		switch letter {
		case 'W':
			roles[order[i]] = trace.Write
		case 'R':
			roles[order[i]] = trace.Read
		case '-':
			roles[order[i]] = trace.Idle
		default:
			n.Errorf("pattern %s: letter %d is %q; use W (write), R (read) or - (idle)", strictyaml.Quote(pattern), i+1, letter)
			return nil
		}
	}
	checkWork(n, roles)
	return roles
}

// readRoleMap reads roles by disk; disks it does not name are idle.
func (s *Scenario) readRoleMap(n strictyaml.Node) map[string]trace.Role {
	roles := map[string]trace.Role{}
	for _, d := range s.Disks {
		roles[d.Name] = trace.Idle
	}
	if n.Kind() != strictyaml.Map {
		n.Mapping() // says so
		return roles
	}
	sound := true
	for _, pair := range n.Mapping().Pairs() {
		if !s.hasDisk(pair.Key) {
			s.unknownDisk(pair.Errorf, pair.Key)
			sound = false
			continue
		}
		role, ok := pair.Value.OneOf(string(trace.Read), string(trace.Write), string(trace.Idle))
		roles[pair.Key] = trace.Role(role)
		sound = sound && ok
	}
	if sound {
		checkWork(n, roles)
	}
	return roles
}

// checkWork refuses a phase in which nobody works.
func checkWork(n strictyaml.Node, roles map[string]trace.Role) {
	for _, role := range roles {
		if role != trace.Idle {
			return
		}
	}
	n.Errorf("every disk is idle in this phase; let one read or write, or delete the phase")
}

// unknownDisk reports a name that no disk has, where the disks are known.
func (s *Scenario) unknownDisk(errorf func(string, ...any), name string) {
	if s.unsure {
		return
	}
	errorf("unknown disk %s; try %s", strictyaml.Quote(name), strictyaml.Suggest(name, s.diskNames()))
}

// allWrite is the pattern of a phase in which all disks write.
func (s *Scenario) allWrite() string { return strings.Repeat("W", max(1, len(s.Disks))) }

// count writes a number of things: "1 disk", "2 disks".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
