package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of a plan, far above any sensible test: they keep a slip of the hand (repeat: 10000000) from filling memory.
const (
	maxPlanPhases = 1000
	maxPlanFiles  = 5_000_000
	maxPlanBytes  = 1 << 60
)

// Plan makes everything definite. It fails only where the phases come to too much, or repeats
// collide with another phase's name; the error's type is *strictyaml.Error.
func (s *Scenario) Plan() (*Plan, error) {
	if err := s.checkSum(); err != nil {
		return nil, err
	}
	names, err := s.phaseNames()
	if err != nil {
		return nil, err
	}
	plan := &Plan{Name: s.Name, Seed: s.Seed, Disks: slices.Clone(s.Disks)}
	if s.Hub != nil {
		hub := *s.Hub
		plan.Hub = &hub
	}
	var bytes int64
	for i, spec := range s.Phases {
		for repeat, name := range names[i] {
			phase := s.expand(spec, name)
			if repeat > 0 {
				phase.Pause = "" // the one before the first holds for all
			}
			for _, j := range phase.Jobs {
				if bytes += j.Bytes(); bytes > maxPlanBytes {
					return nil, s.pos.Errorf("the phases move over 1 EB in all; try fewer or smaller files")
				}
			}
			plan.Phases = append(plan.Phases, phase)
		}
	}
	return plan, nil
}

// checkSum refuses more phases or files than any test has, before they take memory.
func (s *Scenario) checkSum() error {
	phases, files := 0, 0
	for _, p := range s.Phases {
		phases += p.Repeat
		for _, d := range s.Disks {
			if p.Roles[d.Name] != Idle {
				files += p.Repeat * p.filesOf(d.Name)
			}
		}
		if phases > maxPlanPhases {
			return p.pos.Errorf("more than %d phases, counting repeats; repeat less", maxPlanPhases)
		}
		if files > maxPlanFiles {
			return p.pos.Errorf("more than %d files in all phases; try fewer files or repeats", maxPlanFiles)
		}
	}
	return nil
}

// filesOf is the number of files a working disk moves.
func (p PhaseSpec) filesOf(disk string) int {
	if n, ok := p.Files[disk]; ok {
		return n
	}
	return p.Workload.files()
}

// expand makes one phase.
func (s *Scenario) expand(spec PhaseSpec, name string) Phase {
	phase := Phase{Name: name, Roles: maps.Clone(spec.Roles), Pause: spec.Pause, Cooldown: spec.Cooldown}
	for _, d := range s.Disks {
		role := spec.Roles[d.Name]
		if role == Idle {
			continue
		}
		phase.Jobs = append(phase.Jobs, Job{
			Disk:  d.Name,
			Role:  role,
			Sizes: spec.Workload.sizesOf(name, d.Name, spec.filesOf(d.Name)),
			Seed:  derive(spec.Workload.Seed, "data", name, d.Name),
			IO:    spec.Workload.IO,
		})
	}
	return phase
}

// phaseNames names every phase: those of each entry, one for each repeat. An entry's own name stands; one without is named after its
// pattern, numbered from the second on (WWW, WWW-2); repeats are numbered from the first (WWW-1, WWW-2).
func (s *Scenario) phaseNames() ([][]string, error) {
	taken := map[string]bool{}
	all := make([][]string, len(s.Phases))
	take := func(i int, base string) bool {
		names := repeated(base, s.Phases[i].Repeat)
		if slices.ContainsFunc(names, func(name string) bool { return taken[name] }) {
			return false
		}
		for _, name := range names {
			taken[name] = true
		}
		all[i] = names
		return true
	}
	for i, p := range s.Phases { // names given come first, wherever they stand
		if p.Name != "" && !take(i, p.Name) {
			return nil, p.pos.Errorf("phase %s, with its repeats, has a name of another phase; give it another name", strictyaml.Quote(p.Name))
		}
	}
	for i, p := range s.Phases {
		if p.Name != "" {
			continue
		}
		for n := 1; ; n++ {
			base := p.Pattern
			if n > 1 {
				base = fmt.Sprintf("%s-%d", p.Pattern, n)
			}
			if take(i, base) {
				break
			}
		}
	}
	return all, nil
}

// repeated is the names of a phase's repeats.
func repeated(base string, repeat int) []string {
	if repeat == 1 {
		return []string{base}
	}
	names := make([]string, repeat)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", base, i+1)
	}
	return names
}
