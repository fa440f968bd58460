package scenario

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// longestUntil is how long rates have to become steady, unless the scenario says.
const longestUntil = 4 * time.Hour

// phaseKeys are the keys of a phase.
type phaseKeys struct {
	At *yaml.Mapping
	_  yaml.Among `keys:"pattern roles" both:"a phase has either a pattern or roles; delete one of the two"`
	_  yaml.Among `keys:"pattern roles streams mix probe" neither:"the phase has no pattern; add one, such as pattern: W, with a letter for each disk"`

	Name     ownName                `yaml:"name" doc:"what the phase is called; its pattern if it has no name"`
	Pattern  letters                `yaml:"pattern" doc:"a letter per disk, in the order of disks or the phase's own: W writes, R reads, - is idle"`
	Roles    yaml.Named[trace.Role] `yaml:"roles" is:"read | write | idle" doc:"in place of a pattern, what each disk does: {A: write, C: read}; the others are idle"`
	Order    order                  `yaml:"order" doc:"the order of the files, the preset's if it is not given; listed: as sizes has them"`
	Streams  yaml.Named[streams]    `yaml:"streams" not:"saturation" doc:"disks that play or record at the pace of a camera, beside the others: {A: {play: prores-422-hq-uhd-25, count: 4}}"`
	Mix      perDisk[mix]           `yaml:"mix" not:"app verify saturation" doc:"disks that read and write at once: 70/30 is 70% reads; of all working disks, or {A: 70/30}"`
	Probe    perDisk[Probe]         `yaml:"probe" not:"saturation" doc:"disks that are only sent occasional single requests, for the latency: 4 KiB, of all idle disks, or {C: 4 KiB}"`
	Pace     perDisk[float64]       `yaml:"pace" is:"100 KB/s to 1 TB/s" not:"app saturation" doc:"the maximum rate at which disks move files: 200 MB/s, of each, or {B: 200 MB/s}"`
	Search   *search                `yaml:"search" not:"saturation" doc:"streams: find how many of them stay clean, alone and beside the others; pace: find how fast the others may go; or {streams: A, most: 24}, {pace: B, most: 1 GB/s}"`
	Hold     time.Duration          `yaml:"hold" is:"1 s to 1 h" not:"saturation" shows:"30 s" doc:"how long each try of a search lasts"`
	Timing   timing                 `yaml:",inline"`
	Workload workload               `yaml:",inherit"`
}

// timing is what phases and studies share besides the workload: the amount of work, and when it is
// done.
type timing struct {
	Files        numbers         `yaml:"files" doc:"how many files each disk moves, the preset's number if it is not given; auto: as many as fit in target, so that all disks end together"`
	Stop         stop            `yaml:"stop" shows:"race" doc:"race: each disk stops after its last file; hold: disks that are done go on with filler until all are; a time: all stop then"`
	Until        *steady         `yaml:"until" not:"saturation" doc:"steady: it ends when every disk's rate is steady, after the SNIA performance test specification: over five windows of 10 s, or of {steady: 60 s}, or at the time of stop"`
	Precondition *filling        `yaml:"precondition" word:"fill" doc:"what to do to the disks before it: {fill: 50%} fills each working disk's volume to that share"`
	Cooldown     *rest           `yaml:"cooldown" doc:"how long to wait before it, such as 30 s, or {until: idle}: until the disks are idle"`
	Repeat       int             `yaml:"repeat" is:"1 to 1000" default:"1" doc:"how often it runs"`
	Pause        string          `yaml:"pause" doc:"what to do by hand before it: the text is shown, and hubbench waits for Enter"`
	Connection   perDisk[string] `yaml:"connection" doc:"how disks are connected in this phase, if not as usual: direct, or {A: direct}"`
}

// numbers is how many files each disk moves.
type numbers struct {
	number
	each yaml.Named[int]
}

// Value returns a number for all disks, or a mapping.
func (f *numbers) Value() yaml.Value {
	return yaml.MappingOr(f.each.Holds(`is:"1 to 1000000"`), f.number.Value())
}

