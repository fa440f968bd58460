package scenario

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

const (
	maxPhases    = 1000          // entries
	longestUntil = 4 * time.Hour // for the rates to become steady, unless the scenario says
)

// phaseSpec is one entry of the scenario's phases, or one phase of its study; Repeat, and a preset
// with several tests, make several phases of it. Its Phase is what all of them have, under the name
// that was given, which may be empty.
type phaseSpec struct {
	Pattern string `yaml:"pattern" not:"study" doc:"a letter per disk, in the order of disks or the phase's own: W writes, R reads, - is idle"` // from the roles, in the order of the disks, if those were given
	Phase   `yaml:",inline"`
	Streams map[string][]stream.Spec `yaml:"streams" not:"study saturation" doc:"disks that play or record at the pace of a camera, beside the others: {A: {play: prores-422-hq-uhd-25, count: 4}}"`
	Mix     map[string]float64       `yaml:"mix" not:"study app verify saturation" doc:"disks that read and write at once: 70/30 is 70 % reads; of all working disks, or {A: 70/30}"`
	Probes  map[string]Probe         `yaml:"probe" not:"study saturation" doc:"disks that are only sent occasional single requests, for the latency: 4 KiB, of all idle disks, or {C: 4 KiB}"`
	Pace    map[string]float64       `yaml:"pace" not:"study app saturation" doc:"the maximum rate at which disks move files: 200 MB/s, of each, or {B: 200 MB/s}"`
	Hold    time.Duration            `yaml:"hold" is:"1 s to 1 h" not:"study saturation" default:"30 s" doc:"how long each try of a search lasts"`
	Repeat  int                      `yaml:"repeat" is:"1 to 1000" doc:"how often it runs"`

	work  workload       // the scenario's, with what the phase overrides
	Files map[string]int // number of files of single disks; the others have the workload's

	order []string   // of the disks, in the pattern; nil if that is wrong
	limit *yaml.Node // the largest value that its search tries, if it is given
	pos   yaml.Pos
	auto  string // the name if Name is empty, but for its number
	study bool   // of the study
}

func (s *Scenario) newSpec() phaseSpec {
	return phaseSpec{work: s.work, order: s.diskNames(), Repeat: 1, Phase: Phase{Stop: StopRace}}
}

// keys are the phase's keys. idle and noFiles say which disks do nothing, and which have no files to move.
func (s *Scenario) keys(p *phaseSpec, idle, noFiles func(disk string) string) []yaml.Key {
	w := &p.work
	number := func(n *int) yaml.Value { return yaml.Int(n, 1, maxFiles) }
	numbers := byDisk(s, &p.Files, noFiles, "number of files", number).First(func(yaml.Node) { w.Target = 0 })
	connection := eachDisk(s, &p.Connections, func(disk string) bool { return idle(disk) == "" },
		yaml.Name, byDisk(s, &p.Connections, idle, "connection", yaml.Line))
	values := w.values()
	maps.Copy(values, yaml.Values{
		"files": yaml.MappingOr(numbers, w.files()), "connection": connection,
		"stop": p.stop(), "until": p.until(), "cooldown": p.cooldown(), "precondition": s.precondition(p),
	})
	if !p.study {
		values["order"] = s.order(p)
	}
	keys := yaml.Struct(w, values)
	for i := range keys { // their defaults are the workload's
		schema := keys[i].Value.Schema
		keys[i].Value.Schema = func() yaml.Schema {
			s := maps.Clone(schema())
			delete(s, "default")
			return s
		}
	}
	maps.Copy(values, yaml.Values{
		"name": ownName(&p.Name), "pattern": p.pattern(), "roles": s.roles(p), "streams": s.streams(p),
		"mix": s.mix(p), "probe": s.probe(p), "pace": s.pace(p), "search": s.search(p),
	})
	keys = append(keys, yaml.Struct(p, values)...)
	late := func(key yaml.Key) int { // read after those that say which disks work
		return slices.Index([]string{"files", "target", "connection"}, key.Name)
	}
	slices.SortStableFunc(keys, func(a, b yaml.Key) int { return cmp.Compare(late(a), late(b)) })
	return keys
}

