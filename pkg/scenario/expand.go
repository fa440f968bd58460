package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of a plan, far above any sensible test: they keep a typo (repeat: 10000000) from filling memory.
const (
	maxPlanPhases = 1000
	maxPlanFiles  = 5_000_000
	maxPlanBytes  = 1 << 60
)

// Plan resolves everything. It fails only if the phases are too large, or the name of a repeat is another phase's; the
// error is like Load's.
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
	var mistakes strictyaml.Doc
	for _, t := range s.turns() {
		spec := s.Phases[t.entry]
		variants := s.variants(spec)
		for i, variant := range variants {
			phase := s.expand(spec, names[t.entry][t.repeat*len(variants)+i], variant)
			if t.repeat > 0 || i > 0 {
				phase.Pause = "" // the one before the first holds for all
			}
			if i > 0 {
				phase.Cooldown = max(phase.Cooldown, presetByName(spec.Workload.Preset).between)
			}
			for _, j := range phase.Jobs {
				if bytes += j.Bytes(); bytes > maxPlanBytes {
					return nil, s.pos.Errorf("the phases move more than 1 EB in total; try fewer or smaller files")
				}
				if err := spec.checkFootprint(j); err != nil {
					mistakes.Report(err)
				}
			}
			plan.Phases = append(plan.Phases, phase)
		}
	}
	if err := mistakes.Err(); err != nil {
		return nil, err
	}
	return plan, nil
}

// checkFootprint refuses a footprint that does not hold what must be on the disk at one time.
func (p PhaseSpec) checkFootprint(j Job) *strictyaml.Error {
	need, what, try := sum(j.Needs()), "reads files of %s in total", "read fewer or smaller files there"
	if len(j.Streams) > 0 {
		need, what, try = sum(p.most(j).StreamFiles()), "has streams that need at least %s", "use fewer streams there"
	}
	if j.IO.Footprint <= 0 || need <= j.IO.Footprint {
		return nil
	}
	return p.pos.Errorf("disk %s "+what+", more than its footprint of %s; "+try+", or raise the footprint",
		strictyaml.Quote(j.Disk), unit.FormatBytes(need), unit.FormatBytes(j.IO.Footprint))
}

type turn struct {
	entry, repeat int // from zero
}

// turns is the order of all: entry by entry, with its repeats. The repeats of a study are rounds of all its phases,
// every other one in reverse, so that a drift over the run, such as heat, favours none of them.
func (s *Scenario) turns() []turn {
	var turns []turn
	rounds := 0
	for i, p := range s.Phases {
		if p.study && s.interleave {
			rounds = p.Repeat // the same in all phases of the study
			continue
		}
		for repeat := range p.Repeat {
			turns = append(turns, turn{i, repeat})
		}
	}
	for repeat := range rounds {
		for i := range s.Phases {
			if repeat%2 == 1 {
				i = len(s.Phases) - 1 - i
			}
			if s.Phases[i].study {
				turns = append(turns, turn{i, repeat})
			}
		}
	}
	return turns
}

// checkSum refuses more phases or files than any test has, before they take memory.
func (s *Scenario) checkSum() error {
	phases, files := 0, 0
	for _, p := range s.Phases {
		times := p.Repeat * len(s.variants(p))
		phases += times
		for _, d := range s.Disks {
			if p.Roles[d.Name] != trace.Idle {
				files += times * p.filesOf(d.Name)
			}
		}
		if phases > maxPlanPhases {
			return p.pos.Errorf("more than %d phases, counting repeats; use fewer repeats", maxPlanPhases)
		}
		if files > maxPlanFiles {
			return p.pos.Errorf("more than %d files in all phases; try fewer files or repeats", maxPlanFiles)
		}
	}
	return nil
}

func (p PhaseSpec) accompanies(disk string) bool {
	_, probed := p.Probes[disk]
	return probed || len(p.Streams[disk]) > 0
}

// filesOf is the number of files a working disk moves, warm-up included.
func (p PhaseSpec) filesOf(disk string) int {
	if p.accompanies(disk) {
		return 1
	}
	files, ok := p.Files[disk]
	if !ok {
		files = p.Workload.count()
	}
	return files + p.Workload.warmUp()
}

