package scenario

import (
	"slices"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// What a study may include.
const (
	studySolo   = "solo"   // every disk writes alone, then reads alone
	studyPairs  = "pairs"  // every two disks write, read, and do one of each, both ways round
	studyAll    = "all"    // all write, all read
	studyMixed  = "mixed"  // one writes and the rest read, one reads and the rest write, each disk in turn
	studyMatrix = "matrix" // all of these

	// studyAllButOne leaves out each disk in turn while the rest write, then read: what they have then is what they would have
	// if it were plugged in elsewhere. Of three disks these are pairs.
	studyAllButOne = "all_but_one"
)

// studyParts lists them.
func studyParts() []string {
	return []string{studySolo, studyPairs, studyAllButOne, studyAll, studyMixed, studyMatrix}
}

// study appends its phases to the explicit ones: a word, a list of words, or a mapping with these under include.
func (s *Scenario) study() strictyaml.Value {
	p := s.newSpec()
	p.study, s.interleave = true, true
	disks := s.diskNames()
	work := p.Workload.object(p.Workload.order())
	idle := func(disk string) string {
		if disks != nil && !slices.Contains(disks, disk) {
			return isIdle
		}
		return ""
	}
	more := s.timing(&p, idle, idle)
	var included *strictyaml.Node
	include := strictyaml.Value{
		Read: func(n strictyaml.Node) { included = &n },
		Schema: func() strictyaml.Schema {
			part := strictyaml.Schema{"enum": studyParts()}
			return strictyaml.Schema{"anyOf": []strictyaml.Schema{part, {"type": "array", "items": part, "minItems": 1}}}
		},
	}
	full := strictyaml.Object{
		Keys: slices.Concat([]strictyaml.Key{
			{Name: "include", Need: true, Value: include, About: "solo, pairs, all_but_one (each disk left out in turn), all, mixed (one against the rest), matrix (all of these), or a list of them"},
			{Name: "disks", Value: s.diskList(&disks, "disks").Then(func(n strictyaml.Node) {
				if disks != nil && len(disks) == 0 {
					n.Errorf("disks is empty; name those to study, or delete the key for all")
				}
			}), About: "those to study; all if it is not given"},
			{Name: "interleave", Value: strictyaml.Bool(&s.interleave), About: "run repeats as rounds of all phases, every other one backwards"},
		}, inherited(work.Keys), more.Keys),
		Rules: slices.Concat(work.Rules, more.Rules), Check: more.Check,
		Also: slices.Concat(work.Also, more.Also, []strictyaml.Schema{strictyaml.Implies("disks", strictyaml.Schema{"maxItems": 1}, only("include", forOne()))}),
	}
	return strictyaml.MappingOr(full.Value(), include).Then(func(n strictyaml.Node) {
		if p.pos = n.Pos(); included != nil {
			s.addStudy(*included, p, disks)
		}
	})
}

// forOne is the schema of what one disk can be studied by.
func forOne() strictyaml.Schema {
	two := strictyaml.Schema{"enum": []string{studyPairs, studyAllButOne, studyMixed}}
	return not("anyOf", []strictyaml.Schema{two, {"type": "array", "contains": two}})
}

// addStudy appends the phases of what a study includes.
func (s *Scenario) addStudy(include strictyaml.Node, p PhaseSpec, disks []string) {
	first := len(s.Phases)
	for _, roles := range s.readParts(include, disks) {
		spec := p
		spec.Roles = roles
		spec.Pattern = s.pattern(roles)
		spec.auto = s.studyName(spec)
		s.Phases = append(s.Phases, spec)
		p.Pause = "" // the one before the first holds for all
	}
	if phases := (len(s.Phases) - first) * p.Repeat * len(s.variants(p)); phases > maxPlanPhases {
		include.Errorf("the study has %d phases, and the limit is %d; try [solo, all, mixed], or fewer disks or repeats", phases, maxPlanPhases)
	}
}

// readParts reads what a study includes, and returns who does what in each of its phases, none twice.
func (s *Scenario) readParts(n strictyaml.Node, disks []string) []map[string]trace.Role {
	items := []strictyaml.Node{n}
	if n.Kind() == strictyaml.List {
		items = n.Items()
		if len(items) == 0 {
			n.Errorf("the study includes nothing; try %s", studyMatrix)
		}
	}
	var parts []map[string]trace.Role
	seen := map[string]bool{}
	for _, item := range items {
		word := item.Raw()
		if !slices.Contains(studyParts(), word) {
			item.Errorf("unknown study %s; try %s", strictyaml.Quote(word), strictyaml.Suggest(word, studyParts()))
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
			roles := s.withIdle(working)
			if pattern := s.pattern(roles); !seen[pattern] {
				seen[pattern] = true
				parts = append(parts, roles)
			}
		}
	}
	return parts
}

// pattern writes roles as letters, in the order of the disks.
func (s *Scenario) pattern(roles map[string]trace.Role) string {
	letters := make([]byte, len(s.Disks))
	for i, d := range s.Disks {
		letters[i] = roles[d.Name].Letter()
	}
	return string(letters)
}

// studyName names a phase by who does what; if disks have names too long for that, by its pattern.
func (s *Scenario) studyName(p PhaseSpec) string {
	works := map[string]work.Work{}
	for disk, role := range p.Roles {
		works[disk] = work.Work{Op: role}
	}
	if name := s.withConnection(work.Who(s.diskNames(), works), ", ", p); fitsName(name) {
		return name
	}
	return s.withConnection(p.Pattern, " ", p)
}

// withConnection adds to a phase's name how its disks are connected, if that is one way, and not the usual one.
func (s *Scenario) withConnection(name, before string, p PhaseSpec) string {
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

// fitsName reports whether a text made of other names may name a phase.
func fitsName(name string) bool {
	return utf8.RuneCountInString(name) <= strictyaml.MaxName
}
