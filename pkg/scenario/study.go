package scenario

import (
	"slices"
	"time"
	"unicode/utf8"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// What a study may include.
const (
	studySolo  = "solo"  // every disk writes alone, then reads alone
	studyPairs = "pairs" // every two disks write, read, and do one of each, both ways round
	studyAll   = "all"   // all write, all read
	// One writes and the rest read, one reads and the rest write, each disk in turn.
	studyMixed  = "mixed"
	studyMatrix = "matrix" // all of these

	// studyAllButOne leaves out each disk in turn while the rest write, then read: what they have
	// then is what they would have if it were plugged in elsewhere. Of three disks these are pairs.
	studyAllButOne = "all_but_one"
)

func studyParts() []string {
	return []string{studySolo, studyPairs, studyAllButOne, studyAll, studyMixed, studyMatrix}
}

// studyKeys are the keys of a study.
type studyKeys struct {
	At *yaml.Mapping

	Include    parts         `yaml:"include,required" doc:"solo, pairs, all_but_one (each disk left out in turn), all, mixed (one against the rest), matrix (all of these), or a list of them"`
	Disks      disks         `yaml:"disks" doc:"those to study; all if it is not given"`
	Within     time.Duration `yaml:"within" is:"100 ms to 24 h" doc:"leave out what does not fit in this time, from the end, if stop or target says how long each phase takes"`
	Interleave bool          `yaml:"interleave" default:"true" doc:"run repeats as rounds of all phases, every other one backwards"`
	Timing     timing        `yaml:",inline"`
	Workload   workload      `yaml:",inherit"`
}

// Short returns a word or a list.
func (k *studyKeys) Short() yaml.Value { return k.Include.Value() }

// parts is what a study includes.
type parts struct{ *yaml.Node }

// Value returns a word or a list.
func (p *parts) Value() yaml.Value {
	part := yaml.Schema{"enum": studyParts()}
	list := yaml.Schema{"type": "array", "items": part, "minItems": 1}
	some := yaml.Schema{"anyOf": []yaml.Schema{part, list}}
	return yaml.Value{Schema: some, Read: func(n yaml.Node) { p.Node = &n }}
}

// addStudy appends its phases to the explicit ones, none twice.
func (s *Scenario) addStudy(n yaml.Node, k *studyKeys) {
	p := s.spec(k.At, &k.Timing, k.Workload)
	p.study = true
	p.pos = n.Pos()
	s.interleave = k.Interleave
	disks := s.diskNames()
	if k.Disks.Node != nil {
		if disks = s.listed(k.Disks, "disks"); disks != nil && len(disks) == 0 {
			k.Disks.Errorf("disks is empty; name those to study, or delete the key for all")
		}
	}
	idle := func(disk string) string {
		if disks != nil && !slices.Contains(disks, disk) {
			return isIdle
		}
		return ""
	}
	s.check(k.At, &k.Timing, p, idle, idle)
	if preset := presetByName(p.work.Preset); preset.saturates {
		n.Errorf("preset %s is a study by itself; delete study, or add the preset to phases, "+
			"as in {preset: %[1]s, pattern: WW}", preset.Name)
	}
	if k.Include.Node == nil {
		return // already reported
	}
	first := len(s.specs)
	s.addParts(*k.Include.Node, *p, disks)
	if each := max(p.Limit, p.work.target()); k.Within > 0 && each > 0 {
		s.specs = s.specs[:min(len(s.specs), first+max(1, int(k.Within/(each+p.Cooldown))))]
	}
}

// addParts appends the phases of what a study includes.
func (s *Scenario) addParts(include yaml.Node, p phaseSpec, disks []string) {
	items := []yaml.Node{include}
	if include.Kind() == yaml.List {
		if items = include.Items(); len(items) == 0 {
			include.Errorf("the study includes nothing; try %s", studyMatrix)
		}
	}
	first := len(s.specs)
	seen := map[string]bool{}
	for _, item := range items {
		word := item.Raw()
		if !slices.Contains(studyParts(), word) {
			item.Errorf("unknown study %s; try %s", yaml.Quote(word),
				yaml.Suggest(word, studyParts()))
			continue
		}
		if len(disks) == 0 {
			continue // already reported
		}
		combined := combine(word, disks)
		if len(combined) == 0 {
			item.Errorf("study %s needs at least two disks; try %s", word, studySolo)
		}
		for _, working := range combined {
			spec := p
			spec.Roles = s.withIdle(working)
			if spec.Pattern = s.pattern(spec.Roles); seen[spec.Pattern] {
				continue
			}
			seen[spec.Pattern] = true
			spec.auto = s.studyName(spec)
			s.specs = append(s.specs, spec)
			p.Pause = "" // the one before the first holds for all
		}
	}
	if phases := (len(s.specs) - first) * p.Repeat * len(s.variants(p)); phases > maxPlanPhases {
		include.Errorf("the study has %d phases, and the limit is %d; try [solo, all, mixed], "+
			"or fewer disks or repeats",
			phases, maxPlanPhases)
	}
}

// combine lists the roles, phase by phase, for one part of a study; none if there are too few
// disks. Some are there several times. Phases of one disk are spread out, so that it rests while
// others work, and solo phases come first: what they show sizes the others' work.
func combine(part string, disks []string) []map[string]trace.Role {
	const w, r, none = trace.Write, trace.Read, trace.Idle
	var phases []map[string]trace.Role
	switch {
	case part == studyMatrix:
		for _, part := range []string{studySolo, studyPairs, studyAllButOne, studyAll, studyMixed} {
			phases = append(phases, combine(part, disks)...)
		}
	case part == studyPairs:
		for _, roles := range [][2]trace.Role{{w, w}, {r, r}, {w, r}, {r, w}} {
			for _, pair := range pairs(len(disks)) {
				phases = append(phases, map[string]trace.Role{
					disks[pair[0]]: roles[0], disks[pair[1]]: roles[1],
				})
			}
		}
	case part == studySolo || part == studyAll || len(disks) > 1:
		ways := map[string][][2]trace.Role{ // what one disk does, and the rest
			studySolo: {{w, none}, {r, none}}, studyAllButOne: {{none, w}, {none, r}},
			studyAll: {{w, w}, {r, r}}, studyMixed: {{w, r}, {r, w}},
		}
		for _, way := range ways[part] {
			for _, one := range disks {
				roles := map[string]trace.Role{}
				for _, disk := range disks {
					roles[disk] = way[1]
				}
				roles[one] = way[0]
				phases = append(phases, roles)
			}
		}
	}
	return phases
}

// pairs lists every two of n, in rounds in which nobody is twice: the circle method of tournaments.
// One stays, the others rotate; if n is odd, whoever is paired with it rests.
func pairs(n int) [][2]int {
	var all [][2]int
	stays := n - 1 + n%2
	for round := range stays {
		if stays < n {
			all = append(all, [2]int{round, stays})
		}
		for i := 1; i <= (stays-1)/2; i++ {
			a := (round + i) % stays
			b := (round - i + stays) % stays
			all = append(all, [2]int{min(a, b), max(a, b)})
		}
	}
	return all
}

func (s *Scenario) pattern(roles map[string]trace.Role) string {
	letters := make([]byte, len(s.Disks))
	for i, d := range s.Disks {
		letters[i] = roles[d.Name].Letter()
	}
	return string(letters)
}

// studyName names a phase by who does what; if disks have names too long for that, by its pattern.
func (s *Scenario) studyName(p phaseSpec) string {
	works := map[string]work.Work{}
	for disk, role := range p.Roles {
		works[disk] = work.Work{Op: role}
	}
	if name := s.withConnection(work.Who(s.diskNames(), works), ", ", p); fitsName(name) {
		return name
	}
	return s.withConnection(p.Pattern, " ", p)
}

// withConnection adds to a phase's name how its disks are connected, if that is one way, and not
// the usual one.
func (s *Scenario) withConnection(name, before string, p phaseSpec) string {
	connections := s.connections(p)
	label := ""
	for _, d := range s.Disks {
		switch other, ok := connections[d.Name]; {
		case p.Roles[d.Name] == trace.Idle:
		case !ok || label != "" && label != other:
			return name
		default:
			label = other
		}
	}
	if with := name + before + label; fitsName(with) {
		return with
	}
	return name
}

func fitsName(name string) bool { return utf8.RuneCountInString(name) <= yaml.MaxName }
