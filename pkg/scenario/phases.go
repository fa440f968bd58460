package scenario

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// maxPhases limits the entries, and the repeats of each.
const maxPhases = 1000

func (s *Scenario) phases() strictyaml.Value {
	return strictyaml.Items[PhaseSpec]{
		To: &s.Phases, Item: s.phase, Max: maxPhases,
		Empty: "phases is empty; add one, such as {pattern: " + s.allWrite() + "}",
	}.Value()
}

// checkRuns refuses a scenario in which nothing runs. A preset that is a study by itself needs no phases: all disks write.
func (s *Scenario) checkRuns(top *strictyaml.Mapping) {
	for _, key := range []string{"phases", "study"} {
		if _, ok := top.Get(key); ok {
			return
		}
	}
	if !presetByName(s.work.Preset).saturates() {
		top.Missing("phases", "the key phases is missing; add it")
		return
	}
	p := s.newSpec()
	p.Name, p.Pattern, p.Roles, p.pos = s.work.Preset, s.allWrite(), map[string]trace.Role{}, s.pos
	for _, d := range s.Disks {
		p.Roles[d.Name] = trace.Write
	}
	s.Phases = append(s.Phases, p)
}

// runsSchema is the same as a schema.
func runsSchema() strictyaml.Schema {
	preset := strictyaml.Schema{"required": []string{"preset"}, "properties": strictyaml.Schema{"preset": strictyaml.Schema{"enum": presetsWith(preset.saturates)}}}
	return strictyaml.Schema{"anyOf": []strictyaml.Schema{
		{"required": []string{"phases"}}, {"required": []string{"study"}},
		{"required": []string{"workload"}, "properties": strictyaml.Schema{"workload": preset}},
	}}
}

func (s *Scenario) phase(p *PhaseSpec) strictyaml.Value {
	*p = s.newSpec()
	order := s.diskNames()
	work := p.Workload.object(s.order(p, &order))
	pace := s.pacing(p)
	more := s.timing(p, p.idle, p.movesNoFiles)
	phase := strictyaml.Object{
		Keys: slices.Concat([]strictyaml.Key{
			{Name: "name", Value: strictyaml.FileName(&p.Name), About: "what the phase is called; its pattern if it has no name"},
		}, inherited(work.Keys), []strictyaml.Key{
			{Name: "pattern", Value: p.pattern(&order), About: "a letter per disk, in the order of disks or the phase's own: W writes, R reads, - is idle"},
			{Name: "roles", Value: s.roles(p), About: "in place of a pattern, what each disk does: {A: write, C: read}; the others are idle"},
		}, pace.Keys, more.Keys),
		Among: []strictyaml.Among{
			{Keys: []string{"pattern", "roles"}, Both: "a phase has either a pattern or roles; delete one of the two"},
			{Keys: []string{"pattern", "roles", "streams", "mix", "probe"}, Neither: "the phase has no pattern; add one, such as pattern: " + s.allWrite()},
		},
		Rules: slices.Concat(work.Rules, pace.Rules, more.Rules),
		Also:  slices.Concat(work.Also, pace.Also, more.Also, []strictyaml.Schema{worksSchema(), strictyaml.Implies("roles", strictyaml.Schema{}, only("order", strictyaml.Schema{"type": "string"}))}),
		Check: func(m *strictyaml.Mapping) {
			pace.Check(m)
			more.Check(m)
			s.checkWork(m, p)
			p.pos = m.Pos()
			p.auto = s.withConnection(p.withPace(p.Pattern), " ", *p)
			_, byRoles := m.Get("roles")
			if n, ok := m.Get("order"); ok && byRoles && n.Kind() == strictyaml.List {
				n.Errorf("order goes with a pattern, and roles name their disks; delete it")
			}
			if at, ok := m.Get("name"); ok && p.Name != "" && slices.ContainsFunc(s.Phases, func(other PhaseSpec) bool { return other.Name == p.Name }) {
				at.Errorf("there is a phase %s already; give each its own name", strictyaml.Quote(p.Name))
			}
		},
	}.Value()
	return strictyaml.Value{Schema: phase.Schema, Read: func(n strictyaml.Node) {
		if n.Kind() == strictyaml.Map && !hasKey(n, "pattern") && !hasKey(n, "roles") {
			p.Roles = s.withIdle(nil) // until its streams, mix and probes say who works
		}
		phase.Read(n)
	}}
}