func (s *Scenario) expand(spec PhaseSpec, name string, variant test) Phase {
	if step := variant.saturation; step != nil && step.Disk != "" {
		spec = spec.only(step.Disk)
	}
	workload := spec.Workload.resolved()
	phase := Phase{
		Name: name, Roles: maps.Clone(spec.Roles), Connections: s.connections(spec),
		Pause: spec.Pause, Cooldown: spec.Cooldown, UntilIdle: spec.UntilIdle,
		Stop: spec.Stop, Limit: spec.Limit, Target: spec.Workload.Target,
		Steady: spec.Steady, Precondition: spec.Precondition, Search: spec.Search,
		Test: variant.name, Score: presetByName(workload.Preset).score,
	}
	movers := 0
	for _, d := range s.Disks {
		role := spec.Roles[d.Name]
		if role == trace.Idle {
			continue
		}
		job := Job{Disk: d.Name, Role: role, Seed: derive(workload.Seed, "data", name, d.Name)}
		if spec.accompanies(d.Name) {
			phase.Jobs = append(phase.Jobs, s.accompanying(spec, d.Name, job))
			continue
		}
		job.Sizes, job.IO = workload.sizesOf(name, d.Name, spec.filesOf(d.Name)), variant.apply(workload.IO)
		job.Source, job.Order = workload.source(len(job.Sizes)), workload.Order
		job.Pace, job.Reads = spec.Pace[d.Name], spec.Mix[d.Name]
		phase.Jobs = append(phase.Jobs, job)
		movers++
	}
	if movers > 1 {
		for i := range phase.Jobs {
			if io := &phase.Jobs[i].IO; io.Rest > 0 {
				io.Step = io.Cap + io.Rest // the fastest would otherwise soon work while the others rest
			}
		}
	}
	if variant.saturation != nil {
		step := *variant.saturation
		step.Of = strings.TrimSuffix(name, " "+variant.name)
		phase.Test = ""
		phase.saturate(step)
	}
	return phase
}

// connections are those of a phase's working disks that are not the usual ones; nil if there is none.
func (s *Scenario) connections(spec PhaseSpec) map[string]string {
	var others map[string]string
	for _, d := range s.Disks {
		label, ok := spec.Connections[d.Name]
		if !ok || label == d.Connection || spec.Roles[d.Name] == trace.Idle {
			continue
		}
		if others == nil {
			others = map[string]string{}
		}
		others[d.Name] = label
	}
	return others
}

// phaseNames names every phase: those of each entry, one for each repeat and test. An entry's own name stands; one
// without is named after its pattern, numbered from the second on (WWW, WWW-2); repeats are numbered from the first
// (WWW-1, WWW-2); a test comes last (WWW SEQ1M QD8).
func (s *Scenario) phaseNames() ([][]string, error) {
	taken := map[string]bool{}
	all := make([][]string, len(s.Phases))
	take := func(i int, base string) bool {
		names := s.names(s.Phases[i], base)
		if slices.ContainsFunc(names, func(name string) bool { return taken[name] }) {
			return false
		}
		for _, name := range names {
			taken[name] = true
		}
		all[i] = names
		return true
	}
	var mistakes strictyaml.Doc
	for i, p := range s.Phases { // names given come first, wherever they stand
		if p.Name != "" && !take(i, p.Name) {
			mistakes.Report(p.pos.Errorf("phase %s, or one of its repeats, has the same name as another phase; rename it", strictyaml.Quote(p.Name)))
		}
	}
	if err := mistakes.Err(); err != nil {
		return nil, err
	}
	for i, p := range s.Phases {
		if p.Name != "" {
			continue
		}
		for n := 1; ; n++ {
			base := p.auto
			if n > 1 {
				base = fmt.Sprintf("%s-%d", p.auto, n)
			}
			if take(i, base) {
				break
			}
		}
	}
	return all, nil
}

// names are those of an entry's repeats, and of the tests in each.
func (s *Scenario) names(p PhaseSpec, base string) []string {
	var names []string
	for repeat := range p.Repeat {
		name := base
		if p.Repeat > 1 {
			name = fmt.Sprintf("%s-%d", base, repeat+1)
		}
		for _, variant := range s.variants(p) {
			names = append(names, strings.TrimSpace(name+" "+variant.name))
		}
	}
	return names
}