func (s *Scenario) phases() yaml.Value {
	return yaml.Items[phaseSpec]{
		To: &s.specs, Item: s.phase, Max: maxPhases,
		Empty: "phases is empty; add one, such as {pattern: " + s.allWrite() + "}",
	}.Value()
}

// checkRuns refuses a scenario in which nothing runs. A preset that is a study by itself needs no
// phases: all disks write.
func (s *Scenario) checkRuns(top *yaml.Mapping) {
	if top.Has("phases") || top.Has("study") {
		return
	}
	if !presetByName(s.work.Preset).saturates {
		top.Missing("phases", "the key phases is missing; add it")
		return
	}
	p := s.newSpec()
	p.Name, p.Pattern, p.Roles, p.pos = s.work.Preset, s.allWrite(), map[string]trace.Role{}, s.pos
	for _, d := range s.Disks {
		p.Roles[d.Name] = trace.Write
	}
	s.specs = append(s.specs, p)
}

func (s *Scenario) allWrite() string { return strings.Repeat("W", max(1, len(s.Disks))) }

func (s *Scenario) phase(p *phaseSpec) yaml.Value {
	*p = s.newSpec()
	keys := s.keys(p, p.idle, p.movesNoFiles)
	return yaml.Object{
		Keys: keys,
		Among: []yaml.Among{
			{Keys: []string{"pattern", "roles"}, Both: "a phase has either a pattern or roles; delete one of the two"},
			{Keys: append([]string{"pattern", "roles"}, workKeys()...),
				Neither: "the phase has no pattern; add one, such as pattern: " + s.allWrite()},
		},
		Check: func(m *yaml.Mapping) {
			if p.Roles != nil && len(p.Streams)+len(p.Mix)+len(p.Probes) > 0 {
				p.Pattern = s.pattern(p.Roles)
			}
			s.checkSearch(m, p)
			s.checkEnd(m, p)
			s.check(m, keys, p)
			s.checkWork(m, p)
			p.pos = m.Pos()
			p.auto = s.withConnection(p.withPace(p.Pattern), " ", *p)
			if n, ok := m.Get("order"); ok && m.Has("roles") && n.Kind() == yaml.List {
				n.Errorf("order goes with a pattern, and roles name their disks; delete it")
			}
			if at, ok := m.Get("name"); ok && p.Name != "" {
				var names []string
				for _, other := range s.specs {
					names = append(names, other.Name)
				}
				alreadyThere(at, "phase", p.Name, names)
			}
		},
	}.Value().First(func(n yaml.Node) {
		if n.Kind() != yaml.Map {
			return
		}
		if m := n.Mapping(); !m.Has("pattern") && !m.Has("roles") {
			p.Roles = s.withIdle(nil) // until its streams, mix and probes say who works
		}
	})
}

// idle is why a disk cannot have what only a working one has.
func (p *phaseSpec) idle(disk string) string {
	if p.Roles[disk] == trace.Idle {
		return isIdle
	}
	return ""
}

const isIdle = "is idle"

// order is that of the disks or that of the files.
func (s *Scenario) order(p *phaseSpec) yaml.Value {
	list := s.diskList(&p.order, "order").Then(func(n yaml.Node) {
		if p.order != nil && len(p.order) != len(s.Disks) {
			n.Errorf("order has %d of the %d disks; name each disk once", len(p.order), len(s.Disks))
			p.order = nil
		}
	})
	words := []string{work.Random, work.Ascending, work.Descending, work.Listed}
	files := yaml.OneOf(&p.work.Order, words...)
	schema := yaml.Schema{"anyOf": []yaml.Schema{list.Schema(), files.Schema()}}
	return yaml.Read(schema, func(n yaml.Node) {
		switch {
		case n.Kind() == yaml.List:
			list.Read(n)
		case !slices.Contains(words, n.Raw()):
			n.Errorf("order is neither a list of the disks nor an order of files; try [%s], or %s",
				strings.Join(p.order, ", "), yaml.Choice(words))
		default:
			files.Read(n)
		}
	})
}

