package scenario

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of phases: of the entries and the repeats of each, and of their times.
const (
	maxPhases    = 1000
	maxCooldown  = 24 * time.Hour
	longestRest  = 10 * time.Minute // for the disks to become idle, unless the scenario says
	steadyWindow = 10 * time.Second // unless the scenario says
	minWindow    = time.Second
	maxWindow    = time.Hour
	longestUntil = 4 * time.Hour // for the rates to become steady, unless the scenario says
	minFill      = 0.01
	maxFill      = 0.95 // of a volume
)

// phaseSpec is one entry of the scenario's phases, or one phase of its study; Repeat, and a preset
// with several tests, make several phases of it. Its Phase is what all of them have, under the name
// that was given, which may be empty.
type phaseSpec struct {
	Phase
	Pattern string         // as given; from the roles, in the order of the disks, if those were given
	work    workload       // the scenario's, with what the phase overrides
	Files   map[string]int // number of files of single disks; the others have the workload's
	Repeat  int            // at least 1

	Streams map[string][]stream.Spec // what disks play or record
	Probes  map[string]Probe         // the disks that are asked for single requests
	Mix     map[string]float64       // share of reads, of disks that read and write at once
	Pace    map[string]float64       // maximum in bytes per second, of disks with a limit

	pos   yaml.Pos
	auto  string // the name if Name is empty, but for its number
	study bool   // of the study
}