// stop is when a phase ends: StopRace, StopHold, or StopTime after a time.
type stop struct {
	how   string
	limit time.Duration
}

// Value returns a word or a time.
func (s *stop) Value() yaml.Value {
	words := []string{StopRace, StopHold}
	limit := yaml.Tagged(&s.limit, `is:"100 ms to 24 h"`)
	schema := yaml.Schema{"anyOf": []yaml.Schema{{"enum": words}, limit.Schema}}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		word := n.Raw()
		switch {
		case slices.Contains(words, word):
			s.how = word
		case word != "" && strings.Contains("-.0123456789", word[:1]):
			s.how = StopTime
			limit.Read(n)
		default:
			n.Errorf("stop must be race, hold or a time; try %s, or 30 s",
				yaml.Suggest(word, words))
		}
	}}
}

// steady is the length of a window, rates are steady over five.
type steady struct {
	Steady time.Duration `yaml:"steady,required" is:"1 s to 1 h" default:"10 s" doc:"the length of a window; rates are steady over five"`
}

// Short returns a word.
func (s *steady) Short() yaml.Value { return yaml.OneOf(new(string), "steady") }

type filling struct {
	At   *yaml.Mapping
	Fill float64 `yaml:"fill,required" is:"1% to 95%" doc:"the share of each volume that is full when the phase begins, with what is there already, such as 50%"`
}

// rest is a time, at most if it is one until the disks are idle.
type rest struct {
	Until string        `yaml:"until,required" is:"idle" doc:"idle: until the disks are idle"`
	Most  time.Duration `yaml:"most" is:"0 s to 24 h" default:"10 min" doc:"but no longer than this"`
}

// Short returns a time.
func (r *rest) Short() yaml.Value { return yaml.Field(r, "Most") }

// order is that of the disks or that of the files.
type order struct {
	files string
	disks disks
}

// Value returns a list or a word.
func (o *order) Value() yaml.Value {
	words := []string{work.Random, work.Ascending, work.Descending, work.Listed}
	files := yaml.OneOf(&o.files, words...)
	list := o.disks.Value()
	schema := yaml.Schema{"anyOf": []yaml.Schema{list.Schema, files.Schema}}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		switch {
		case n.Kind() == yaml.List:
			list.Read(n)
		case !slices.Contains(words, n.Raw()):
			n.Errorf("order is neither a list of the disks nor an order of files; try [B, A], "+
				"or %s", yaml.Choice(words))
		default:
			files.Read(n)
		}
	}}
}

// disks are names of some.
type disks struct{ *yaml.Node }

// Value returns a list.
func (d *disks) Value() yaml.Value {
	schema := yaml.Schema{
		"type": "array", "items": yaml.Schema{"type": "string"}, "minItems": 1, "uniqueItems": true,
	}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) { d.Node = &n }}
}

// letters are one per disk, which are judged when the disks are known.
type letters string

// Value returns the letters.
func (l *letters) Value() yaml.Value {
	schema := yaml.Schema{"type": "string", "pattern": "^[WR-]+$", "maxLength": 64}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		text, _ := n.Text()
		*l = letters(text)
	}}
}

// perDisk is one value for all disks that it fits, or a value for each.
type perDisk[T any] struct {
	all  *T
	each yaml.Named[T]
}

// Holds is one for all, or a mapping by disk.
func (d *perDisk[T]) Holds(tag reflect.StructTag) yaml.Value {
	all := new(T)
	one := yaml.Tagged(all, tag)
	if shorter, ok := any(all).(yaml.Shorter); ok {
		one = shorter.Short()
	}
	return yaml.MappingOr(d.each.Holds(tag), one.Then(func(yaml.Node) { d.all = all }))
}