// diskList is names of disks, each once; nil if one is wrong.
func (s *Scenario) diskList(to *[]string, key string) yaml.Value {
	schema := yaml.Schema{
		"type": "array", "items": yaml.Schema{"type": "string"}, "minItems": 1, "uniqueItems": true,
	}
	return yaml.Read(schema, func(n yaml.Node) {
		*to = nil
		list := []string{}
		for _, item := range n.Items() {
			name, ok := item.Text()
			switch {
			case !ok:
				return
			case !s.hasDisk(name):
				s.unknownDisk(item.Errorf, name)
				return
			case slices.Contains(list, name):
				item.Errorf("disk %s is in %s twice; name each disk once", yaml.Quote(name), key)
				return
			}
			list = append(list, name)
		}
		*to = list
	})
}

// pattern is a letter per disk, in an order of the disks that has been read by then.
func (p *phaseSpec) pattern() yaml.Value {
	schema := yaml.Schema{"type": "string", "pattern": "^[WR-]+$", "maxLength": maxDisks}
	return yaml.Read(schema, func(n yaml.Node) {
		p.Pattern, p.Roles = n.Raw(), nil
		pattern, ok := n.Text()
		if !ok || len(p.order) == 0 {
			return // already reported
		}
		letters := []rune(pattern)
		if len(letters) != len(p.order) {
			n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", yaml.Quote(pattern),
				unit.Plural(len(letters), "letter"), unit.Plural(len(p.order), "disk"))
			return
		}
		of := map[rune]trace.Role{'W': trace.Write, 'R': trace.Read, '-': trace.Idle}
		roles := map[string]trace.Role{}
		for i, letter := range letters {
			role, known := of[letter]
			if !known {
				n.Errorf("pattern %s: letter %d is %q; use W (write), R (read) or - (idle)", yaml.Quote(pattern), i+1, letter)
				return
			}
			roles[p.order[i]] = role
		}
		p.Roles = roles
	})
}

// roles are what each disk does; disks it does not name are idle.
func (s *Scenario) roles(p *phaseSpec) yaml.Value {
	named := map[string]trace.Role{}
	role := func(to *trace.Role) yaml.Value {
		return yaml.OneOf(to, string(trace.Read), string(trace.Write), string(trace.Idle))
	}
	return byDisk(s, &named, nil, "role", role).Then(func(yaml.Node) {
		p.Roles = s.withIdle(named)
		p.Pattern = s.pattern(p.Roles)
	})
}

func (s *Scenario) withIdle(working map[string]trace.Role) map[string]trace.Role {
	roles := map[string]trace.Role{}
	for _, d := range s.Disks {
		roles[d.Name] = trace.Idle
	}
	maps.Copy(roles, working)
	return roles
}

// byDisk is a mapping of values by disk. unfit says why a disk cannot have one, and is empty if it can; nil: any can.
func byDisk[T any](s *Scenario, to *map[string]T, unfit func(disk string) string, what string,
	item func(*T) yaml.Value,
) yaml.Value {
	read := func(n yaml.Node) {
		*to = map[string]T{}
		pairs := n.Mapping().Pairs()
		if n.Kind() == yaml.Map && len(pairs) == 0 {
			n.Errorf("%s is empty; name a disk, or delete it", n.Label())
		}
		for _, pair := range pairs {
			why := ""
			if unfit != nil {
				why = unfit(pair.Key)
			}
			switch {
			case !s.hasDisk(pair.Key):
				s.unknownDisk(pair.Errorf, pair.Key)
			case why != "":
				pair.Errorf("disk %s %s here; delete its %s", yaml.Quote(pair.Key), why, what)
			default:
				var v T
				item(&v).Read(pair.Value)
				(*to)[pair.Key] = v
			}
		}
	}
	return yaml.Value{Read: read, Schema: func() yaml.Schema {
		return yaml.Schema{"type": "object", "additionalProperties": item(new(T)).Schema(), "minProperties": 1}
	}}
}

// eachDisk is one value for all disks that fit, or else a mapping of values by disk.
func eachDisk[T any](s *Scenario, to *map[string]T, fits func(disk string) bool,
	each func(*T) yaml.Value, mapping yaml.Value,
) yaml.Value {
	var v T
	return yaml.MappingOr(mapping, each(&v).Then(func(yaml.Node) {
		*to = map[string]T{}
		for _, disk := range s.diskNames() {
			if fits(disk) {
				(*to)[disk] = v
			}
		}
	}))
}

// workKeys are those that let a disk work whose letter is -, or whom roles do not name.
func workKeys() []string { return []string{"streams", "mix", "probe"} }