func (s *Scenario) newSpec() phaseSpec {
	return phaseSpec{work: s.work, Repeat: 1, Phase: Phase{Stop: StopRace}}
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

// runsSchema is the same as a schema.
func runsSchema() yaml.Schema {
	preset := only("preset", yaml.Schema{"enum": saturating()})
	preset["required"] = []string{"preset"}
	workload := only("workload", preset)
	workload["required"] = []string{"workload"}
	return yaml.Schema{"anyOf": []yaml.Schema{
		{"required": []string{"phases"}}, {"required": []string{"study"}}, workload,
	}}
}

func (s *Scenario) allWrite() string { return strings.Repeat("W", max(1, len(s.Disks))) }

func (s *Scenario) phase(p *phaseSpec) yaml.Value {
	*p = s.newSpec()
	order := s.diskNames()
	work := p.work.object(s.order(p, &order))
	pace := s.pacing(p)
	more := s.timing(p, p.idle, p.movesNoFiles)
	noOrder := yaml.Implies("roles", yaml.Schema{}, only("order", yaml.Schema{"type": "string"}))
	return yaml.Object{
		Keys: slices.Concat([]yaml.Key{
			yaml.Optional("name", ownName(&p.Name), "what the phase is called; its pattern if it has no name"),
		}, inherited(work.Keys), []yaml.Key{
			yaml.Optional("pattern", p.pattern(&order),
				"a letter per disk, in the order of disks or the phase's own: W writes, R reads, - is idle"),
			yaml.Optional("roles", s.roles(p),
				"in place of a pattern, what each disk does: {A: write, C: read}; the others are idle"),
		}, pace.Keys, more.Keys),
		Among: []yaml.Among{
			{Keys: []string{"pattern", "roles"}, Both: "a phase has either a pattern or roles; delete one of the two"},
			{Keys: append([]string{"pattern", "roles"}, workKeys()...),
				Neither: "the phase has no pattern; add one, such as pattern: " + s.allWrite()},
		},
		Rules: slices.Concat(work.Rules, pace.Rules, more.Rules),
		Also:  slices.Concat(work.Also, pace.Also, more.Also, []yaml.Schema{worksSchema(), noOrder}),
		Check: func(m *yaml.Mapping) {
			pace.Check(m)
			more.Check(m)
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
func (s *Scenario) order(p *phaseSpec, disks *[]string) yaml.Value {
	list := s.diskList(disks, "order").Then(func(n yaml.Node) {
		if *disks != nil && len(*disks) != len(s.Disks) {
			n.Errorf("order has %d of the %d disks; name each disk once", len(*disks), len(s.Disks))
			*disks = nil
		}
	})
	files := orderOf(&p.work.Order)
	schema := yaml.Schema{"anyOf": []yaml.Schema{list.Schema(), files.Schema()}}
	return yaml.Read(schema, func(n yaml.Node) {
		switch {
		case n.Kind() == yaml.List:
			list.Read(n)
		case !slices.Contains(orders(), n.Raw()):
			n.Errorf("order is neither a list of the disks nor an order of files; try [%s], or %s",
				strings.Join(*disks, ", "), yaml.Choice(orders()))
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
func (p *phaseSpec) pattern(order *[]string) yaml.Value {
	schema := yaml.Schema{"type": "string", "pattern": "^[WR-]+$", "maxLength": maxDisks}
	return yaml.Read(schema, func(n yaml.Node) {
		p.Pattern, p.Roles = n.Raw(), nil
		pattern, ok := n.Text()
		if !ok || len(*order) == 0 {
			return // already reported
		}
		letters := []rune(pattern)
		if len(letters) != len(*order) {
			n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", yaml.Quote(pattern),
				unit.Plural(len(letters), "letter"), unit.Plural(len(*order), "disk"))
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
			roles[(*order)[i]] = role
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

// worksSchema is the same as a schema: a letter W or R in a pattern, or a role that is not idle.
func worksSchema() yaml.Schema {
	idle := yaml.Schema{"additionalProperties": yaml.Schema{"const": trace.Idle}}
	anyOf := []yaml.Schema{{"properties": yaml.Schema{
		"pattern": yaml.Schema{"pattern": "[WR]"}, "roles": yaml.Schema{"not": idle},
	}}}
	for _, key := range workKeys() {
		anyOf = append(anyOf, yaml.Schema{"required": []string{key}})
	}
	return yaml.Schema{"anyOf": anyOf}
}

// timing is what phases and studies share besides the workload: the amount of work, and when it is
// done. idle and noFiles say which disks do nothing, and which have no files to move.
func (s *Scenario) timing(p *phaseSpec, idle, noFiles func(disk string) string) yaml.Object {
	w := &p.work
	number := func(n *int) yaml.Value { return yaml.Int(n, 1, maxFiles) }
	numbers := byDisk(s, &p.Files, noFiles, "number of files", number).First(func(yaml.Node) { w.Target = 0 })
	connection := eachDisk(s, &p.Connections, func(disk string) bool { return idle(disk) == "" },
		yaml.Name, byDisk(s, &p.Connections, idle, "connection", text))
	precondition := yaml.Object{
		Keys: []yaml.Key{yaml.Required("fill", yaml.Percent(&p.Precondition, minFill, maxFill),
			"the share of each volume that is full when the phase begins, with what is there already, such as 50 %")},
		Short: "fill",
		Check: func(m *yaml.Mapping) {
			if s.simulated() {
				m.Errorf("simulated disks have no size to fill a share of; delete precondition, or use disks with a path")
			}
		},
	}
	notAuto := only("files", not("const", filesAuto))
	timed := yaml.Schema{"properties": yaml.Schema{"stop": notWords(), "files": not("const", filesAuto)}}
	return yaml.Object{
		Keys: append(inherited(w.amount(yaml.MappingOr(numbers, w.files()))),
			yaml.Optional("stop", p.stop(), "race: each disk stops after its last file; "+
				"hold: disks that are done go on with filler until all are; a time: all stop then"),
			yaml.Optional("until", p.until(), "steady: it ends when every disk's rate is steady, "+
				"after the SNIA performance test specification: over five windows of 10 s, or of {steady: 60 s}, "+
				"or at the time of stop"),
			yaml.Optional("precondition", precondition.Value(), "what to do to the disks before it: "+
				"{fill: 50 %} fills each working disk's volume to that share"),
			yaml.Optional("cooldown", p.cooldown(), "how long to wait before it, such as 30 s, "+
				"or {until: idle}: until the disks are idle"),
			yaml.Optional("repeat", yaml.Int(&p.Repeat, 1, maxPhases), "how often it runs"),
			yaml.Optional("pause", text(&p.Pause),
				"what to do by hand before it: the text is shown, and hubbench waits for Enter"),
			yaml.Optional("connection", connection,
				"how disks are connected in this phase, if not as usual: direct, or {A: direct}"),
		),
		Rules: []yaml.Rule{{Key: "preset", Is: saturating(), Now: &w.Preset,
			Refuse: []string{"until", "search", "hold", "streams", "mix", "probe", "pace", "warm_up"},
			Say:    "preset %[2]s is phases of disks that work as fast as they can until they fall; delete %[1]s"}},
		Also: []yaml.Schema{
			yaml.Implies("preset", yaml.Schema{"enum": saturating()}, timed),
			yaml.Implies("stop", notWords(), notAuto),
			yaml.Implies("until", yaml.Schema{}, timed),
		},
		Check: func(m *yaml.Mapping) {
			s.checkWorkload(m, w)
			p.checkUntil(m)
			p.checkSaturation(m)
			if p.Stop != StopTime {
				return
			}
			if n, ok := m.Get("files"); ok && n.Raw() == filesAuto {
				n.Errorf("files: auto sizes the work so that all disks end together, and this phase stops them all at a time; " +
					"delete files: auto, or what gives the time")
			}
			w.Target = 0
		},
	}
}

func (p *phaseSpec) stop() yaml.Value {
	words := []string{StopRace, StopHold}
	limit := yaml.Duration(&p.Limit, minTime, maxTime)
	schema := yaml.Schema{"anyOf": []yaml.Schema{{"enum": words}, limit.Schema()}, "default": p.Stop}
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

// notWords is the schema of what stops a phase at a time.
func notWords() yaml.Schema { return not("enum", []string{StopRace, StopHold}) }

func (p *phaseSpec) until() yaml.Value {
	const steady = "steady"
	window := steadyWindow
	full := yaml.Object{Keys: []yaml.Key{
		yaml.Required(steady, yaml.Duration(&window, minWindow, maxWindow),
			"the length of a window; rates are steady over five"),
	}}
	return yaml.MappingOr(full.Value(), yaml.OneOf(new(string), steady)).Then(func(yaml.Node) { p.Steady = window })
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
	most := longestRest
	idle := yaml.Object{Keys: []yaml.Key{
		yaml.Required("until", yaml.OneOf(new(string), "idle"), "idle: until the disks are idle"),
		yaml.Optional("most", yaml.Duration(&most, 0, maxCooldown), "but no longer than this"),
	}}.Value().Then(func(yaml.Node) { p.UntilIdle, p.Cooldown = true, most })
	return yaml.MappingOr(idle, yaml.Duration(&p.Cooldown, 0, maxCooldown))
}

// inherited are keys whose default is the workload's.
func inherited(keys []yaml.Key) []yaml.Key {
	for i := range keys {
		schema := keys[i].Value.Schema
		keys[i].Value.Schema = func() yaml.Schema {
			s := maps.Clone(schema())
			delete(s, "default")
			return s
		}
	}
	return keys
}
