package scenario

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// maxPhases is the most entries, and repeats of one.
const maxPhases = 1000

// readPhases reads the phases; the disks are known by now.
func (s *Scenario) readPhases(n strictyaml.Node, base Workload) {
	items := n.Items()
	if n.Kind() == strictyaml.List && len(items) == 0 {
		n.Errorf("phases is empty; add one, such as {pattern: %s}", s.allWrite())
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
	p := PhaseSpec{Workload: base, Repeat: 1, Stop: StopRace, pos: m.Pos()}
	readFileName(m, "name", &p.Name)
	s.readWork(m, &p)

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
	idle := func(disk string) bool { return p.Roles[disk] == trace.Idle }
	s.readFiles(m, &p, idle)
	s.readConnection(m, &p, idle)
	p.auto = s.withConnection(p.Pattern, p)
	return p
}

// readWork reads what a phase and a study have in common, all but the keys that name disks.
func (s *Scenario) readWork(m *strictyaml.Mapping, p *PhaseSpec) {
	p.Workload.read(m)
	s.checkSimulated(m, p.Workload)
	readStop(m, p)
	readCooldown(m, p)
	m.Int("repeat", &p.Repeat, 1, maxPhases)
	readText(m, "pause", &p.Pause)
}

// checkSimulated refuses a preset that the hub model would not do justice: it has no notion of a block.
func (s *Scenario) checkSimulated(m *strictyaml.Mapping, w Workload) {
	if n, ok := m.Get("preset"); ok && s.Hub != nil && presetByName(w.Preset).tests != nil {
		n.Errorf("preset %s measures single blocks, which simulated disks do not have; use another preset, or disks with a path", w.Preset)
	}
}

// readFiles reads the number of files: one for all disks, or a mapping for some.
func (s *Scenario) readFiles(m *strictyaml.Mapping, p *PhaseSpec, idle func(disk string) bool) {
	n, ok := m.Get("files")
	if !ok || n.Kind() != strictyaml.Map {
		p.Workload.readFiles(m)
	} else {
		p.Workload.Target = 0
		p.Workload.readTarget(m)
		p.Files = map[string]int{}
		s.eachDisk(n, idle, "number of files", func(disk string, n strictyaml.Node) {
			files, _ := n.Int(1, maxFiles)
			p.Files[disk] = int(files)
		})
	}
	if p.Stop != StopTime {
		return
	}
	if ok && n.Raw() == filesAuto {
		n.Errorf("files: auto sizes the work so that all disks end together, and this stop ends them all at a time; delete one of the two")
	}
	p.Workload.Target = 0
}

// eachDisk reads a mapping of values by disk.
func (s *Scenario) eachDisk(n strictyaml.Node, idle func(disk string) bool, what string, read func(disk string, n strictyaml.Node)) {
	for _, pair := range n.Mapping().Pairs() {
		switch {
		case !s.hasDisk(pair.Key):
			s.unknownDisk(pair.Errorf, pair.Key)
		case idle(pair.Key):
			pair.Errorf("disk %s is idle here; delete its %s", strictyaml.Quote(pair.Key), what)
		default:
			read(pair.Key, pair.Value)
		}
	}
}