// phaseSpec is one entry of the scenario's phases, or one phase of its study; Repeat, and a preset
// with several tests, make several phases of it. Its Phase is what all of them have, under the name
// that was given, which may be empty.
type phaseSpec struct {
	Phase
	// As given; from the roles, in the order of the disks, if those were given.
	Pattern string
	work    workload       // the scenario's, with what the phase overrides
	Files   map[string]int // number of files of single disks; the others have the workload's
	Repeat  int            // at least 1

	Streams map[string][]stream.Spec // what disks play or record
	Probes  map[string]Probe         // the disks that are asked for single requests
	Mix     map[string]mix           // share of reads, of disks that read and write at once
	Pace    map[string]float64       // maximum in bytes per second, of disks with a limit

	pos   yaml.Pos
	auto  string // the name if Name is empty, but for its number
	study bool   // it belongs to the study
}

// spec returns a phase as far as its times and its workload say.
func (s *Scenario) spec(m *yaml.Mapping, t *timing, w workload) *phaseSpec {
	w.Files = t.Files.number
	p := &phaseSpec{work: w.over(s.work, m), Repeat: t.Repeat}
	p.Pause = t.Pause
	p.Stop = cmp.Or(t.Stop.how, StopRace)
	p.Limit = t.Stop.limit
	if t.Cooldown != nil {
		p.Cooldown = t.Cooldown.Most
		p.UntilIdle = t.Cooldown.Until != ""
	}
	if t.Until != nil {
		p.Steady = t.Until.Steady
	}
	if f := t.Precondition; f != nil {
		p.Precondition = f.Fill
		if s.simulated() {
			f.At.Errorf("simulated disks have no size to fill a share of; delete precondition, " +
				"or use disks with a path")
		}
	}
	return p
}

// check refuses keys of a phase or study that do not go together. idle and noFiles say which disks
// do nothing, and which have no files to move.
func (s *Scenario) check(m *yaml.Mapping, t *timing, p *phaseSpec, idle,
	noFiles func(disk string) string) {
	p.Files = map[string]int{}
	for _, e := range fitting(s, &t.Files.each, noFiles, "number of files") {
		p.Files[e.Key] = e.To
	}
	p.Connections = spread(s, &t.Connection, idle, "connection")
	s.checkWorkload(m, &p.work)
	p.checkUntil(m)
	if p.Stop != StopTime {
		return
	}
	if n, ok := m.Get("files"); ok && p.work.Files.auto {
		n.Errorf("files: auto sizes the work so that all disks end together, and this phase " +
			"stops them all at a time; " +
			"delete files: auto, or what gives the time")
	}
	p.work.Files.auto = false
}

// addPhase checks a phase and appends it.
func (s *Scenario) addPhase(k *phaseKeys) {
	m := k.At
	k.Workload.Order = k.Order.files
	p := s.spec(m, &k.Timing, k.Workload)
	p.Name = string(k.Name)
	p.pos = m.Pos()
	p.Roles = s.roles(k)
	s.addStreams(p, k)
	s.addMix(p, k)
	s.addProbes(p, k)
	s.addPace(p, k)
	if !m.Has("pattern") || p.Roles != nil && len(p.Streams)+len(p.Mix)+len(p.Probes) > 0 {
		p.Pattern = s.pattern(p.Roles)
	} else {
		p.Pattern = string(k.Pattern)
	}
	s.checkSearch(m, p, k)
	s.checkEnd(m, p)
	s.check(m, &k.Timing, p, p.idle, p.movesNoFiles)
	p.checkSaturation(m)
	s.checkWork(m, p)
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
	s.specs = append(s.specs, *p)
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
	p := s.spec(nil, &timing{Repeat: 1}, workload{})
	p.Name = string(s.work.Preset)
	p.Pattern = s.allWrite()
	p.Roles = map[string]trace.Role{}
	p.pos = s.pos
	for _, d := range s.Disks {
		p.Roles[d.Name] = trace.Write
	}
	s.specs = append(s.specs, *p)
}

func (s *Scenario) allWrite() string { return strings.Repeat("W", max(1, len(s.Disks))) }

// idle is why a disk cannot have what only a working one has.
func (p *phaseSpec) idle(disk string) string {
	if p.Roles[disk] == trace.Idle {
		return isIdle
	}
	return ""
}

const isIdle = "is idle"

