package scenario

import (
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// diskOrder is the disks a pattern's letters stand for.
func (s *Scenario) diskOrder(to *[]string) strictyaml.Value {
	return s.diskList(to, "order").Then(func(n strictyaml.Node) {
		if *to != nil && len(*to) != len(s.Disks) {
			n.Errorf("order has %d of the %d disks; name each disk once", len(*to), len(s.Disks))
			*to = nil
		}
	})
}

func (s *Scenario) diskList(to *[]string, key string) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) { *to = s.readDiskList(n, key) },
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"type": "array", "items": strictyaml.Schema{"type": "string"}, "minItems": 1, "uniqueItems": true}
		},
	}
}

// readDiskList reads names of disks, each once; nil if one is wrong.
func (s *Scenario) readDiskList(n strictyaml.Node, key string) []string {
	list := []string{}
	for _, item := range n.Items() {
		name, ok := item.Text()
		if !ok {
			return nil
		}
		if !s.hasDisk(name) {
			s.unknownDisk(item.Errorf, name)
			return nil
		}
		if slices.Contains(list, name) {
			item.Errorf("disk %s is in %s twice; name each disk once", strictyaml.Quote(name), key)
			return nil
		}
		list = append(list, name)
	}
	return list
}

// pattern is a letter per disk, in an order of the disks that has been read by then.
func (p *PhaseSpec) pattern(order *[]string) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			p.Roles = readPattern(n, *order)
			p.Pattern = n.Raw()
		},
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"type": "string", "pattern": "^[WR-]+$", "maxLength": maxDisks}
		},
	}
}

// readPattern reads a letter per disk; nil if order is nil, as that error is already reported.
func readPattern(n strictyaml.Node, order []string) map[string]trace.Role {
	pattern, ok := n.Text()
	if !ok || len(order) == 0 {
		return nil
	}
	letters := []rune(pattern)
	if len(letters) != len(order) {
		n.Errorf("pattern %s has %s for %s; write one W, R or - for each disk", strictyaml.Quote(pattern),
			unit.Plural(len(letters), "letter"), unit.Plural(len(order), "disk"))
		return nil
	}
	roles := map[string]trace.Role{}
	for i, letter := range letters {
		switch letter {
		case 'W':
			roles[order[i]] = trace.Write
		case 'R':
			roles[order[i]] = trace.Read
		case '-':
			roles[order[i]] = trace.Idle
		default:
			n.Errorf("pattern %s: letter %d is %q; use W (write), R (read) or - (idle)", strictyaml.Quote(pattern), i+1, letter)
			return nil
		}
	}
	return roles
}

// roles are what each disk does; disks it does not name are idle.
func (s *Scenario) roles(p *PhaseSpec) strictyaml.Value {
	named := map[string]trace.Role{}
	roles := byDisk(s, &named, nil, "role", func(role *trace.Role) strictyaml.Value {
		return strictyaml.OneOf(role, string(trace.Read), string(trace.Write), string(trace.Idle))
	})
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			roles.Read(n)
			p.Roles = s.withIdle(named)
			p.Pattern = s.pattern(p.Roles)
		},
		Schema: roles.Schema,
	}
}

// withIdle gives every disk a role: those without one are idle.
func (s *Scenario) withIdle(working map[string]trace.Role) map[string]trace.Role {
	roles := map[string]trace.Role{}
	for _, d := range s.Disks {
		roles[d.Name] = trace.Idle
	}
	maps.Copy(roles, working)
	return roles
}

// byDisk is a mapping of values by disk. unfit says why a disk cannot have one, and is empty if it can; nil: any can.
func byDisk[T any](s *Scenario, to *map[string]T, unfit func(disk string) string, what string, item func(*T) strictyaml.Value) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			*to = map[string]T{}
			pairs := n.Mapping().Pairs()
			if n.Kind() == strictyaml.Map && len(pairs) == 0 {
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
					pair.Errorf("disk %s %s here; delete its %s", strictyaml.Quote(pair.Key), why, what)
				default:
					var v T
					item(&v).Read(pair.Value)
					(*to)[pair.Key] = v
				}
			}
		},
		Schema: func() strictyaml.Schema {
			return strictyaml.Schema{"type": "object", "additionalProperties": item(new(T)).Schema(), "minProperties": 1}
		},
	}
}

// workKeys are those that let a disk work whose letter is -, or whom roles do not name.
func workKeys() []string { return []string{"streams", "mix", "probe"} }

// checkWork refuses a phase in which no disk works.
func (s *Scenario) checkWork(m *strictyaml.Mapping, p *PhaseSpec) {
	if p.Roles == nil || slices.ContainsFunc(workKeys(), func(key string) bool { _, ok := m.Get(key); return ok }) {
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
	if ok && (at.Kind() != strictyaml.Map || len(at.Mapping().Pairs()) > 0) {
		at.Errorf("every disk is idle in this phase; let one read or write, or delete the phase")
	}
}

// worksSchema is the same as a schema: a letter W or R in a pattern, or a role that is not idle.
func worksSchema() strictyaml.Schema {
	anyOf := []strictyaml.Schema{{"properties": strictyaml.Schema{
		"pattern": strictyaml.Schema{"pattern": "[WR]"},
		"roles":   strictyaml.Schema{"not": strictyaml.Schema{"additionalProperties": strictyaml.Schema{"const": trace.Idle}}},
	}}}
	for _, key := range workKeys() {
		anyOf = append(anyOf, strictyaml.Schema{"required": []string{key}})
	}
	return strictyaml.Schema{"anyOf": anyOf}
}

// unknownDisk reports a name that no disk has, if the disks are known.
func (s *Scenario) unknownDisk(errorf func(string, ...any), name string) {
	if s.unsure {
		return
	}
	errorf("unknown disk %s; try %s", strictyaml.Quote(name), strictyaml.Suggest(name, s.diskNames()))
}

// allWrite is the pattern of a phase in which all disks write.
func (s *Scenario) allWrite() string { return strings.Repeat("W", max(1, len(s.Disks))) }