func (s *Scenario) checkWork(m *yaml.Mapping, p *phaseSpec) {
	if p.Roles == nil || slices.ContainsFunc(workKeys(), m.Has) {
		return // already reported, or a disk works
	}
	at, ok := m.Get("pattern")
	if !ok {
		at, ok = m.Get("roles")
	}
	for disk, role := range p.Roles {
		if role != trace.Idle || !s.hasDisk(disk) {
			return
		}
	}
	if ok && (at.Kind() != yaml.Map || len(at.Mapping().Pairs()) > 0) {
		at.Errorf("every disk is idle in this phase; let one read or write, or delete the phase")
	}
}

func (s *Scenario) precondition(p *phaseSpec) yaml.Value {
	fill := struct {
		Fill float64 `yaml:"fill,required" is:"1 % to 95 %" doc:"the share of each volume that is full when the phase begins, with what is there already, such as 50 %"`
	}{}
	return yaml.Object{Keys: yaml.Struct(&fill, nil), Short: "fill", Check: func(m *yaml.Mapping) {
		p.Precondition = fill.Fill
		if s.simulated() {
			m.Errorf("simulated disks have no size to fill a share of; delete precondition, or use disks with a path")
		}
	}}.Value()
}

// check refuses keys of a phase or study that do not go together.
func (s *Scenario) check(m *yaml.Mapping, keys []yaml.Key, p *phaseSpec) {
	s.checkWorkload(m, keys, &p.work)
	p.checkUntil(m)
	p.checkSaturation(m)
	if p.Stop != StopTime {
		return
	}
	if n, ok := m.Get("files"); ok && n.Raw() == filesAuto {
		n.Errorf("files: auto sizes the work so that all disks end together, and this phase stops them all at a time; " +
			"delete files: auto, or what gives the time")
	}
	p.work.Target = 0
}

func (p *phaseSpec) stop() yaml.Value {
	words := []string{StopRace, StopHold}
	limit := yaml.Duration(&p.Limit, minTime, maxTime)
	schema := yaml.Schema{"anyOf": []yaml.Schema{{"enum": words}, limit.Schema()}}
	return yaml.Read(schema, func(n yaml.Node) {
		word := n.Raw()
		switch {
		case slices.Contains(words, word):
			p.Stop = word
		case word != "" && strings.Contains("-.0123456789", word[:1]):
			p.Stop = StopTime
			limit.Read(n)
		default:
			n.Errorf("stop must be race, hold or a time; try %s, or 30 s", yaml.Suggest(word, words))
		}
	})
}

func (p *phaseSpec) until() yaml.Value {
	const steady = "steady"
	window := struct {
		Steady time.Duration `yaml:"steady,required" is:"1 s to 1 h" doc:"the length of a window; rates are steady over five"`
	}{10 * time.Second}
	full := yaml.Object{Keys: yaml.Struct(&window, nil)}.Value()
	return yaml.MappingOr(full, yaml.OneOf(new(string), steady)).Then(func(yaml.Node) { p.Steady = window.Steady })
}

// checkUntil sets the latest end of a phase that ends when its rates are steady.
func (p *phaseSpec) checkUntil(m *yaml.Mapping) {
	if p.Steady == 0 || p.Search != nil {
		return
	}
	n, said := m.Get("stop")
	switch {
	case !said:
		p.Stop, p.Limit = StopTime, longestUntil
	case p.Stop != StopTime:
		n.Errorf("until: steady ends the phase, and stop is the latest time for that; try 1 h, or delete stop")
	case p.Limit < 5*p.Steady:
		n.Errorf("stop comes before five windows have passed, over which rates are steady; " +
			"try a later one, or shorter windows: {steady: 1 s}")
	}
}

func (p *phaseSpec) cooldown() yaml.Value {
	idle := struct {
		Until string        `yaml:"until,required" is:"idle" doc:"idle: until the disks are idle"`
		Most  time.Duration `yaml:"most" is:"0 s to 24 h" doc:"but no longer than this"`
	}{Most: 10 * time.Minute}
	full := yaml.Object{Keys: yaml.Struct(&idle, nil)}.Value()
	return yaml.MappingOr(full.Then(func(yaml.Node) { p.UntilIdle, p.Cooldown = true, idle.Most }),
		yaml.Duration(&p.Cooldown, 0, maxTime))
}
