package scenario

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of phases.
const (
	maxPhases   = 1000 // entries, and repeats of one
	maxCooldown = 24 * time.Hour
)

// readPhases reads the phases; the disks are known by now.
func (s *Scenario) readPhases(n strictyaml.Node, base Workload) {
	items := n.Items()
	if n.Kind() == strictyaml.List && len(items) == 0 {
		n.Errorf("phases is empty; add one, such as {pattern: %s}", strings.Repeat("W", len(s.Disks)))
	}
	if len(items) > maxPhases {
		items[maxPhases].Errorf("more than %d phases; remove some", maxPhases)
		return
	}
	names := map[string]bool{}
	for _, item := range items {
		m := item.Mapping()
		p := s.readPhase(m, base)
		m.Done()
		if names[p.Name] {
			at, _ := m.Get("name")
			at.Errorf("there is a phase %s already; give each its own name", strictyaml.Quote(p.Name))
		}
		names[p.Name] = p.Name != ""
		s.Phases = append(s.Phases, p)
	}
}

// readPhase reads one phase.
func (s *Scenario) readPhase(m *strictyaml.Mapping, base Workload) PhaseSpec {
	p := PhaseSpec{Workload: base, Repeat: 1, pos: m.Pos()}
	readFileName(m, "name", &p.Name)
	p.Workload.read(m)
	m.Get("stop")
	m.Duration("cooldown", &p.Cooldown, 0, maxCooldown)
	m.Int("repeat", &p.Repeat, 1, maxPhases)
	readText(m, "pause", &p.Pause)

	order := s.diskNames()
	switch n, ok := m.Get("order"); {
	case ok && n.Kind() == strictyaml.List:
		order = s.readDiskOrder(n)
	case ok && !slices.Contains(orders(), n.Raw()):
		n.Errorf("order is neither a list of the disks nor an order of files; try [%s], or %s",
			strings.Join(order, ", "), strictyaml.Choice(orders()))
	default:
		p.Workload.readOrder(m)
	}
	s.readRoles(m, &p, order)
	s.readFiles(m, &p)
	return p
}

// readDiskOrder reads the disks a pattern's letters stand for.
func (s *Scenario) readDiskOrder(n strictyaml.Node) []string {
	var order []string
	for _, item := range n.Items() {
		name, ok := item.Text()
		if !ok {
			return nil
		}
		if !s.hasDisk(name) {
			s.unknownDisk(item.Errorf, name)
			return nil
		}
		if slices.Contains(order, name) {
			item.Errorf("disk %s is in order twice; name each disk once", strictyaml.Quote(name))
			return nil
		}
		order = append(order, name)
	}
	if len(order) != len(s.Disks) {
		n.Errorf("order has %d of the %d disks; name each disk once", len(order), len(s.Disks))
		return nil
	}
	return order
}

// readRoles reads what each disk does: a pattern, whose letters stand for the disks in order, or roles.
func (s *Scenario) readRoles(m *strictyaml.Mapping, p *PhaseSpec, order []string) {
	pattern, byPattern := m.Get("pattern")
	roles, byRoles := m.Get("roles")
	switch {
	case byPattern && byRoles:
		roles.Errorf("a phase has a pattern or roles; delete one of the two")
	case byPattern:
		p.Roles = readPattern(pattern, order)
		p.Pattern = pattern.Raw()
	case byRoles:
		if n, ok := m.Get("order"); ok && n.Kind() == strictyaml.List {
			n.Errorf("order belongs to a pattern, and roles name their disks; delete it")
		}
		p.Roles = s.readRoleMap(roles)
		for _, d := range s.Disks {
			p.Pattern += string(p.Roles[d.Name].Letter())
		}
	default:
		m.Missing("the phase has no pattern; add one, such as pattern: %s", strings.Repeat("W", len(s.Disks)))
	}
}

// readPattern reads a letter per disk; nil where order is, as that was a mistake already.
func readPattern(n strictyaml.Node, order []string) map[string]Role {
	pattern, ok := n.Text()
	if !ok || order == nil {
		return nil
	}
	letters := []rune(pattern)
	if len(letters) != len(order) {
		n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", strictyaml.Quote(pattern),
			count(len(letters), "letter"), count(len(order), "disk"))
		return nil
	}
	roles := map[string]Role{}
	for i, letter := range letters {
		switch letter {
		case 'W':
			roles[order[i]] = Write
		case 'R':
			roles[order[i]] = Read
		case '-':
			roles[order[i]] = Idle
		default:
			n.Errorf("pattern %s: letter %d is %q; use W (write), R (read) or - (idle)", strictyaml.Quote(pattern), i+1, letter)
			return nil
		}
	}
	checkWork(n, roles)
	return roles
}

// readRoleMap reads roles by disk; disks it does not name are idle.
func (s *Scenario) readRoleMap(n strictyaml.Node) map[string]Role {
	roles := map[string]Role{}
	for _, d := range s.Disks {
		roles[d.Name] = Idle
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
		role, ok := pair.Value.OneOf(string(Read), string(Write), string(Idle))
		roles[pair.Key] = Role(role)
		sound = sound && ok
	}
	if sound {
		checkWork(n, roles)
	}
	return roles
}

// checkWork refuses a phase in which nobody works.
func checkWork(n strictyaml.Node, roles map[string]Role) {
	for _, role := range roles {
		if role != Idle {
			return
		}
	}
	n.Errorf("every disk is idle in this phase; let one read or write, or delete the phase")
}

// readFiles reads the number of files: one for all disks, or a mapping for some.
func (s *Scenario) readFiles(m *strictyaml.Mapping, p *PhaseSpec) {
	n, ok := m.Get("files")
	if !ok || n.Kind() != strictyaml.Map {
		p.Workload.readFiles(m)
		return
	}
	p.Files = map[string]int{}
	for _, pair := range n.Mapping().Pairs() {
		switch role, working := p.Roles[pair.Key]; {
		case !s.hasDisk(pair.Key):
			s.unknownDisk(pair.Errorf, pair.Key)
		case working && role == Idle:
			pair.Errorf("disk %s is idle in this phase; delete its number of files", strictyaml.Quote(pair.Key))
		default:
			files, _ := pair.Value.Int(1, maxFiles)
			p.Files[pair.Key] = int(files)
		}
	}
}

// unknownDisk reports a name that no disk has.
func (s *Scenario) unknownDisk(errorf func(string, ...any), name string) {
	errorf("unknown disk %s; try %s", strictyaml.Quote(name), strictyaml.Suggest(name, s.diskNames()))
}

// count writes a number of things: "1 disk", "2 disks".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