// listed returns the disks that a list names, each once; nil if one is wrong.
func (s *Scenario) listed(d disks, key string) []string {
	list := []string{}
	for _, item := range d.Items() {
		name, ok := item.Text()
		switch {
		case !ok:
			return nil
		case !s.hasDisk(name):
			s.unknownDisk(item.Errorf, name)
			return nil
		case slices.Contains(list, name):
			item.Errorf("disk %s is in %s twice; name each disk once", yaml.Quote(name), key)
			return nil
		}
		list = append(list, name)
	}
	return list
}

// roles returns what each disk does by the phase's pattern or roles; nil if they are wrong.
func (s *Scenario) roles(k *phaseKeys) map[string]trace.Role {
	order := s.diskNames()
	if list := k.Order.disks; list.Node != nil {
		if order = s.listed(list, "order"); order != nil && len(order) != len(s.Disks) {
			list.Errorf("order has %d of the %d disks; name each disk once",
				len(order), len(s.Disks))
			order = nil
		}
	}
	roles := s.withIdle(nil)
	for _, e := range fitting(s, &k.Roles, nil, "role") {
		roles[e.Key] = e.To
	}
	n, ok := k.At.Get("pattern")
	if !ok {
		return roles
	}
	pattern := string(k.Pattern)
	letters := []rune(pattern)
	switch {
	case len(order) == 0 || n.Kind() != yaml.Text:
		return nil // already reported
	case len(letters) != len(order):
		n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", yaml.Quote(pattern),
			unit.Plural(len(letters), "letter"), unit.Plural(len(order), "disk"))
		return nil
	}
	of := map[rune]trace.Role{'W': trace.Write, 'R': trace.Read, '-': trace.Idle}
	for i, letter := range letters {
		role, known := of[letter]
		if !known {
			n.Errorf("pattern %s: letter %d is %q; use W (write), R (read) or - (idle)",
				yaml.Quote(pattern), i+1, letter)
			return nil
		}
		roles[order[i]] = role
	}
	return roles
}

func (s *Scenario) withIdle(working map[string]trace.Role) map[string]trace.Role {
	roles := map[string]trace.Role{}
	for _, d := range s.Disks {
		roles[d.Name] = trace.Idle
	}
	maps.Copy(roles, working)
	return roles
}

// fitting returns the entries whose disks can have them. unfit says why a disk cannot, and is empty
// if it can; nil: any can.
func fitting[T any](s *Scenario, m *yaml.Named[T], unfit func(disk string) string,
	what string) []yaml.Entry[T] {
	var all []yaml.Entry[T]
	for _, e := range m.Entries {
		why := ""
		if unfit != nil {
			why = unfit(e.Key)
		}
		switch {
		case !s.hasDisk(e.Key):
			s.unknownDisk(e.Errorf, e.Key)
		case why != "":
			e.Errorf("disk %s %s here; delete its %s", yaml.Quote(e.Key), why, what)
		default:
			all = append(all, e)
		}
	}
	return all
}

// spread returns the value of each disk: the one for all that it fits, or its own.
func spread[T any](s *Scenario, d *perDisk[T], unfit func(disk string) string,
	what string) map[string]T {
	values := map[string]T{}
	for _, disk := range s.diskNames() {
		if d.all != nil && unfit(disk) == "" {
			values[disk] = *d.all
		}
	}
	for _, e := range fitting(s, &d.each, unfit, what) {
		values[e.Key] = e.To
	}
	return values
}

// workKeys returns those that let a disk work whose letter is -, or whom roles do not name.
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

// checkUntil sets the latest end of a phase that ends when its rates are steady.
func (p *phaseSpec) checkUntil(m *yaml.Mapping) {
	if p.Steady == 0 || p.Search != nil {
		return
	}
	n, said := m.Get("stop")
	switch {
	case !said:
		p.Stop = StopTime
		p.Limit = longestUntil
	case p.Stop != StopTime:
		n.Errorf("until: steady ends the phase, and stop is the latest time for that; try 1 h, " +
			"or delete stop")
	case p.Limit < 5*p.Steady:
		n.Errorf("stop comes before five windows have passed, over which rates are steady; " +
			"try a later one, or shorter windows: {steady: 1 s}")
	}
}