// hasKey reports whether a mapping has a key.
func hasKey(n strictyaml.Node, key string) bool {
	return slices.ContainsFunc(n.Mapping().Pairs(), func(p strictyaml.Pair) bool { return p.Key == key })
}

// isIdle says why a disk cannot have what only a working one has.
const isIdle = "is idle"

// idle is isIdle if the disk does nothing in the phase.
func (p *PhaseSpec) idle(disk string) string {
	if p.Roles[disk] == trace.Idle {
		return isIdle
	}
	return ""
}

// newSpec is a phase that overrides nothing.
func (s *Scenario) newSpec() PhaseSpec {
	return PhaseSpec{Workload: s.work, Repeat: 1, Stop: StopRace}
}

// order is that of the disks or that of the files.
func (s *Scenario) order(p *PhaseSpec, disks *[]string) strictyaml.Value {
	list, files := s.diskOrder(disks), p.Workload.order()
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			switch {
			case n.Kind() == strictyaml.List:
				list.Read(n)
			case !slices.Contains(orders(), n.Raw()):
				n.Errorf("order is neither a list of the disks nor an order of files; try [%s], or %s",
					strings.Join(*disks, ", "), strictyaml.Choice(orders()))
			default:
				files.Read(n)
			}
		},
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"anyOf": []strictyaml.Schema{list.Schema(), files.Schema()}}
		},
	}
}

// timing is what phases and studies share besides the workload: the amount of work, and when it is done. idle and noFiles
// say which disks do nothing, and which have no files to move.
func (s *Scenario) timing(p *PhaseSpec, idle, noFiles func(disk string) string) strictyaml.Object {
	w := &p.Workload
	files := strictyaml.MappingOr(
		byDisk(s, &p.Files, noFiles, "number of files", func(n *int) strictyaml.Value { return strictyaml.Int(n, 1, maxFiles) }).
			First(func() { w.Target = 0 }),
		w.files())
	return strictyaml.Object{
		Keys: append(inherited(w.amount(files)), []strictyaml.Key{
			{Name: "stop", Value: p.stop(), About: "race: each disk stops after its last file; hold: disks that are done go on with filler until all are; a time: all stop then"},
			{Name: "until", Value: p.until(), About: "steady: it ends when every disk's rate is steady, after the SNIA performance test specification: over five windows of 10 s, or of {steady: 60 s}, or at the time of stop"},
			{Name: "precondition", Value: s.precondition(p), About: "what to do to the disks before it: {fill: 50 %} fills each working disk's volume to that share"},
			{Name: "cooldown", Value: p.cooldown(), About: "how long to wait before it, such as 30 s, or {until: idle}: until the disks are idle"},
			{Name: "repeat", Value: strictyaml.Int(&p.Repeat, 1, maxPhases), About: "how often it runs"},
			{Name: "pause", Value: text(&p.Pause), About: "what to do by hand before it: the text is shown, and hubbench waits for Enter"},
			{Name: "connection", Value: s.connection(p, idle), About: "how disks are connected in this phase, if not as usual: direct, or {A: direct}"},
		}...),
		Rules: w.saturationRules(),
		Also: []strictyaml.Schema{
			strictyaml.Implies("preset", strictyaml.Schema{"enum": presetsWith(preset.saturates)}, strictyaml.Schema{"properties": strictyaml.Schema{"stop": notWords(), "files": not("const", filesAuto)}}),
			strictyaml.Implies("stop", notWords(), only("files", not("const", filesAuto))),
			strictyaml.Implies("until", strictyaml.Schema{}, strictyaml.Schema{"properties": strictyaml.Schema{"stop": notWords(), "files": not("const", filesAuto)}}),
		},
		Check: func(m *strictyaml.Mapping) {
			s.checkWorkload(m, w)
			p.checkUntil(m)
			p.checkSaturation(m)
			if p.Stop != StopTime {
				return
			}
			if n, ok := m.Get("files"); ok && n.Raw() == filesAuto {
				n.Errorf("files: auto sizes the work so that all disks end together, and this phase stops them all at a time; delete files: auto, or what gives the time")
			}
			w.Target = 0
		},
	}
}

// notWords is the schema of what stops a phase at a time.
func notWords() strictyaml.Schema { return not("enum", []string{StopRace, StopHold}) }

// inherited are keys whose default is the workload's.
func inherited(keys []strictyaml.Key) []strictyaml.Key {
	for i := range keys {
		v := keys[i].Value
		keys[i].Value.Schema = func() strictyaml.Schema {
			s := v.Schema()
			delete(s, "default")
			return s
		}
	}
	return keys
}
